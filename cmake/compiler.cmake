# SPDX-License-Identifier: Apache-2.0
# Which C compiler builds lockstep when nobody says (CC, -DCMAKE_C_COMPILER): the newest clang from
# 16 on, else the system's own compiler. Included before project(). A sanitizer build needs the
# compiler's sanitizer runtime, which Debian packages apart: a compiler without it is passed over.
if(DEFINED CMAKE_C_COMPILER OR DEFINED ENV{CC})
  return()
endif()

set(probe_flags "")
if(LOCKSTEP_SANITIZE)
  string(REPLACE ";" "," probe_flags "-fsanitize=${LOCKSTEP_SANITIZE}")
endif()
set(probe_dir ${CMAKE_BINARY_DIR}/compiler-probe)
file(WRITE ${probe_dir}/probe.c "int main(void) { return 0; }\n")

foreach(version 21 20 19 18 17 16 "")
  if(version)
    set(c_name clang-${version})
    set(cxx_name clang++-${version})
  else()
    set(c_name cc)
    set(cxx_name c++)
  endif()
  find_program(probe_c ${c_name} NO_CACHE)
  find_program(probe_cxx ${cxx_name} NO_CACHE)
  if(probe_c AND probe_cxx)
    execute_process(COMMAND ${probe_c} ${probe_flags} probe.c -o probe
                    WORKING_DIRECTORY ${probe_dir} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(CMAKE_C_COMPILER ${probe_c} CACHE FILEPATH "C compiler")
      set(CMAKE_CXX_COMPILER ${probe_cxx} CACHE FILEPATH "C++ compiler (headers' tests)")
      return()
    endif()
  endif()
  unset(probe_c)
  unset(probe_cxx)
endforeach()
message(FATAL_ERROR "no C compiler that links ${probe_flags}: run tools/install-packages.sh")
