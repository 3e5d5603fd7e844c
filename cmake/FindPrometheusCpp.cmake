# Of prometheus-cpp only its core, which keeps figures and writes them as text. Debian's own CMake package asks for the
# libraries of its HTTP server too. Imported target: PrometheusCpp::core.
find_path(PrometheusCpp_INCLUDE_DIR prometheus/text_serializer.h)
find_library(PrometheusCpp_core_LIBRARY prometheus-cpp-core)
mark_as_advanced(PrometheusCpp_INCLUDE_DIR PrometheusCpp_core_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PrometheusCpp REQUIRED_VARS PrometheusCpp_core_LIBRARY PrometheusCpp_INCLUDE_DIR)

if(PrometheusCpp_FOUND AND NOT TARGET PrometheusCpp::core)
  add_library(PrometheusCpp::core UNKNOWN IMPORTED)
  set_target_properties(
    PrometheusCpp::core PROPERTIES IMPORTED_LOCATION "${PrometheusCpp_core_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                                     "${PrometheusCpp_INCLUDE_DIR}")
endif()
