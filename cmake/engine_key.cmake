# SPDX-License-Identifier: Apache-2.0
# The disk cache's key holds a hash of the sources that decide which code a kernel becomes: an edit of one
# of them makes every compiled kernel on disk a stranger, a build without edits none. Included by CMake it
# defines engine_key_source, which the build writes anew when one of these files changed, came or went;
# run as a script (cmake -DSOURCES=.../src -DOUTPUT=... -P) it writes that file.
set(engine_key_folders ptx wir analysis jit)

function(engine_key_files root out)
  set(files)
  foreach(folder IN LISTS engine_key_folders)
    list(APPEND patterns ${root}/${folder}/*.c ${root}/${folder}/*.h ${root}/${folder}/*.def)
  endforeach()
  if(CMAKE_SCRIPT_MODE_FILE)
    file(GLOB_RECURSE files RELATIVE ${root} ${patterns})
  else()
    file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${root} ${patterns})
  endif()
  list(SORT files)
  set(${out} ${files} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  engine_key_files(${SOURCES} files)
  if(NOT files)
    message(FATAL_ERROR "no sources of the engine in ${SOURCES}")
  endif()
  set(all "")
  foreach(name IN LISTS files)
    file(SHA256 ${SOURCES}/${name} hash)
    string(APPEND all "${name} ${hash}\n")
  endforeach()
  string(SHA256 key "${all}")
  string(SUBSTRING ${key} 0 32 key)
  file(WRITE ${OUTPUT} "/* Written by cmake/engine_key.cmake. */\n"
       "extern const char jit_sources_key[];\nconst char jit_sources_key[] = \"${key}\";\n")
  return()
endif()

engine_key_files(${PROJECT_SOURCE_DIR}/src engine_key_inputs)
# In the command line, so that a file that went is noticed: Ninja compares commands, not lists of inputs.
string(MD5 engine_key_names "${engine_key_inputs}")
list(TRANSFORM engine_key_inputs PREPEND ${PROJECT_SOURCE_DIR}/src/)
set(engine_key_source ${PROJECT_BINARY_DIR}/engine_key.c)
add_custom_command(OUTPUT ${engine_key_source}
  COMMAND ${CMAKE_COMMAND} -DSOURCES=${PROJECT_SOURCE_DIR}/src -DOUTPUT=${engine_key_source}
          -DNAMES=${engine_key_names} -P ${CMAKE_CURRENT_LIST_DIR}/engine_key.cmake
  DEPENDS ${engine_key_inputs} ${CMAKE_CURRENT_LIST_DIR}/engine_key.cmake
  COMMENT "Hashing the sources of the engine" VERBATIM)
