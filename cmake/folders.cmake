# steadfast_folder(store [CAF] [BUT_FOR launcher/ another.cpp] LIBRARIES steadfast::workflow LMDB::LMDB)
#
# One static library per folder, named steadfast_<folder>, with the alias steadfast::<folder>: all its sources, its
# libraries, and the root of the tree and include/ as include paths, which the installed package does not have. A folder
# without a source is an interface library. CAF says that its sources include CAF (see steadfast_uses_caf), BUT_FOR
# names what in it belongs to another target: folders and sources.
function(steadfast_folder folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CAF" "EXPORT" "LIBRARIES;BUT_FOR")
  set(target steadfast_${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "*.cpp")
  foreach(other IN LISTS arg_BUT_FOR)
    list(FILTER sources EXCLUDE REGEX "${folder}/${other}")
  endforeach()
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    steadfast_optimise(${target})
    if(arg_CAF)
      steadfast_uses_caf(${target})
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(steadfast::${folder} ALIAS ${target})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope} "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                                                "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>")
  target_link_libraries(${target} ${scope} ${arg_LIBRARIES})
  steadfast_install_library(${folder} EXPORT ${arg_EXPORT})
endfunction()

# steadfast_install_library(store [EXPORT the_targets_of_its_component]): as steadfast::<name> in the installed package.
function(steadfast_install_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXPORT" "")
  if(NOT arg_EXPORT)
    set(arg_EXPORT steadfast_node_targets)
  endif()
  set_target_properties(steadfast_${name} PROPERTIES EXPORT_NAME ${name})
  if(STEADFAST_INSTALL)
    install(TARGETS steadfast_${name} EXPORT ${arg_EXPORT})
  endif()
endfunction()

# CAF's headers bind null references where an actor is spawned from a function without arguments: nothing is read
# through them, but UBSan and the assertions of libstdc++ end the process.
set(caf_options -U_GLIBCXX_ASSERTIONS)
if(STEADFAST_SANITIZE MATCHES "undefined")
  list(APPEND caf_options -fno-sanitize=null)
endif()

# Gives the target the options of those that are optimised for the tests, if it is one of them.
function(steadfast_optimise target)
  if(target IN_LIST steadfast_optimised)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# For every target whose sources include CAF: the options its headers need, and the precompiled header, which must agree
# with its targets in their options: those that are optimised share one, the others another.
function(steadfast_uses_caf target)
  target_compile_options(${target} PRIVATE ${caf_options})
  set(header steadfast_caf_header)
  if(target IN_LIST steadfast_optimised)
    set(header steadfast_caf_header_optimised)
  endif()
  if(NOT TARGET ${header})
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${header}.cpp" CONTENT "")
    add_library(${header} OBJECT "${PROJECT_BINARY_DIR}/${header}.cpp")
    steadfast_optimise(${header})
    target_compile_options(${header} PRIVATE ${caf_options})
    target_link_libraries(${header} PRIVATE CAF::io)
    target_precompile_headers(${header} PRIVATE <caf/all.hpp> <caf/io/all.hpp>)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${header})
endfunction()
