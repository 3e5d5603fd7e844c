# cmake -D ROOT=<sources> -D FILE=<source to write> -P write_commit.cmake
#
# Writes the commit that the sources are of into a source file, which is left alone when it says so already. Sources
# without git's folder, as in a tarball, are of an unknown one, also where they lie within the repository of something
# else.
cmake_path(GET ROOT PARENT_PATH above)
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env "GIT_CEILING_DIRECTORIES=${above}" git --no-optional-locks -C "${ROOT}" describe
    --always
          --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT "${FILE}" @ONLY CONTENT [[
#include "apps/command_line/version.hpp"

const char* const steadfast::apps::commit = "@commit@";
]])
