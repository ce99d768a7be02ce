#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Unpacks the libraries that lockstep and its tests are linked to, for another architecture, from the
# distribution's packages into a folder of its own: a compiler's --sysroot and an emulator's root. The
# system's packages stay as they are, and nobody has to be root. Where the folder is complete, nothing
# is done. Of Debian: Ubuntu's packages for other architectures come from elsewhere than its own.
#
#   tools/sysroot.sh arm64 FOLDER
set -eu

if [ $# -ne 2 ]; then
    echo "usage: tools/sysroot.sh ARCHITECTURE FOLDER" >&2
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
[ -e "$root/.complete" ] && [ "$(cat "$root/.complete")" = "$architecture ${packages[*]}" ] && exit 0

# -- packages: apt looks at an empty system of that architecture, and only downloads -----------------

mkdir -p "$work/lists/partial" "$work/archives/partial"
: >"$work/status"
apt() {
    apt-get -qq -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" \
        -o "Dir::State::status=$work/status" -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work" \
        -o "Dir::Cache::archives=$work/archives" -o "Dir::State::extended_states=$work/extended" \
        -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 "$@"
}
apt update
apt install --download-only --no-install-recommends -y "${packages[@]}" >/dev/null
(cd "$work" && apt download "llvm-$llvm-dev" >/dev/null)

# -- one tree: as the distribution merges /lib into /usr/lib -----------------------------------------

mkdir -p "$root/usr/lib" "$root/usr/lib64" "$root/usr/bin" "$root/usr/sbin"
for folder in lib lib64 bin sbin; do
    ln -sfn "usr/$folder" "$root/$folder"
done
for package in "$work"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink --exclude=./usr/share
done
# Links that begin at the root would lead into the system that builds.
find "$root" -type l -lname '/*' | while read -r link; do
    ln -sfnr "$root$(readlink "$link")" "$link"
done
# Of LLVM's package for building only the headers and the library's name: the rest is tools that run there.
dpkg-deb --fsys-tarfile "$work"/llvm-"$llvm"-dev_*.deb |
    tar -x -C "$root" --wildcards "./usr/include/llvm*-$llvm/llvm-c/*" "./usr/include/llvm-$llvm/llvm/Config/*" \
        "./usr/lib/llvm-$llvm/include/*"
triplet=$(basename "$(dirname "$(find "$root/usr/lib" -name 'libLLVM.so.*' -type f)")")
mkdir -p "$root/usr/lib/llvm-$llvm/lib"
ln -sfn "../../$triplet/$(cd "$root/usr/lib/$triplet" && echo libLLVM.so.*)" "$root/usr/lib/llvm-$llvm/lib/libLLVM-$llvm.so"
rm -rf "$work"
echo "$architecture ${packages[*]}" >"$root/.complete"
