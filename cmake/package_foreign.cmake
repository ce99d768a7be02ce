# SPDX-License-Identifier: Apache-2.0
# Read by cpack where the package is for another architecture: its libraries are looked up among the packages
# that tools/sysroot.sh has unpacked, not among the system's.
set(ENV{DEB_HOST_ARCH} ${CPACK_DEBIAN_PACKAGE_ARCHITECTURE})
set(ENV{FOREIGN_ROOT} ${CPACK_LOCKSTEP_SYSROOT})
set(ENV{PATH} "${CMAKE_CURRENT_LIST_DIR}/../tools/foreign:$ENV{PATH}")
