#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tcgen05.alloc gives its warp an address that lanes may read at once: nothing to report; other warps need a
# barrier: without one the check says so. A commit is an arrival at each block's mbarrier that it names.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/k.cu" <<'CU'
#include <cuda_runtime.h>
__global__ void k(unsigned *o)
{
    __shared__ unsigned s;
    unsigned a = (unsigned)__cvta_generic_to_shared(&s), v = threadIdx.x * 3, r;
    if (threadIdx.x < 32)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(a) : "memory");
#ifndef WRONG
    __syncthreads();
#endif
    unsigned t = s + (threadIdx.x / 32 << 21);
    asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};\n tcgen05.wait::st.sync.aligned;" ::"r"(t), "r"(v));
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];\n tcgen05.wait::ld.sync.aligned;" : "=r"(r) : "r"(t));
    o[threadIdx.x] = r;
    __syncthreads();
    if (threadIdx.x < 32)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(t));
}
int main()
{
    unsigned *o, h[THREADS];
    cudaMalloc(&o, sizeof h);
    k<<<1, THREADS>>>(o);
    cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(o);
    return h[THREADS - 1] != 3 * (THREADS - 1);
}
CU
cat >"$work/commit.cu" <<'CU'
#include <cuda_runtime.h>
__global__ void __cluster_dims__(2, 1, 1) k(unsigned *o)
{
    __shared__ unsigned long long bar;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar), done = 0;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\n barrier.cluster.arrive;\n barrier.cluster.wait;" ::"r"(b) : "memory");
    if (blockIdx.x == 0)
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;"
                     ::"r"(b), "h"((short)3) : "memory");
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(b) : "memory");
    o[blockIdx.x] = 7;
    asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}
int main()
{
    unsigned *o, h[2];
    cudaMalloc(&o, sizeof h);
    k<<<2, 1>>>(o);
    cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(o);
    return h[1] != 7;
}
CU
export LOCKSTEP_CC=10.0
fail=0
check() { "$LOCKSTEP" check "${@:2}" "$work/$1.cu" >"$work/out" 2>&1; }
sed 's/THREADS/32/; s/#ifndef WRONG/#if 0/' "$work/k.cu" | sed 's/THREADS/32/g' >"$work/one.cu"
sed 's/THREADS/64/g' "$work/k.cu" >"$work/two.cu"
sed 's/THREADS/64/g; s/#ifndef WRONG/#if 0/' "$work/k.cu" >"$work/wrong.cu"
check one || { echo "FAIL: a warp that reads its own address"; cat "$work/out"; fail=1; }
check two || { echo "FAIL: a barrier between"; cat "$work/out"; fail=1; }
check commit || { echo "FAIL: a commit to the mbarriers of two blocks"; cat "$work/out"; fail=1; }
check wrong && { echo "FAIL: no barrier between"; fail=1; }
grep -q 'Race in shared memory\|Uninitialized read' "$work/out" || { echo "FAIL: what it says"; cat "$work/out"; fail=1; }
exit $fail
