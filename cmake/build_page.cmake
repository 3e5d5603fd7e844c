# cmake -D WEB=<sources> -D FOLDER=<where to> -D NODE=<node> -D NPM=<npm> -P build_page.cmake
#
# FOLDER/page_files.cpp: the page as bytes. Packages that package-lock.json names and that are not in node_modules are
# fetched first; where that fails, as without a network, the program is built without the page. Several build folders
# share node_modules, so one at a time looks after it.
set(modules "${WEB}/node_modules")
file(LOCK "${modules}.lock" TIMEOUT 600 RESULT_VARIABLE unlocked)
if("${WEB}/package-lock.json" IS_NEWER_THAN "${modules}/.package-lock.json")
  execute_process(
    COMMAND "${NPM}" ci --ignore-scripts --no-audit --no-fund --loglevel=error
    WORKING_DIRECTORY "${WEB}" RESULT_VARIABLE failed)
  if(failed)
    message(WARNING "npm cannot fetch what the page is built of, so the program has no page. To try again, touch "
                    "web/package.json.")
    file(COPY_FILE "${CMAKE_CURRENT_LIST_DIR}/no_page_files.cpp.in" "${FOLDER}/page_files.cpp")
    return()
  endif()
  file(TOUCH "${modules}/.package-lock.json")
endif()
if(NOT unlocked)
  file(LOCK "${modules}.lock" RELEASE)
endif()
execute_process(COMMAND "${NODE}" "${WEB}/build.mjs" "${FOLDER}" RESULT_VARIABLE failed)
if(failed)
  file(REMOVE "${FOLDER}/page_files.cpp")
  message(FATAL_ERROR "the page cannot be built: see above")
endif()
