# What the libraries need; the installed package looks for the same (steadfast-config.cmake). What only the programs,
# the tests or the examples need is looked for in their folders.
find_package(Threads REQUIRED)
find_package(LMDB 0.9.24 REQUIRED)
find_package(PostgreSQL 14 QUIET) # of which only libpq; pipelines came with 14
if(NOT PostgreSQL_FOUND)
  message(FATAL_ERROR "libpq, the client library of PostgreSQL, is missing or older than 14: install libpq-dev, or run "
                      "scripts/packages")
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS serialization)
find_package(xxHash REQUIRED)
find_package(CAF 0.17 REQUIRED COMPONENTS core io)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(fmt REQUIRED)
find_package(date REQUIRED)
find_package(spdlog REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PrometheusCpp REQUIRED)
