#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# By hand, as root, with a network: a clean Debian in a folder, the package installed there by apt with
# what it depends on, and `lockstep` used from anywhere by an ordinary user.
#
#   make package && sudo tests/packaging/clean_debian.sh build/lockstep_*.deb [SUITE] [ROOT]
#
# SUITE: bookworm. ROOT: where an earlier run left its base; else a new one, removed at the end.
set -eu
package=$(readlink -f "$1") suite=${2:-bookworm} root=${3:-}
mirror=${MIRROR:-http://deb.debian.org/debian}
made=
trap 'umount "$root/proc" 2>/dev/null; [ -z "$made" ] || rm -rf --one-file-system "$root"' EXIT
if [ -z "$root" ]; then
    root=$(mktemp -d) made=1
    chmod 755 "$root" # an ordinary user enters it
    debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" || { tail "$root.log"; exit 1; }
fi
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
cp "$package" "$root/lockstep.deb"
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ LC_ALL=C chroot "$root" "$@"; }
user() { inside su -s /bin/bash user -c "$1"; }
echo "packages before: $(inside dpkg-query -f . -W | wc -c); clang there: $(inside sh -c 'command -v clang clang-19 || echo no')"
inside apt-get update -qq
inside apt-get install -qq -y --no-install-recommends /lockstep.deb >"$root/install.log" 2>&1 || { tail "$root/install.log"; exit 1; }
echo "installed with: $(inside dpkg-query -f '${Depends}' -W lockstep)"
inside sh -c 'id user >/dev/null 2>&1 || useradd -m user'
cat >"$root/home/user/hello.cu" <<'CU'
#include <cstdio>
__global__ void hello(int *p) { p[threadIdx.x] = threadIdx.x * threadIdx.x; }
int main()
{
    int *p, v[32];
    cudaMalloc(&p, sizeof v);
    hello<<<1, 32>>>(p);
    cudaMemcpy(v, p, sizeof v, cudaMemcpyDeviceToHost);
    printf("%d\n", v[31]);
    cudaFree(p);
}
CU
expect() { # what, command, text
    out=$(user "$2" 2>&1) || { echo "FAIL $1: $out"; exit 1; }
    case $out in *"$3"*) echo "ok   $1" ;; *) echo "FAIL $1: $out"; exit 1 ;; esac
}
expect "run, from the root folder" "cd / && lockstep run ~/hello.cu" 961
expect "run, from a folder that may not be written" "cd /usr && lockstep run ~/hello.cu" 961
expect "a program that runs by itself" "cd /tmp && lockstep-nvcc ~/hello.cu -o hello && ./hello" 961
expect "check" "cd /var && lockstep check ~/hello.cu" "0 errors"
expect "profile" "cd / && lockstep profile -q --html /tmp/r.html ~/hello.cu && grep -c '<svg' /tmp/r.html" ""
expect "the suite" "cd / && lockstep suite run transpose/padded --sizes 100" "0 not as they should be"
expect "help" "cd / && lockstep help banks" "bank conflicts"
echo "PASS: $(inside sh -c '. /etc/os-release; echo $PRETTY_NAME')"
