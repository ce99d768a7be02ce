/* SPDX-License-Identifier: Apache-2.0
 * errors.cu: kernels that end with an error; the argument says which. Prints the error's name. */
#include <cassert>
#include <cstdio>
#include <cstdlib>

__global__ void
past_the_end(int *a)
{
    a[threadIdx.x * 100000] = 1;
}

__global__ void
asserts(unsigned n)
{
    assert(threadIdx.x < n);
}

__global__ void
traps()
{
    if (threadIdx.x == 37)
        __trap();
}

int
main(int argc, char **argv)
{
    int *d, which = argc > 1 ? atoi(argv[1]) : 0;
    cudaMalloc(&d, 4096);
    if (which == 0)
        past_the_end<<<2, 64>>>(d);
    else if (which == 1)
        asserts<<<2, 64>>>(5);
    else
        traps<<<2, 64>>>();
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%s\n", cudaGetErrorName(cudaFree(d))); /* it stays */
    return 0;
}
