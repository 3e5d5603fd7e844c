# For our own sources; headers of other libraries are SYSTEM and stay quiet.
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(STEADFAST_WERROR)
  set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
endif()
# In a unity build every source is an included file, which GCC takes for a header.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-subobject-linkage)
endif()
