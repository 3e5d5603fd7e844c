# Imported target: LMDB::LMDB.
find_path(LMDB_INCLUDE_DIR lmdb.h)
find_library(LMDB_LIBRARY lmdb)
mark_as_advanced(LMDB_INCLUDE_DIR LMDB_LIBRARY)

if(LMDB_INCLUDE_DIR)
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS "${LMDB_INCLUDE_DIR}/lmdb.h" line REGEX "#define[ \t]+MDB_VERSION_${part}[ \t]+[0-9]+")
    string(REGEX REPLACE ".*MDB_VERSION_${part}[ \t]+([0-9]+).*" "\\1" LMDB_VERSION_${part} "${line}")
  endforeach()
  set(LMDB_VERSION "${LMDB_VERSION_MAJOR}.${LMDB_VERSION_MINOR}.${LMDB_VERSION_PATCH}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LMDB REQUIRED_VARS LMDB_LIBRARY LMDB_INCLUDE_DIR VERSION_VAR LMDB_VERSION)

if(LMDB_FOUND AND NOT TARGET LMDB::LMDB)
  add_library(LMDB::LMDB UNKNOWN IMPORTED)
  set_target_properties(LMDB::LMDB PROPERTIES IMPORTED_LOCATION "${LMDB_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                                  "${LMDB_INCLUDE_DIR}")
endif()
