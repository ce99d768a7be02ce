// SPDX-License-Identifier: Apache-2.0
// Warp-wide operations whose masks name lanes that do not come, or come with another mask; barriers
// on one line; what follows an error. The good_ ones must be silent.
#include <cstring>

__global__ void
bad_shuffle_in_branch(int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_sync(0xffffffff, v, 3);
    out[threadIdx.x] = v;
}
__global__ void
good_shuffle_in_branch(int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_sync(0xffff, v, 3);
    out[threadIdx.x] = v;
}
__global__ void
bad_vote_in_branch(int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x < 20)
        v = __ballot_sync(0xffffffff, v & 1);
    else
        v = __any_sync(0xfff00000, v & 2);
    out[threadIdx.x] = v;
}
__global__ void
good_vote_in_branch(int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x < 20)
        v = __ballot_sync(0x000fffff, v & 1);
    else
        v = __any_sync(0xfff00000, v & 2);
    out[threadIdx.x] = v;
}
__global__ void
bad_syncwarp_in_branch(int *out)
{
    if (threadIdx.x & 1)
        __syncwarp();
    out[threadIdx.x] = 1;
}
__global__ void
good_syncwarp_in_branch(int *out)
{
    if (threadIdx.x & 1)
        __syncwarp(0xaaaaaaaa);
    out[threadIdx.x] = 1;
}
__global__ void
bad_masks_that_meet(int *out)
{
    out[threadIdx.x] = __shfl_xor_sync(threadIdx.x < 16 ? 0x0000ffff : 0xfffffff0, threadIdx.x, 1);
}
__global__ void
good_masks_that_meet(int *out)
{
    out[threadIdx.x] = __shfl_xor_sync(threadIdx.x < 16 ? 0x0000ffff : 0xffff0000, threadIdx.x, 1);
}
__global__ void
bad_barriers_on_a_line(int *out)
{
    // clang-format off
    if (threadIdx.x & 1) { __syncthreads(); out[threadIdx.x] = 1; } else { __syncthreads(); out[threadIdx.x] = 2; }
    // clang-format on
}
__global__ void
good_barriers_on_a_line(int *out)
{
    // clang-format off
    if (blockIdx.x & 1) { __syncthreads(); out[threadIdx.x] = 1; } else { __syncthreads(); out[threadIdx.x] = 1; }
    // clang-format on
}
// Lanes that left at once are no mistake, nor are those that come to another place or in another
// turn.
__global__ void
good_return_first(int *out, int n)
{
    int v = threadIdx.x;
    if (v >= n)
        return;
    for (int k = 2; k; k /= 2)
        v += __shfl_xor_sync(0xffffffff, v, k);
    out[threadIdx.x] = v;
}
__global__ void
good_two_places(int *out)
{
    int v = threadIdx.x;
    if (v < 16)
        v = __shfl_sync(0xffffffff, v, 3) + 1;
    else
        v = __shfl_sync(0xffffffff, v, 3) + 2;
    out[threadIdx.x] = v;
}
__global__ void
good_turns(int *out)
{
    int v = 0, left = threadIdx.x % 5;
    for (unsigned mask = 0xffffffff; mask >> threadIdx.x & 1; left--) {
        unsigned next = __ballot_sync(mask, left > 0);
        v += __shfl_sync(mask, left, __ffs(mask) - 1);
        __syncwarp(mask);
        mask = next;
    }
    out[threadIdx.x] = v;
}
__global__ void
deadlock(int *out)
{
    if (threadIdx.x < 16)
        out[0] = __shfl_sync(0xffffffff, 1, 3);
    __syncthreads();
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *out;
    cudaMalloc(&out, 64 * sizeof *out);
    if (!strcmp(what, "deadlock")) {
        deadlock<<<1, 32>>>(out);
        cudaDeviceSynchronize();
        cudaFree(out);
        return 0;
    }
    if (!strcmp(what, "free")) {
        good_two_places<<<1, 32>>>(out);
        cudaFree(out);
        cudaFree(out);
        return 0;
    }
    bad_shuffle_in_branch<<<1, 32>>>(out);
    good_shuffle_in_branch<<<1, 32>>>(out);
    bad_vote_in_branch<<<1, 32>>>(out);
    good_vote_in_branch<<<1, 32>>>(out);
    bad_syncwarp_in_branch<<<1, 32>>>(out);
    good_syncwarp_in_branch<<<1, 32>>>(out);
    bad_masks_that_meet<<<1, 32>>>(out);
    good_masks_that_meet<<<1, 32>>>(out);
    bad_barriers_on_a_line<<<1, 64>>>(out);
    good_barriers_on_a_line<<<1, 64>>>(out);
    good_return_first<<<1, 32>>>(out, 20);
    good_two_places<<<1, 32>>>(out);
    good_turns<<<1, 32>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess || cudaFree(out) != cudaSuccess;
}
