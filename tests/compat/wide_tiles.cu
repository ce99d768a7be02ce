/* SPDX-License-Identifier: Apache-2.0
 *
 * wide_tiles.cu: tiles of several warps, with and without memory of the program.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void
tiles(int *out)
{
    __shared__ cg::block_tile_memory<512> memory;
    auto block = cg::this_thread_block(memory);
    auto wide = cg::tiled_partition<128>(block);
    auto plain = cg::tiled_partition<64>(cg::this_thread_block());
    auto warp = cg::tiled_partition<32>(block);
    int a = cg::reduce(wide, (int)threadIdx.x, cg::plus<int>());
    int b = cg::reduce(plain, (int)threadIdx.x, cg::greater<int>());
    int any = wide.any(threadIdx.x == 200);
    if (wide.thread_rank() == 5)
        out[wide.meta_group_rank()] = a + b + any + (int)warp.size();
}

int
main()
{
    int *out, bad = 0;
    cudaMallocManaged(&out, 4 * sizeof *out);
    tiles<<<1, 512>>>(out);
    bad |= cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < 4; i++)
        bad |= out[i] != 128 * 128 * i + 127 * 64 + (i * 128 + 63) + (i == 1) + 32;
    puts(bad ? "wrong" : "ok");
    return bad;
}
