/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix transpose by tensor copies: one thread asks the copy unit for four boxes of 32 x 32, all
 * threads turn what has come in shared memory, one asks for the boxes to be stored. No thread
 * computes an address in device memory or looks at an edge: the tensor maps of both matrices do.
 *
 * A box has rows of 128 bytes, all 32 banks, swizzled: vector v (four words) of row r lies at v xor
 * (r mod 8). A thread turns 4 x 4 words in registers: it reads vector v of four rows, beginning
 * with row 4 u, and writes vector u of four rows, beginning with row 4 v. Eight lanes that have
 * different u, and v = u xor d with one d for all, touch eight different vectors of banks, reading
 * and writing.
 *
 * systems: A8 F1
 * title: boxes by tensor copies, swizzled
 * needs: 9.0 tensor copies
 * rung: 7
 * sizes: 0 1 17 100 1000 1025x33 132x260
 * check: 17 68x132
 * profile: 70x129 1024
 * bench: 2048
 * gpu: 16384
 */
#include "transpose.h"

#include "../common/tensor.h"

enum { SIDE = 32, BOXES = 2, THREADS = BOXES * BOXES * 64 };

typedef float box[SIDE][SIDE];

/* Vector v of row r of a swizzled box. */
static __device__ __forceinline__ float4 *
vector_at(box b, int r, int v)
{
    return (float4 *)&b[r][4 * (v ^ r % 8)];
}

__global__ void
__launch_bounds__(THREADS)
    transpose(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out)
{
    __shared__ __align__(1024) box boxes[BOXES][BOXES];
    __shared__ barrier full;
    int left = blockIdx.x * BOXES * SIDE, top = blockIdx.y * BOXES * SIDE;
    int number = threadIdx.x / 64, u = threadIdx.x % 8, v = u ^ threadIdx.x % 64 / 8;
    float *own = &boxes[number / BOXES][number % BOXES][0][0];

    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        fence_for_copies();
        barrier_expect(&full, sizeof boxes);
        for (int y = 0; y < BOXES; y++)
            for (int x = 0; x < BOXES; x++)
                tensor_load(boxes[y][x], &in, left + x * SIDE, top + y * SIDE, &full);
    }
    __syncthreads();
    barrier_wait(&full, 0);

    float(*b)[SIDE] = (float(*)[SIDE])own;
    float4 r0 = *vector_at(b, 4 * u, v), r1 = *vector_at(b, 4 * u + 1, v);
    float4 r2 = *vector_at(b, 4 * u + 2, v), r3 = *vector_at(b, 4 * u + 3, v);
    __syncthreads();
    *vector_at(b, 4 * v, u) = make_float4(r0.x, r1.x, r2.x, r3.x);
    *vector_at(b, 4 * v + 1, u) = make_float4(r0.y, r1.y, r2.y, r3.y);
    *vector_at(b, 4 * v + 2, u) = make_float4(r0.z, r1.z, r2.z, r3.z);
    *vector_at(b, 4 * v + 3, u) = make_float4(r0.w, r1.w, r2.w, r3.w);
    fence_for_copies(); /* each thread's words, before the copy unit reads them */
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int y = 0; y < BOXES; y++)
            for (int x = 0; x < BOXES; x++)
                tensor_store(&out, top + y * SIDE, left + x * SIDE, boxes[y][x]);
        tensor_stores_wait();
    }
}

static float *room_in, *room_out; /* one each: all launches of a run have the same size */

static void
launch(float *out, const float *in, int width, int height)
{
    size_t pitch_in, pitch_out, row = sizeof(float) * height;
    const float *from = suite_pitched(in, height, width, &room_in, &pitch_in);
    float *to = suite_room(out, width, height, &room_out, &pitch_out);
    CUtensorMap map_in = suite_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, from, height, width, pitch_in,
                                   SIDE, SIDE, CU_TENSOR_MAP_SWIZZLE_128B);
    CUtensorMap map_out = suite_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, to, width, height, pitch_out,
                                    SIDE, SIDE, CU_TENSOR_MAP_SWIZZLE_128B);
    dim3 grid(suite_div_up(width, BOXES * SIDE), suite_div_up(height, BOXES * SIDE));
    transpose<<<grid, THREADS>>>(map_in, map_out);
    if (to != out)
        CHECK(cudaMemcpy2DAsync(out, row, to, pitch_out, row, width, cudaMemcpyDeviceToDevice, 0));
}

int
main(int argc, char **argv)
{
    int status = transpose_main("transpose/tma", "boxes by tensor copies", launch, argc, argv);
    suite_free_device(room_in, room_out);
    return status;
}
