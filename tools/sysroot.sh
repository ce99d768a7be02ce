#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Unpacks the libraries that lockstep and its tests are linked to, for another architecture, from the
# distribution's packages into a folder of its own: a compiler's --sysroot and an emulator's root. The
# system's packages stay as they are, and nobody has to be root. What the folder has already is left as
# it is. Of Debian: Ubuntu's packages for other architectures come from elsewhere than its own.
#
#   tools/sysroot.sh arm64 FOLDER [--compiler]      with it: clang and ld, for a wheel
set -eu

if [ $# -lt 2 ] || [ $# -gt 3 ] || [ "${3:---compiler}" != --compiler ]; then
    echo "usage: tools/sysroot.sh ARCHITECTURE FOLDER [--compiler]" >&2
    exit 2
fi
for program in apt-get dpkg-deb qemu-aarch64 ld.lld; do
    command -v $program >/dev/null && continue
    echo "sysroot: $program is missing: on Debian and Ubuntu, apt-get install qemu-user lld" >&2
    exit 1
done
architecture=$1
mkdir -p "$2"
root=$(cd "$2" && pwd)
work=$root/.apt
for llvm in 21 20 19 18 17 16; do # the one that CMakeLists.txt takes
    command -v "llvm-config-$llvm" >/dev/null && break
done
gcc=$(apt-cache depends g++ | sed -n 's/.*Depends: g++-\([0-9]*\)$/\1/p' | head -1)
packages=(libc6-dev "libgcc-$gcc-dev" "libstdc++-$gcc-dev" "libllvm$llvm" libjansson-dev libsleef-dev libdw-dev
    libcmocka-dev)
[ $# -lt 3 ] || packages+=("clang-$llvm" binutils)
link=$root/usr/lib/llvm-$llvm/lib/libLLVM-$llvm.so # the last that is made
missing=0
for package in "${packages[@]}"; do
    [ -e "$root/var/lib/dpkg/info/$package.list" ] || missing=1
done
[ $missing = 1 ] || [ ! -e "$link" ] || exit 0

# -- packages: apt looks at a system of what the folder has, and only downloads -----------------------

mkdir -p "$work/lists/partial" "$work/archives/partial" "$root/var/lib/dpkg"
touch "$root/var/lib/dpkg/status"
apt() {
    apt-get -qq -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" \
        -o "Dir::State::status=$root/var/lib/dpkg/status" -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work" \
        -o "Dir::Cache::archives=$work/archives" -o "Dir::State::extended_states=$work/extended" \
        -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 "$@"
}
apt update
apt install --download-only --no-install-recommends -y "${packages[@]}" >/dev/null
(cd "$work" && apt download "llvm-$llvm-dev" >/dev/null)

# -- one tree ----------------------------------------------------------------------------------------

"$(dirname "$0")/unpack.sh" "$root" "$work"/archives/*.deb
# Of LLVM's package for building only the headers and the library's name: the rest is tools that run there.
dpkg-deb --fsys-tarfile "$work"/llvm-"$llvm"-dev_*.deb |
    tar -x -C "$root" --wildcards "./usr/include/llvm*-$llvm/llvm-c/*" "./usr/include/llvm-$llvm/llvm/Config/*" \
        "./usr/lib/llvm-$llvm/include/*"
library=$(find "$root/usr/lib" -name 'libLLVM.so.*' -type f)
mkdir -p "$root/usr/lib/llvm-$llvm/lib"
rm -rf "$work"
ln -sfnr "$library" "$link"
