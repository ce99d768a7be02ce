# SPDX-License-Identifier: Apache-2.0
# A folder in the shape of a CUDA toolkit, links but for one: what CMake's find_package(CUDAToolkit) and
# Makefiles with CUDA_HOME look for. In the build tree: toolkit; installed: lib/lockstep/toolkit.
set(toolkit_libraries libcudart.so libcudart_static.a libcuda.so libcurand.so liblockstep.so)

# to_bin, to_include, to_library: from the toolkit's folder to the command, the headers, the library.
function(lockstep_make_toolkit folder to_bin to_include to_library)
  file(MAKE_DIRECTORY ${folder}/bin ${folder}/lib64)
  file(CREATE_LINK ../${to_bin}/lockstep ${folder}/bin/nvcc SYMBOLIC)
  file(CREATE_LINK ${to_include} ${folder}/include SYMBOLIC)
  foreach(name IN LISTS toolkit_libraries)
    file(CREATE_LINK ../${to_library}/liblockstep.so ${folder}/lib64/${name} SYMBOLIC)
  endforeach()
  file(REMOVE ${folder}/lib64/libcudadevrt.a) # a link of older builds
  file(WRITE ${folder}/lib64/libcudadevrt.a "!<arch>\n") # the calls of kernels are the engine's own
endfunction()

lockstep_make_toolkit(${PROJECT_BINARY_DIR}/toolkit .. ../include ..)
set(installed ${PROJECT_BINARY_DIR}/package/toolkit)
foreach(what BINDIR INCLUDEDIR LIBDIR)
  file(RELATIVE_PATH to_${what} /${CMAKE_INSTALL_LIBDIR}/lockstep/toolkit /${CMAKE_INSTALL_${what}})
endforeach()
lockstep_make_toolkit(${installed} ${to_BINDIR} ${to_INCLUDEDIR}/lockstep ${to_LIBDIR})
install(DIRECTORY ${installed} DESTINATION ${CMAKE_INSTALL_LIBDIR}/lockstep)
