# For our own sources; headers of other libraries are SYSTEM and stay quiet.
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(STEADFAST_WERROR)
  set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
endif()
