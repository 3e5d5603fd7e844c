# What the installed libraries need. What only tests or examples need is looked for in their folders.
find_package(Threads REQUIRED)
find_package(LMDB 0.9.24 REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS serialization)
find_package(xxHash REQUIRED)
find_package(CAF 0.17 REQUIRED COMPONENTS core io openssl)
find_package(CURL REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(Asio REQUIRED)

# The compiled library of toml++; without these it would be compiled again in every source that includes it.
set_property(TARGET tomlplusplus::tomlplusplus APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS TOML_HEADER_ONLY=0
                                                               TOML_SHARED_LIB=1)
