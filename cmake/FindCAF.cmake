# Debian ships neither a CMake package nor a pkg-config file for CAF 0.17.
# Imported targets: CAF::core, CAF::io. Another series than 0.17 has another API and another wire format,
# and is refused.
find_path(CAF_INCLUDE_DIR caf/config.hpp)
if(CAF_INCLUDE_DIR)
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" CAF_VERSION REGEX "#define CAF_VERSION [0-9]+")
  string(REGEX REPLACE ".*CAF_VERSION ([0-9]+).*" "\\1" CAF_VERSION "${CAF_VERSION}")
  math(EXPR CAF_VERSION_MAJOR "${CAF_VERSION} / 10000")
  math(EXPR CAF_VERSION_MINOR "${CAF_VERSION} / 100 % 100")
  math(EXPR CAF_VERSION_PATCH "${CAF_VERSION} % 100")
  set(CAF_VERSION "${CAF_VERSION_MAJOR}.${CAF_VERSION_MINOR}.${CAF_VERSION_PATCH}")
  if(NOT CAF_VERSION MATCHES "^0\\.17\\.")
    message(FATAL_ERROR "Steadfast needs CAF 0.17, found ${CAF_VERSION} in ${CAF_INCLUDE_DIR}")
  endif()
endif()

if(NOT CAF_FIND_COMPONENTS)
  set(CAF_FIND_COMPONENTS core io)
endif()
foreach(component IN LISTS CAF_FIND_COMPONENTS)
  find_library(CAF_${component}_LIBRARY caf_${component})
  if(CAF_${component}_LIBRARY)
    set(CAF_${component}_FOUND TRUE)
  endif()
  mark_as_advanced(CAF_${component}_LIBRARY)
endforeach()
mark_as_advanced(CAF_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF REQUIRED_VARS CAF_INCLUDE_DIR VERSION_VAR CAF_VERSION HANDLE_COMPONENTS)

if(CAF_FOUND)
  include(CMakeFindDependencyMacro)
  find_dependency(Threads)
  set(dependencies_core Threads::Threads)
  set(dependencies_io CAF::core)
  foreach(component IN LISTS CAF_FIND_COMPONENTS)
    if(CAF_${component}_FOUND AND NOT TARGET CAF::${component})
      add_library(CAF::${component} UNKNOWN IMPORTED)
      set_target_properties(
        CAF::${component}
        PROPERTIES IMPORTED_LOCATION "${CAF_${component}_LIBRARY}"
                   INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}"
                   INTERFACE_LINK_LIBRARIES "${dependencies_${component}}")
    endif()
  endforeach()
endif()
