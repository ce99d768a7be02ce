// SPDX-License-Identifier: Apache-2.0
// What tests/debug/record_test.py records of launches of several blocks, or of very many: BLOCKS
// [BAD]. Block BAD stores to a null pointer, block -BAD never ends. The last line of a block stores
// to shared memory.
#include <cstdlib>

__global__ void work(double *out, int bad)
{
    __shared__ int left[1];
    double sum = 0.1;
    for (int k = 0; k < 40; k++)
        sum += k;
    if ((int)blockIdx.x == bad)
        out = nullptr;
    for (volatile int turns = 0; bad < 0 && (int)blockIdx.x == -bad;)
        turns = 1;
    out[threadIdx.x] = sum; // stored
    asm volatile("st.shared.u32 [%0], %1; exit;" // left
                 ::"r"((unsigned)__cvta_generic_to_shared(left)), "r"(blockIdx.x));
}

__global__ void wide(unsigned long long *out, unsigned long long x)
{
    unsigned long long low, high;
    asm("{ .reg .b128 t; mov.b128 t, {%2, %3}; mov.b128 {%0, %1}, t; }"
        : "=l"(low), "=l"(high)
        : "l"(x), "l"(x + 1));
    out[threadIdx.x] = low + high;
}

int main(int argc, char **argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : 0;
    double *out;
    cudaMalloc(&out, 32 * sizeof *out);
    if (blocks)
        work<<<blocks, 32>>>(out, argc > 2 ? atoi(argv[2]) : 0x7fffffff);
    else
        wide<<<1, 32>>>((unsigned long long *)out, 0x123456789abcdef0);
    return cudaDeviceSynchronize() != cudaSuccess;
}
