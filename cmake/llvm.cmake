# SPDX-License-Identifier: Apache-2.0
# LLVM is opened when a kernel must be compiled, not when a program starts (docs/decisions/0014):
# target llvm_entries, to be linked where LLVM's library is not. Elsewhere than on x86-64 LLVM is linked.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  find_program(READELF NAMES readelf llvm-readelf REQUIRED)
  string(REGEX MATCH "^[0-9]+" llvm_major ${LLVM_VERSION})
  find_library(LLVM_SHARED NAMES LLVM-${llvm_major} LLVM HINTS ${LLVM_LIBDIR} REQUIRED)
  execute_process(COMMAND ${READELF} -d ${LLVM_SHARED} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "SONAME[^[]*.([^]]+)]")
    message(FATAL_ERROR "${LLVM_SHARED} has no soname")
  endif()
  set(llvm_soname ${CMAKE_MATCH_1})
  set(llvm_entries_source ${PROJECT_BINARY_DIR}/llvm_entries.c)
  add_custom_command(OUTPUT ${llvm_entries_source}
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} "-DLIBRARY=${llvm_soname}\\0${LLVM_LIBDIR}/${llvm_soname}\\0" -DOUTPUT=${llvm_entries_source}
            -P ${PROJECT_SOURCE_DIR}/cmake/llvm_entries.cmake -- $<TARGET_OBJECTS:layer_jit>
    DEPENDS $<TARGET_OBJECTS:layer_jit> ${PROJECT_SOURCE_DIR}/cmake/llvm_entries.cmake
    COMMENT "Collecting the functions of LLVM" COMMAND_EXPAND_LISTS VERBATIM)
  add_library(llvm_entries OBJECT ${llvm_entries_source})
  set(llvm_opened $<TARGET_OBJECTS:llvm_entries>)
  set(llvm_linked "")
else()
  set(llvm_opened "")
  set(llvm_linked ${LLVM_LIBS})
endif()
