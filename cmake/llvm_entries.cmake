# SPDX-License-Identifier: Apache-2.0
# Run at build time: cmake -DNM=... -DLIBRARY=... -DOUTPUT=... -P llvm_entries.cmake -- OBJECT...
# Writes a C file with one entry for each of LLVM's functions that the objects call: a jump through a
# slot that jit_llvm_open (src/jit/engine/llvm.c) fills. So programs whose kernels lie in the cache start
# without LLVM (docs/decisions/0014).
set(at 0)
set(objects "")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(k RANGE ${last})
  if(at)
    list(APPEND objects ${CMAKE_ARGV${k}})
  elseif("${CMAKE_ARGV${k}}" STREQUAL "--")
    set(at 1)
  endif()
endforeach()
execute_process(COMMAND ${NM} -u ${objects} OUTPUT_VARIABLE undefined COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " U LLVM[A-Za-z0-9_]+" names "${undefined}")
list(TRANSFORM names REPLACE " U " "")
list(REMOVE_DUPLICATES names)
list(SORT names)
list(LENGTH names count)
if(count EQUAL 0)
  message(FATAL_ERROR "${NM} found none of LLVM's functions in ${objects}")
endif()

set(text "/* SPDX-License-Identifier: Apache-2.0\n * Written by cmake/llvm_entries.cmake. */\n")
string(APPEND text "__attribute__((visibility(\"hidden\"))) extern void *jit_llvm_slots[${count}];\n"
                   "void *jit_llvm_slots[${count}];\n"
                   "extern const char jit_llvm_library[], jit_llvm_names[];\n"
                   "const char jit_llvm_library[] = \"${LIBRARY}\";\n"
                   "const char jit_llvm_names[] =\n")
set(entries "")
set(k 0)
foreach(name IN LISTS names)
  math(EXPR offset "8 * ${k}")
  math(EXPR k "${k} + 1")
  string(APPEND text "    \"${name}\\0\"\n")
  string(APPEND entries "        \".globl ${name}\\n.hidden ${name}\\n.type ${name}, @function\\n\"\n"
                        "        \"${name}: jmp *jit_llvm_slots+${offset}(%rip)\\n\"\n")
endforeach()
string(APPEND text "    \"\";\n__asm__(\".text\\n\"\n${entries}        );\n")
file(WRITE ${OUTPUT} "${text}")
