/* SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

/* A second .cu file of the program: the device it runs on. */
void
report()
{
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, 0) == cudaSuccess)
        printf("%s, compute capability %d.%d\n", p.name, p.major, p.minor);
}
