/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix transpose, the top rung: a thread brings four words of each of four neighbouring rows,
 * turns that 4 x 4 in registers and puts its four columns as vectors into a tile; then rows of the
 * result leave as vectors. Everything moves 16 bytes at a time and 128 bytes of each thread are on
 * their way at once. Vector v of column c lies at v xor (c / 4), so that both sides touch each bank
 * once. Nothing is used twice: loads and stores say so (evict first), which leaves L2 to gather the
 * rows of the result that several blocks write.
 *
 * systems: A8
 * title: vectors of four, turned in registers
 * since: 2.0 loads and stores with hints to the caches
 * rung: 6
 * sizes: 0 1 17 100 1000 1025x33 132x260
 * check: 17 68x132
 * profile: 70x129 1024
 * bench: 2048
 * gpu: 16384
 */
#include "transpose.h"

#ifndef WIDE
#define WIDE 64 /* columns of a tile */
#endif
#ifndef TALL
#define TALL 64 /* rows of a tile */
#endif
#ifndef HIGH
#define HIGH 8 /* rows of threads */
#endif

enum { WIDE4 = WIDE / 4, TALL4 = TALL / 4, THREADS = WIDE4 * HIGH };

static __device__ __forceinline__ float4
load(const float *in, int x, int y, int width, int height)
{
    const float *at = in + (size_t)y * width + x;
    if (y < height && x < width && width % 4 == 0)
        return __ldcs((const float4 *)at);
    float4 v = make_float4(0, 0, 0, 0);
    if (y < height && x < width)
        v.x = at[0];
    if (y < height && x + 1 < width)
        v.y = at[1];
    if (y < height && x + 2 < width)
        v.z = at[2];
    if (y < height && x + 3 < width)
        v.w = at[3];
    return v;
}

static __device__ __forceinline__ void
store(float *out, int x, int y, int width, int height, float4 v)
{
    float *at = out + (size_t)y * width + x;
    if (y >= height || x >= width)
        return;
    if (width % 4 == 0) {
        __stcs((float4 *)at, v);
        return;
    }
    at[0] = v.x;
    if (x + 1 < width)
        at[1] = v.y;
    if (x + 2 < width)
        at[2] = v.z;
    if (x + 3 < width)
        at[3] = v.w;
}

__global__ void
__launch_bounds__(THREADS) transpose(float *out, const float *in, int width, int height)
{
    __shared__ float4 tile[WIDE][TALL4];
    int tx = threadIdx.x, left = blockIdx.x * WIDE, top = blockIdx.y * TALL;
    float4 row[TALL4 / HIGH][4];
#pragma unroll
    for (int j = 0; j < TALL4 / HIGH; j++) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            row[j][i] =
                load(in, left + 4 * tx, top + 4 * (threadIdx.y + j * HIGH) + i, width, height);
    }
#pragma unroll
    for (int j = 0; j < TALL4 / HIGH; j++) {
        int ty = threadIdx.y + j * HIGH, at = ty ^ tx % TALL4;
        const float4 *r = row[j];
        tile[4 * tx][at] = make_float4(r[0].x, r[1].x, r[2].x, r[3].x);
        tile[4 * tx + 1][at] = make_float4(r[0].y, r[1].y, r[2].y, r[3].y);
        tile[4 * tx + 2][at] = make_float4(r[0].z, r[1].z, r[2].z, r[3].z);
        tile[4 * tx + 3][at] = make_float4(r[0].w, r[1].w, r[2].w, r[3].w);
    }
    __syncthreads();
    int t = threadIdx.y * WIDE4 + tx, ox = t % TALL4;
#pragma unroll
    for (int c = t / TALL4; c < WIDE; c += THREADS / TALL4)
        store(out, top + 4 * ox, left + c, height, width, tile[c][ox ^ c / 4 % TALL4]);
}

static void
launch(float *out, const float *in, int width, int height)
{
    dim3 grid(suite_div_up(width, WIDE), suite_div_up(height, TALL)), block(WIDE4, HIGH);
    transpose<<<grid, block>>>(out, in, width, height);
}

int
main(int argc, char **argv)
{
    return transpose_main("transpose/vectors", "vectors of four, turned in registers", launch, argc,
                          argv);
}
