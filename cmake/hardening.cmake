include(CheckCXXCompilerFlag)

add_compile_options(-fPIE -fstack-protector-strong)
add_link_options(-pie LINKER:-z,relro,-z,now)
add_compile_definitions(_GLIBCXX_ASSERTIONS)

check_cxx_compiler_flag(-fstack-clash-protection STEADFAST_HAS_STACK_CLASH_PROTECTION)
if(STEADFAST_HAS_STACK_CLASH_PROTECTION)
  add_compile_options(-fstack-clash-protection)
endif()
check_cxx_compiler_flag(-fcf-protection STEADFAST_HAS_CF_PROTECTION)
if(STEADFAST_HAS_CF_PROTECTION)
  add_compile_options(-fcf-protection)
endif()

# Needs optimisation, and does not go together with the sanitizers.
if(NOT STEADFAST_SANITIZE)
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
endif()
