# cmake -D ROOT=<source tree> -P check_layers.cmake
#
# Keeps the picture true (docs/pictures/rooms.svg): std <- workflow <- store <- actors <- runtime <- simulation <- apps;
# examples know runtime; api knows workflow only, and client those two. A folder includes itself and folders to its
# left, by a path from the root; a room of it those that are listed before it; and only some folders may know some
# libraries or the time. What is in include/ is all that users get: it knows nothing else, and the examples for users
# know nothing but it.
cmake_minimum_required(VERSION 3.25)
set(sees_workflow workflow)
set(sees_api ${sees_workflow} api)
set(sees_client ${sees_api} steadfast client)
set(sees_store ${sees_workflow} store)
set(sees_actors ${sees_store} actors)
set(sees_steadfast steadfast)
set(sees_runtime ${sees_actors} steadfast api client runtime)
set(sees_simulation ${sees_runtime} simulation)
set(sees_apps ${sees_simulation} apps)
set(sees_examples ${sees_runtime} examples)
set(sees_tests/support ${sees_runtime} tests/support)
set(sees_simulation/program ${sees_simulation} examples tests/support simulation/program)
set(sees_tests ${sees_apps} examples tests/support simulation/program tests)
set(rooms_workflow time text schedule definition calling step task children transition on_call supervision outward)
set(rooms_store contract records outline verbs verbs/tasks verbs/family postgres lmdb journal engine engine/family
  partitions upkeep joined)
set(rooms_actors
    protocol
    common
    agents
    agents/http/messages
    agents/http/connection
    agents/http
    agents/program
    agents/function
    scheduling
    supervising
    storing
    cluster
    gateway)
set(rooms_runtime text toml configuration logging tls links assembly metrics control events http/messages http
  node face)
set(rooms_simulation lying_disk world judge services run program)
set(rooms_apps
    terminal
    command_line
    views
    certificates
    commands/tasks
    commands
    top
    simulate
    bench/programs
    bench/micro
    bench/figures
    bench/load
    bench/runs
    bench
    console)
set(rooms_examples
    cpp
    checker/history
    checker/reading
    checker/rules
    checker
    services/requests
    services/business
    services/ledger
    services/front
    services
    demo/processes
    demo/load
    demo)
set(problems "")

function(refuse file what)
  list(APPEND problems "${file}: ${what}")
  set(problems "${problems}" PARENT_SCOPE)
endfunction()

# room_of(<variable> FOLDER FILE): its place among the rooms of the folder; -1 for what is outside of them
function(room_of variable folder file)
  get_filename_component(room "${file}" DIRECTORY)
  string(REGEX REPLACE "^${folder}/?" "" room "${room}")
  set(place -1)
  while(room AND place EQUAL -1)
    list(FIND rooms_${folder} "${room}" place)
    get_filename_component(room "${room}" DIRECTORY)
  endwhile()
  set(${variable} ${place} PARENT_SCOPE)
endfunction()

# Whether a file, or what it includes, knows LMDB.
function(knows_lmdb file answer)
  get_property(seen GLOBAL PROPERTY "seen_by_${answer}")
  if(file IN_LIST seen OR NOT EXISTS "${ROOT}/${file}")
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY "seen_by_${answer}" ${file})
  file(STRINGS "${ROOT}/${file}" includes REGEX "^[ \t]*#[ \t]*include[ \t]")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE ".*include[ \t]*[<\"]([^>\"]*)[>\"].*" "\\1" header "${line}")
    if(header MATCHES "^(lmdb[.]h|store/lmdb/.*)$")
      set_property(GLOBAL PROPERTY "${answer}" "${header}, by ${file}")
    elseif(header MATCHES "^store/")
      knows_lmdb(${header} ${answer})
    endif()
  endforeach()
endfunction()

file(GLOB for_every_engine RELATIVE "${ROOT}" "${ROOT}/store/contract/*" "${ROOT}/store/records/*"
     "${ROOT}/store/outline/*" "${ROOT}/store/verbs/*" "${ROOT}/store/verbs/tasks/*" "${ROOT}/store/verbs/family/*")
if(NOT for_every_engine)
  refuse(store "there is nothing in its rooms that are for every engine")
endif()
foreach(file IN LISTS for_every_engine)
  knows_lmdb(${file} "lmdb_in_${file}")
  get_property(through GLOBAL PROPERTY "lmdb_in_${file}")
  if(through)
    refuse(${file} "its room is the same for every engine, and it includes ${through}")
  endif()
endforeach()

