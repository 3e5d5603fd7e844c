# `cmake --install build/release --prefix ...`: the program, the libraries and headers as the CMake package steadfast, and
# the files of config/ for reading and copying. The folders install their own library and headers.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/steadfast")

install(EXPORT steadfast_targets NAMESPACE steadfast:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/steadfast-config.cmake.in "${PROJECT_BINARY_DIR}/steadfast-config.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/steadfast-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/steadfast-config.cmake"
        "${PROJECT_BINARY_DIR}/steadfast-config-version.cmake"
        cmake/FindAsio.cmake
        cmake/FindCAF.cmake
        cmake/FindLMDB.cmake
        cmake/FindxxHash.cmake
  DESTINATION "${package_dir}")

install(DIRECTORY config OPTIONAL DESTINATION "${CMAKE_INSTALL_DATADIR}/steadfast")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
