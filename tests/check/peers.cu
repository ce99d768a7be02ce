/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of another device, under check: reached after cudaDeviceEnablePeerAccess and not before;
 * managed memory is reached from every device.
 */
#include <stdio.h>

__global__ void
bad_peer(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}
__global__ void
good_peer(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}
__global__ void
bad_past_peer(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x + 1] + 1;
}

int
main(void)
{
    int *first, *second, *managed;
    cudaMalloc(&first, 128);
    cudaMemset(first, 0, 128);
    cudaMallocManaged(&managed, 128);
    cudaSetDevice(1);
    cudaMalloc(&second, 128);
    bad_peer<<<1, 32>>>(first, second);
    cudaDeviceEnablePeerAccess(0, 0);
    good_peer<<<1, 32>>>(first, second);
    good_peer<<<1, 32>>>(first, managed);
    bad_past_peer<<<1, 32>>>(first, second);
    cudaDeviceSynchronize();
    cudaFree(first);
    cudaFree(second);
    cudaFree(managed);
    return 0;
}