# A room that nobody can survey any more is two.
set(sources_max 25)
file(GLOB_RECURSE sources RELATIVE "${ROOT}" "${ROOT}/*.hpp" "${ROOT}/*.cpp")
list(FILTER sources EXCLUDE REGEX "^build/")
set(rooms "")
foreach(file IN LISTS sources)
  get_filename_component(room "${file}" DIRECTORY)
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" name "${room}")
  math(EXPR in_${name} "0${in_${name}} + 1")
  if(in_${name} GREATER sources_max)
    list(APPEND rooms "${room}")
  endif()
endforeach()
list(REMOVE_DUPLICATES rooms)
foreach(room IN LISTS rooms)
  refuse(${room} "it has more than ${sources_max} sources: make two rooms of it")
endforeach()

foreach(folder include workflow api client store actors runtime simulation apps examples)
  file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/${folder}/*.hpp" "${ROOT}/${folder}/*.cpp")
  foreach(file IN LISTS files)
    room_of(room ${folder} ${file})
    if(rooms_${folder} AND room EQUAL -1 AND file MATCHES "/.*/")
      refuse(${file} "it is in a room that is not listed")
    endif()
    file(STRINGS "${ROOT}/${file}" includes REGEX "^[ \t]*#[ \t]*include[ \t]")
    foreach(line IN LISTS includes)
      string(REGEX REPLACE ".*include[ \t]*[<\"]([^>\"]*)[>\"].*" "\\1" header "${line}")
      string(REGEX REPLACE "/.*" "" first "${header}")
      if(line MATCHES "\"")
        if(folder STREQUAL "include" AND NOT first STREQUAL "steadfast")
          refuse(${file} "\"${header}\" is not installed")
        elseif(file MATCHES "^examples/cpp/" AND NOT first STREQUAL "steadfast")
          refuse(${file} "\"${header}\" is not installed")
        elseif(header STREQUAL "steadfast/actors.hpp" AND folder MATCHES "^(api|client|include)$")
          refuse(${file} "\"${header}\" includes CAF")
        elseif(folder STREQUAL "include")
          continue()
        elseif(file MATCHES "^simulation/program/" AND header MATCHES "^(tests/support|examples/checker)/")
          continue() # it is built with the tests
        elseif(NOT DEFINED sees_${first} AND NOT folder STREQUAL "examples")
          refuse(${file} "\"${header}\" is no path from the root")
        elseif(DEFINED sees_${first} AND NOT first IN_LIST sees_${folder})
          refuse(${file} "${folder} must not include ${header}")
        elseif(first STREQUAL folder)
          room_of(room_of_header ${folder} ${header})
          if(room_of_header GREATER room AND NOT room EQUAL -1)
            list(GET rooms_${folder} ${room} before)
            refuse(${file} "${folder}/${before} must not include ${header}: that room comes after it")
          endif()
        endif()
      elseif(header MATCHES "^date/" AND NOT file STREQUAL "workflow/time/zone.cpp")
        refuse(${file} "<${header}> belongs in workflow/time/zone.cpp")
      elseif(header STREQUAL "date/tz.h")
        continue() # libstdc++ of GCC 12 has no time zones
      elseif(folder STREQUAL "workflow" AND NOT header MATCHES "^[a-z_0-9]+$")
        refuse(${file} "<${header}>: workflow uses the C++ standard library only")
      elseif(folder STREQUAL "include" AND NOT header MATCHES "^([a-z_0-9]+|nlohmann/.*|caf/.*)$")
        refuse(${file} "<${header}>: users get by with CAF and nlohmann's JSON")
      elseif(folder STREQUAL "include" AND first STREQUAL "caf" AND NOT file STREQUAL "include/steadfast/actors.hpp")
        refuse(${file} "<${header}>: who has no actors of his own sees nothing of CAF")
      elseif(header STREQUAL "lmdb.h" AND NOT file MATCHES "^store/lmdb/")
        refuse(${file} "<lmdb.h> belongs in store/lmdb/*")
      elseif(header MATCHES "^(libpq|postgres_ext|postgresql/)" AND NOT file MATCHES "^store/postgres/")
        refuse(${file} "<${header}> belongs in store/postgres/*")
      elseif(header MATCHES "^boost/(asio|beast|system)" AND folder MATCHES "^(runtime|client|apps)$")
        continue() # sockets
      elseif(header MATCHES "^boost/(asio|beast|system)" AND file MATCHES "^actors/agents/http/")
        continue() # likewise
      elseif(first STREQUAL "prometheus" AND NOT file MATCHES "^runtime/metrics/")
        refuse(${file} "<${header}> belongs in runtime/metrics/*")
      elseif(first STREQUAL "boost" AND NOT folder STREQUAL "store")
        refuse(${file} "<${header}> belongs in store")
      elseif(first STREQUAL "caf" AND folder MATCHES "^(store|api|client)$")
        refuse(${file} "<${header}>: ${folder} knows nothing of actors")
      endif()
    endforeach()

    file(STRINGS "${ROOT}/${file}" ends_early REGEX "for \\([^;]*; *(const )?auto[&*]* [a-z_]+ = [^;]*;[^;]*[a-z]")
    if(ends_early)
      refuse(${file} "g++ 12 ends a variable of a loop's condition before the loop's last part reads it")
    endif()

    if(folder MATCHES "^(workflow|api|store|actors)$")
      file(STRINGS "${ROOT}/${file}" reads REGEX "(_clock::now|random_device|std::time\\()")
      foreach(line IN LISTS reads)
        if(NOT line MATCHES "//.*(_clock::now|random_device|std::time)")
          refuse(${file} "time and chance come in as arguments: ${line}")
        endif()
      endforeach()
    endif()
  endforeach()
