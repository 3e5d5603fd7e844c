# STEADFAST_SANITIZE=address,undefined for all targets, or thread, which is of use for workflow and store only: Debian's
# CAF is not instrumented, and the false reports drown the true ones.
if(STEADFAST_SANITIZE)
  add_compile_options(-fsanitize=${STEADFAST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${STEADFAST_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)  # g++ 12 is wrong about std::optional in instrumented code
  endif()
endif()
