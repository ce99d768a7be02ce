#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# __grid_constant__: the parameter's address is that of parameter memory, where a GPU takes tensor maps from; without
# it, or before 7.0, that of a copy in local memory.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/k.cu" <<'K'
struct alignas(64) map { unsigned long long word[16]; };
__global__ void constant(int n, const __grid_constant__ map m, const __grid_constant__ int k, const __grid_constant__ map o)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(&m) : "memory");
    asm volatile("prefetch.global.L2 [%0];" ::"l"(&o) : "memory");
}
__global__ void copied(const map m)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(&m) : "memory");
}
K
"$LOCKSTEP" cc -arch=sm_90a -ptx -o "$work/k.ptx" "$work/k.cu"
awk '/entry/ { name = $3 } /cvta.param/ { constants[name]++ } /\.local/ { copies[name]++ }
     END { for (n in constants) print n, "constants", constants[n]; for (n in copies) print n, "copies" }' "$work/k.ptx" |
    sort >"$work/found"
grep -q '^_Z8constant.* constants 2$' "$work/found" && grep -q '^_Z6copied.* copies$' "$work/found" &&
    [ "$(wc -l <"$work/found")" = 2 ] || { cat "$work/found" "$work/k.ptx"; exit 1; }
"$LOCKSTEP" cc -arch=sm_60 -ptx -o "$work/old.ptx" "$work/k.cu"
! grep -q cvta.param "$work/old.ptx"
