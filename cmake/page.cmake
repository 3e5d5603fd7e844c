# steadfast_add_page(<target>): puts the page of web/ into a target, as bytes, where npm is there; else what says that
# it is not. It is built in the build folder; only node_modules is in the sources.
option(STEADFAST_PAGE "Build the page of web/, if npm is there" ${PROJECT_IS_TOP_LEVEL})
find_program(STEADFAST_NODE node)
find_program(STEADFAST_NPM npm)
set(node_version 0)
if(STEADFAST_NODE AND STEADFAST_NPM)
  execute_process(COMMAND "${STEADFAST_NODE}" --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "v" "" node_version "${node_version}")
endif()

function(steadfast_add_page target)
  set(web "${PROJECT_SOURCE_DIR}/web")
  set(folder "${PROJECT_BINARY_DIR}/page")
  set(bytes "${folder}/page_files.cpp")
  file(MAKE_DIRECTORY "${folder}")
  if(STEADFAST_PAGE AND node_version VERSION_GREATER_EQUAL 18 AND NOT STEADFAST_MUTANTS)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${web}/src/*")
    add_custom_command(
      OUTPUT "${bytes}"
      COMMAND ${CMAKE_COMMAND} -D "WEB=${web}" -D "FOLDER=${folder}" -D "NODE=${STEADFAST_NODE}" -D
              "NPM=${STEADFAST_NPM}" -P "${PROJECT_SOURCE_DIR}/cmake/build_page.cmake"
      DEPENDS ${sources} "${web}/index.html" "${web}/build.mjs" "${web}/package.json" "${web}/package-lock.json"
              "${PROJECT_SOURCE_DIR}/cmake/build_page.cmake"
      COMMENT "Building the page"
      VERBATIM)
  else()
    message(STATUS "The page of the node is left out: no npm with node 18 or later, or STEADFAST_PAGE is off")
    file(COPY_FILE "${PROJECT_SOURCE_DIR}/cmake/no_page_files.cpp.in" "${bytes}" ONLY_IF_DIFFERENT)
  endif()
  if(PROJECT_IS_TOP_LEVEL)
    add_custom_target(page DEPENDS "${bytes}")
  endif()
  target_sources(${target} PRIVATE "${bytes}")
  set_source_files_properties("${bytes}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON
                                                    COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()
