// SPDX-License-Identifier: Apache-2.0
// Programs for --explore: MISTAKE picks one; 0 has none.
#include <cstdio>

__global__ void last(int *out, int *lock)
{
#if MISTAKE == 1 // whose store is the last?
    if (threadIdx.x % 32 == 0)
        *out = threadIdx.x;
#elif MISTAKE == 2 // two locks, in two orders
    int mine = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock + mine, 0, 1))
            ;
        while (atomicCAS(lock + 1 - mine, 0, 1))
            ;
        __threadfence();
        *(volatile int *)out += 1;
        __threadfence();
        atomicExch(lock + 1 - mine, 0);
        atomicExch(lock + mine, 0);
    }
#else
    atomicAdd(out, threadIdx.x);
#endif
}

int main()
{
    int *d, h;
    cudaMalloc(&d, 64);
    cudaMemset(d, 0, 64);
    last<<<1, 64>>>(d, d + 4);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", MISTAKE == 1 ? 0 : h);
    cudaFree(d);
    return 0;
}
