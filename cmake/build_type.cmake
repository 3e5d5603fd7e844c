# Linking what is instrumented takes a minute with the usual linker, and seconds with this one.
find_program(LLD_PROGRAM ld.lld)
if(LLD_PROGRAM AND CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_link_options(-fuse-ld=lld)
endif()
# Debug keeps builds and tests quick: some optimisation, line tables for backtraces. No build type defines NDEBUG: our
# checks guard what is written to disk, so they hold in production too.
if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug or RelWithDebInfo" FORCE)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")  # a third of the time; for g++ it makes no difference
else()
  set(CMAKE_CXX_FLAGS_DEBUG "-Og -g1")
endif()
if(STEADFAST_MUTANTS)
  add_compile_options("SHELL:-include \"${PROJECT_SOURCE_DIR}/tests/mutants/mutant.hpp\"")
  string(APPEND CMAKE_CXX_FLAGS_DEBUG " -O1")  # simulations, which find some of them, become several times faster
endif()
# What simulated clusters run, and what the tests count the instructions of, is optimised for the tests. A simulation is
# five times as quick at -O1 as at -O0, and compiling takes nearly twice as long.
set(steadfast_optimised)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_BUILD_TYPE STREQUAL "Debug" AND STEADFAST_BUILD_TESTS)
  set(steadfast_optimised steadfast_workflow steadfast_store steadfast_actors steadfast_simulation
                          steadfast_caf_header_optimised)
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
foreach(config RELEASE MINSIZEREL)
  string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_${config} "${CMAKE_CXX_FLAGS_${config}}")
endforeach()