endforeach()

# What tests share may be asked of them all, so it knows less than they do.
file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/tests/support/*.hpp" "${ROOT}/tests/support/*.cpp")
foreach(file IN LISTS files)
  file(STRINGS "${ROOT}/${file}" includes REGEX "^#include \"(simulation|apps|examples|tests)/")
  list(FILTER includes EXCLUDE REGEX "\"tests/support/")
  if(includes)
    refuse(${file} "tests/support must not have ${includes}")
  endif()
endforeach()

# The picture of all that: who includes stands above what is included. DRAW=1 makes it anew, then scripts/pictures its
# SVG, whose id tells of which picture it is. An arrow that two others make needless is left out.
set(boxes "")
set(arrows "")
foreach(folder tests simulation/program apps examples tests/support simulation runtime client api actors store workflow
        steadfast)
  set(rooms ${rooms_${folder}})
  list(FILTER rooms EXCLUDE REGEX "/")
  list(REVERSE rooms)
  string(REPLACE ">steadfast<" ">include/steadfast<" label "<b>${folder}</b>")
  set(separator "<br/>")
  set(in_line 0)
  foreach(room IN LISTS rooms)
    if(NOT "${folder}/${room}" STREQUAL "simulation/program")
      string(APPEND label "${separator}${room}")
      math(EXPR in_line "(${in_line} + 1) % 6")
      set(separator " · ")
      if(in_line EQUAL 0)
        set(separator "<br/>")
      endif()
    endif()
  endforeach()
  string(APPEND boxes "  \"${folder}\" [label=<${label}>]\n")
  foreach(seen IN LISTS sees_${folder})
    set(is_needed TRUE)
    foreach(between IN LISTS sees_${folder})
      if(seen IN_LIST sees_${between} AND NOT between STREQUAL folder AND NOT between STREQUAL seen)
        set(is_needed FALSE)
      endif()
    endforeach()
    if(is_needed AND NOT seen STREQUAL folder)
      string(APPEND arrows "  \"${folder}\" -> \"${seen}\"\n")
    endif()
  endforeach()
endforeach()
string(MD5 id "${boxes}${arrows}")
set(picture "// Made by cmake/check_layers.cmake: which folder and room may include which.
digraph rooms {
  graph [id=\"${id}\", bgcolor=white, pad=0.2, nodesep=0.3, ranksep=0.35]
  node [shape=box, style=\"rounded,filled\", fillcolor=\"#eef3fb\", color=\"#4a6fa5\"]
  node [fontname=\"Helvetica\", fontsize=12]
  edge [color=\"#555555\", arrowsize=0.8]
${boxes}${arrows}}
")
set(drawn "${ROOT}/docs/pictures/rooms")
if(DRAW)
  file(WRITE "${drawn}.dot" "${picture}")
  return()
endif()
file(READ "${drawn}.dot" there)
if(NOT there STREQUAL picture)
  refuse(docs/pictures/rooms.dot "it is not the order of folders and rooms: scripts/pictures makes it anew")
endif()
file(STRINGS "${drawn}.svg" of_this REGEX "id=\"${id}\"")
if(NOT of_this)
  refuse(docs/pictures/rooms.svg "it is not made from rooms.dot: scripts/pictures makes it anew")
endif()

if(problems)
  list(JOIN problems "\n  " text)
  message(FATAL_ERROR "layers:\n  ${text}")
endif()
