# SPDX-License-Identifier: Apache-2.0
# What others build with and install: the CMake package (in the build tree and installed) and the
# Debian package (`make package`, or cpack in the build tree).
include(CMakePackageConfigHelpers)

set(lockstep_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)
set(version_file ${PROJECT_BINARY_DIR}/lib/cmake/lockstep/lockstep-config-version.cmake)
write_basic_package_version_file(${version_file} VERSION ${PROJECT_VERSION}
                                 COMPATIBILITY SameMinorVersion)
# The build tree: build/lib/cmake/lockstep, with everything in build.
set(lockstep_up ../../..)
set(lockstep_bin "")
set(lockstep_lib "")
set(lockstep_include include)
configure_file(${PROJECT_SOURCE_DIR}/cmake/lockstep-config.cmake.in
               ${PROJECT_BINARY_DIR}/lib/cmake/lockstep/lockstep-config.cmake @ONLY)
# Installed: as many folders up as the package's folder is deep.
string(REGEX REPLACE "[^/]+" ".." lockstep_up ${lockstep_package_folder})
set(lockstep_bin ${CMAKE_INSTALL_BINDIR}/)
set(lockstep_lib ${CMAKE_INSTALL_LIBDIR}/)
set(lockstep_include ${CMAKE_INSTALL_INCLUDEDIR}/lockstep)
configure_file(${PROJECT_SOURCE_DIR}/cmake/lockstep-config.cmake.in
               ${PROJECT_BINARY_DIR}/package/lockstep-config.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/lockstep-config.cmake ${version_file}
        DESTINATION ${lockstep_package_folder})
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ci/ DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep/ci USE_SOURCE_PERMISSIONS)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lockstep)
set(CPACK_PACKAGE_CONTACT "lockstep maintainers <maintainers@lockstep.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "virtual GPU: runs, checks and profiles CUDA programs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(DPKG_SHLIBDEPS) # of dpkg-dev; else the package says less of what it needs
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
if(CMAKE_CROSSCOMPILING) # the other machine's packages lie in its sysroot, with a database of dpkg
  string(REGEX REPLACE "^aarch64$" "arm64" CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
  set(CPACK_LOCKSTEP_SYSROOT ${CMAKE_SYSROOT})
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
  set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_foreign.cmake)
endif()
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # other packages may link to it: also runs ldconfig
set(CPACK_STRIP_FILES ON)
# What compiles programs: clang brings its linker and the headers of C and C++. Where LLVM is opened by its
# name, dpkg-shlibdeps does not see it.
string(REGEX MATCH "^[0-9]+" llvm_major ${LLVM_VERSION})
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-${llvm_major}, libstdc++-dev | libstdc++-12-dev | libstdc++-13-dev | libstdc++-14-dev")
if(llvm_opened)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libllvm${llvm_major}")
endif()
# Lines of host code in reports, variables of kernels under the debugger, and its command line.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libdw1 | libdw1t64, libedit2")
include(CPack)
