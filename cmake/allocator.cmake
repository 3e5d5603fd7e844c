# Each message between actors is allocated on one thread and freed on another, which jemalloc is quicker at than the C
# library (docs/performance.md). For programs alone: who links the libraries has an allocator of their own. Sanitizers
# bring theirs. libfaketime hangs with it, so programs that tests give a wrong clock are built without.
option(STEADFAST_JEMALLOC "Link the programs with jemalloc" ON)
if(STEADFAST_JEMALLOC AND NOT STEADFAST_SANITIZE)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(jemalloc REQUIRED IMPORTED_TARGET jemalloc)
endif()

function(steadfast_uses_jemalloc target)
  if(TARGET PkgConfig::jemalloc)
    target_link_libraries(${target} PRIVATE PkgConfig::jemalloc)
  endif()
endfunction()
