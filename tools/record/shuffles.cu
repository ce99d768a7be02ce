// SPDX-License-Identifier: Apache-2.0
//
// What __shfl_*_sync() gives where it asks a lane that does not execute it: one that has exited, one that is elsewhere.
// The manual leaves it open (PTX ISA 9.7.9.6). A row for each case: lanes that take part, case, the error, and what all
// 32 lanes have then; lanes that take no part have 1000 and their number.
//
//     nvcc -arch=sm_90 tools/record/shuffles.cu -o shuffles && ./shuffles
//
// tests/data/h200_shuffles.csv is that, under a line of names (NVIDIA H200, driver 580.159.04, nvcc 13.0, 2026-11-23;
// the same in three runs and with -O0 -G). tests/exec/shuffles_test.py compares.
#include <cstdio>

__global__ void shuffle(unsigned *o, int which, int n)
{
    unsigned i = threadIdx.x, v = 100 + i, r = 1000 + i, low = ~0u >> (32 - n);
    o[i] = r;
    if (which == 0) { // they have exited
        if (i >= n)
            return;
        r = __shfl_down_sync(~0u, v, 4);
    }
    if (which == 1 && i < n) // they go to the end
        r = __shfl_down_sync(low, v, 4);
    if (which == 2) { // they do something else
        if (i < n)
            r = __shfl_xor_sync(low, v, 16);
        else
            __nanosleep(2000);
    }
    if (which == 3) { // every other one
        if (i & 1)
            r = __shfl_up_sync(0xaaaaaaaau, v, 1);
        else
            r = v * 2;
    }
    if (which == 4) {
        if (i >= n)
            return;
        r = __shfl_sync(~0u, v, 31 - i);
    }
    if (which == 5) {
        if (i < n)
            r = __shfl_sync(low, v, 31);
        __syncwarp();
    }
    if (which == 6) { // they wait for each other
        unsigned m = __ballot_sync(~0u, i < n);
        if (i < n) {
            r = __shfl_down_sync(m, v, 8);
        } else {
            v = v * 3 + o[i];
            o[i] = v;
            __syncwarp(~m);
        }
    }
    if (which == 7) {
        if (i >= n)
            return;
        float f = 1.5f + i;
        r = __float_as_uint(__shfl_down_sync(~0u, f, 4));
    }
    if (which == 8) { // a sum over a warp that is not whole
        if (i >= n)
            return;
        r = v;
        for (int d = 16; d; d /= 2)
            r += __shfl_down_sync(~0u, r, d);
    }
    if (which == 9) {
        if (i >= n)
            return;
        r = v;
        for (int d = 16; d; d /= 2)
            r = max(r, __shfl_xor_sync(~0u, r, d));
    }
    o[i] = r;
}

int main()
{
    static const int lanes[] = {20, 9, 31};
    unsigned *d, h[32];
    cudaMalloc(&d, sizeof h);
    for (int k = 0; k < 3; k++)
        for (int which = 0; which < 10; which++) {
            cudaMemset(d, 0, sizeof h);
            shuffle<<<1, 32>>>(d, which, lanes[k]);
            cudaError_t e = cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
            printf("%d,%d,%s", lanes[k], which, cudaGetErrorName(e));
            for (int l = 0; l < 32; l++)
                printf(",%u", h[l]);
            printf("\n");
        }
    cudaFree(d);
}
