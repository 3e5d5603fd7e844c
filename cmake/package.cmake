# `cmake --install build/release --prefix ...`: the program, the libraries with the headers of include/ as the CMake
# package steadfast (components client and node) and as pkg-config's steadfast-client and steadfast-node, the documents,
# the examples, and the files of config/ for reading and copying.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/steadfast")

install(DIRECTORY include/steadfast DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
# The files of pkg-config find the rest from where they are, wherever the package was moved.
file(RELATIVE_PATH pkgconfig_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
foreach(component client node)
  install(EXPORT steadfast_${component}_targets NAMESPACE steadfast:: DESTINATION "${package_dir}")
  configure_file(cmake/steadfast-${component}.pc.in "${PROJECT_BINARY_DIR}/steadfast-${component}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/steadfast-${component}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
configure_package_config_file(cmake/steadfast-config.cmake.in "${PROJECT_BINARY_DIR}/steadfast-config.cmake"
                              INSTALL_DESTINATION "${package_dir}")
configure_file(cmake/steadfast-config-version.cmake.in "${PROJECT_BINARY_DIR}/steadfast-config-version.cmake" @ONLY)
install(
  FILES "${PROJECT_BINARY_DIR}/steadfast-config.cmake"
        "${PROJECT_BINARY_DIR}/steadfast-config-version.cmake"
        cmake/FindCAF.cmake
        cmake/FindLMDB.cmake
        cmake/FindPrometheusCpp.cmake
        cmake/FindxxHash.cmake
  DESTINATION "${package_dir}")

install(DIRECTORY config OPTIONAL DESTINATION "${CMAKE_INSTALL_DATADIR}/steadfast")
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY examples/cpp examples/hello examples/http examples/webhook
        DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples")
install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
