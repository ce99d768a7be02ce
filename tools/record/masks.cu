// SPDX-License-Identifier: Apache-2.0
// What a GPU does when lanes execute a warp operation whose mask does not name them: each operation in ten places.
// Prints operation,place,mask,error and the values of lanes 0, 1 and 31. One call a row, as an error ends the context:
//
//     nvcc -arch=sm_90a -o masks masks.cu
//     for w in 0 1 2 3 4 5 6 7; do for h in 0 1 2 3 4 5 6 7 8 9; do ./masks $w $h; done; done
//
// tests/data/h200_masks.csv is that, under a line of names (NVIDIA H200, driver 580.159.04, nvcc 13.0, 2026-11-22).
#include <cstdio>
#include <cstdlib>
template <int W> __device__ int op(unsigned mask, int v)
{
    int p;
    if (W == 0) return __ballot_sync(mask, v & 1);
    if (W == 1) return __any_sync(mask, v & 1);
    if (W == 2) return __shfl_sync(mask, v, 3);
    if (W == 3) return __shfl_xor_sync(mask, v, 1);
    if (W == 4) return __match_any_sync(mask, v / 4);
    if (W == 5) return __reduce_add_sync(mask, v);
    if (W == 6) { __syncwarp(mask); return v; }
    if (W == 7) return __match_all_sync(mask, v, &p);
    return 0;
}
template <int W> __global__ void k(int how, unsigned mask, int *out)
{
    int lane = threadIdx.x, v = lane;
    switch (how) {
    case 0: v = op<W>(mask, v); break;                              // converged, mask in a register
    case 1: v = op<W>(0x7fffffffu, v); break;                       // converged, a constant
    case 2: v = op<W>(0x0000ffffu, v); break;
    case 3: if (lane < 16) v = op<W>(mask, v); break;               // half a warp, the mask names the other half
    case 4: if (lane < 24) v = op<W>(0x0000ffffu, v); break;        // some are named
    case 5: v = op<W>(lane < 16 ? 0x0000ffffu : 0x0000ffffu & mask, v); break;
    case 6: v = op<W>(lane < 16 ? 0x0000ffffu : 0xff000000u, v); break;  // own masks, lanes 16 to 23 not in theirs
    case 7: if (lane & 1) v = op<W>(mask & 0x55555555u, v); break;
    case 8: v = op<W>(1u << ((lane + 1) & 31), v); break;           // each lane names its neighbour
    case 9: if (v == (int)mask) v = op<W>(0x1u, v); break;          // one lane, not named
    }
    out[lane] = v;
}
template <int W> void run(int how, unsigned mask)
{
    int *d, h[32] = {0};
    cudaMalloc(&d, 128);
    k<W><<<1, 32>>>(how, mask, d);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost);
    printf("%d,%d,0x%08x,%s,%x,%x,%x\n", W, how, mask, cudaGetErrorName(e), h[0], h[1], h[31]);
}
int main(int argc, char **argv)
{
    int w = atoi(argv[1]), how = atoi(argv[2]);
    unsigned mask = how == 3 ? 0xffff0000u : how == 9 ? 5 : 0x7fffffffu;
    switch (w) {
    case 0: run<0>(how, mask); break; case 1: run<1>(how, mask); break; case 2: run<2>(how, mask); break;
    case 3: run<3>(how, mask); break; case 4: run<4>(how, mask); break; case 5: run<5>(how, mask); break;
    case 6: run<6>(how, mask); break; case 7: run<7>(how, mask); break;
    }
}
