/* SPDX-License-Identifier: Apache-2.0
 *
 * Warp operations by lanes that the mask they bring names, and by lanes that it does not: case and
 * mask are arguments.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void
operate(int which, unsigned m, unsigned *out)
{
    unsigned t = threadIdx.x, v = 0;
    int all;
    switch (which) {
    case 0: v = __ballot_sync(m, t & 1); break;
    case 1: v = __shfl_sync(m, t, 0); break;
    case 2: __syncwarp(m); v = 2; break;
    case 3: v = __match_any_sync(m, t / 4); break;
    case 4: v = __reduce_add_sync(m, 1); break;
    case 5: v = __all_sync(m, 1) + __any_sync(m, 0); break;
    case 6: v = __match_all_sync(m, 5, &all); break;
    case 7:
        v = __shfl_down_sync(m, t, 8, 16) + __shfl_xor_sync(m, t, 1) + __shfl_up_sync(m, t, 1);
        break;
    case 8: v = __ballot_sync(0x0000ffff, 1); break;                 /* a constant */
    case 9: v = __ballot_sync(1u << (t ^ (m != 0xffffffff)), 1); break; /* each its own */
    case 10: /* on both sides of a branch */
        if (t & 1)
            v = __ballot_sync(m & 0xaaaaaaaa, t & 2);
        else
            v = __ballot_sync(m & 0x55555555, t & 2);
        break;
    case 11: /* the first half alone */
        if (t < 16)
            v = __shfl_down_sync(m & 0xffff, t, 8, 16);
        break;
    case 13: /* each side brings the mask of the other one's lanes, which are at another place */
        if (t < 16)
            v = __ballot_sync(m & 0x0000ffff, t & 1);
        else
            v = __ballot_sync(m & (m == 0xffffffff ? 0xffff0000 : 0x0000ffff), 1);
        break;
    case 12: v = __shfl_down_sync(__activemask(), t, 1); break;
    }
    out[t] = v;
}

int
main(int argc, char **argv)
{
    unsigned *out, have[32], sum = 0;
    int which = atoi(argv[1]);
    unsigned mask = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : ~0u;
    cudaMalloc(&out, sizeof have);
    operate<<<1, 32>>>(which, mask, out);
    cudaError_t e = cudaMemcpy(have, out, sizeof have, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 32 && !e; t++)
        sum += have[t] * (t + 1);
    printf("%d %s %u\n", which, cudaGetErrorName(e), sum);
    cudaFree(out);
    return 0;
}
