/* SPDX-License-Identifier: Apache-2.0
 *
 * unset_lanes.cu: what one lane alone has set is handed to all by a shuffle; the others' copies of
 * it were never set, and are not looked at. The one lane's branch must stay one lane's.
 */
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

/* A warp's place among the counted: one addition a warp. */
template <typename Group>
__device__ __noinline__ unsigned
place(Group group, unsigned *count, unsigned n, unsigned lane)
{
    unsigned at;
    if (lane == 0)
        if (n > 0)
            at = atomicAdd(count, n);
    return group.shfl(at, 0);
}

__device__ unsigned
place_plain(unsigned *count, unsigned n, unsigned lane)
{
    unsigned at;
    if (lane == 0)
        at = atomicAdd(count, n);
    return __shfl_sync(~0u, at, 0);
}

__global__ void
fill(unsigned *count, unsigned *out, const unsigned *in)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & (warpSize - 1);
    cg::coalesced_group active = cg::coalesced_threads();
    unsigned odd = active.ballot(in[t] & 1), even = active.ballot(!(in[t] & 1));
    unsigned odd_at = place(active, count, __popc(odd), lane);
    unsigned even_at = place_plain(count + 1, __popc(even), lane);
    unsigned below = (1u << lane) - 1;
    if (in[t] & 1)
        out[odd_at + __popc(odd & below)] = in[t];
    else
        out[gridDim.x * blockDim.x - 1 - even_at - __popc(even & below)] = in[t];
}

int
main()
{
    enum { N = 4096 };
    unsigned *count, *in, *out, odd = 0, sum = 0, bad = 0;
    cudaMallocManaged(&count, 2 * sizeof *count);
    cudaMallocManaged(&in, N * sizeof *in);
    cudaMallocManaged(&out, N * sizeof *out);
    count[0] = count[1] = 0;
    for (unsigned i = 0; i < N; i++) {
        in[i] = i * 2654435761u >> 7;
        odd += in[i] & 1;
        sum += in[i];
    }
    fill<<<N / 256, 256>>>(count, out, in);
    bad |= cudaDeviceSynchronize() != cudaSuccess;
    for (unsigned i = 0; i < N; i++) {
        bad |= (out[i] & 1) != (i < odd);
        sum -= out[i];
    }
    puts(bad || sum || count[0] != odd || count[1] != N - odd ? "wrong" : "ok");
    return 0;
}
