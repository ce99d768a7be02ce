# SPDX-License-Identifier: Apache-2.0
# The mathematical functions for real GPUs, compiled to PTX and put into the library. A clang that
# knows the nvptx64 target is needed; without one, programs that call them do not run on a real GPU.
find_program(CLANG_FOR_PTX NAMES clang-21 clang-20 clang-19 clang-18 clang-17 clang-16 clang)
set(mathematics_source ${PROJECT_SOURCE_DIR}/src/device/ptx/mathematics.c)
file(GLOB mathematics_parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/device/ptx/*.h)
set(mathematics_ptx ${PROJECT_BINARY_DIR}/mathematics.ptx)
if(CLANG_FOR_PTX)
  # PTX 6.0 and sm_50: for every driver and GPU that the back end takes.
  add_custom_command(OUTPUT ${mathematics_ptx} DEPENDS ${mathematics_source} ${mathematics_parts}
    COMMAND ${CLANG_FOR_PTX} --target=nvptx64-nvidia-cuda -march=sm_50 -Xclang -target-feature -Xclang +ptx60
            -x c -std=gnu17 -ffreestanding -nostdinc -O2 -ffp-contract=off -fno-math-errno
            -S ${mathematics_source} -o ${mathematics_ptx}
    COMMENT "Compiling the mathematical functions to PTX" VERBATIM)
else()
  message(WARNING "no clang: programs that call mathematical functions will not run on a real GPU")
  file(WRITE ${mathematics_ptx} "")
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/device/gpu_mathematics.c PROPERTIES
  OBJECT_DEPENDS ${mathematics_ptx}
  COMPILE_DEFINITIONS LOCKSTEP_MATHEMATICS="${mathematics_ptx}")
