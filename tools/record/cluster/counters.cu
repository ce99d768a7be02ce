// SPDX-License-Identifier: Apache-2.0
//
// Accesses to shared memory of the block itself and of a peer, in known numbers, for a profiler: 8 clusters of 4 blocks of
// 64 threads; each kernel does one thing 16 times.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
enum { TIMES = 16, THREADS = 64, BLOCKS = 32 };
template <int WHAT> __global__ void __cluster_dims__(4, 1, 1) k(unsigned *out, int stride)
{
    __shared__ unsigned s[THREADS * 32];
    auto c = cg::this_cluster();
    for (int i = threadIdx.x; i < THREADS * 32; i += THREADS)
        s[i] = i;
    c.sync();
    unsigned peer = WHAT & 1 ? (c.block_rank() + 1) % 4 : c.block_rank();
    unsigned at = (unsigned)__cvta_generic_to_shared(s), there, sum = 0;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(peer));
    there += threadIdx.x * stride * 4;
#pragma unroll 1
    for (int i = 0; i < TIMES; i++) {
        unsigned v = i;
        if (WHAT / 2 == 0)
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(there));
        if (WHAT / 2 == 1)
            asm volatile("st.shared::cluster.u32 [%1], %0;" ::"r"(v), "r"(there));
        if (WHAT / 2 == 2)
            asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(there));
        if (WHAT / 2 == 3)
            asm volatile("red.shared::cluster.add.u32 [%1], %0;" ::"r"(v), "r"(there));
        sum += v;
    }
    c.sync();
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}
int main()
{
    unsigned *d;
    cudaMalloc(&d, BLOCKS * THREADS * 4);
    for (int stride : {1, 2, 32}) {
        k<0><<<BLOCKS, THREADS>>>(d, stride); k<1><<<BLOCKS, THREADS>>>(d, stride);
        k<2><<<BLOCKS, THREADS>>>(d, stride); k<3><<<BLOCKS, THREADS>>>(d, stride);
        k<4><<<BLOCKS, THREADS>>>(d, stride); k<5><<<BLOCKS, THREADS>>>(d, stride);
        k<6><<<BLOCKS, THREADS>>>(d, stride); k<7><<<BLOCKS, THREADS>>>(d, stride);
    }
    printf("%d\n", (int)cudaDeviceSynchronize());
}
