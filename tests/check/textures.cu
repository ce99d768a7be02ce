/* SPDX-License-Identifier: Apache-2.0
 *
 * Textures on rows of plain memory (cudaResourceTypePitch2D) under check; those on a line of it are
 * in async.cu. textures_test.py has each bad_ kernel's finding.
 */
#include <stdio.h>

/* Rows of 16 texels, 512 bytes apart: between them nobody has written, and nobody reads. */
__global__ void
good_texture_rows(cudaTextureObject_t t, float *out)
{
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    out[64 * blockIdx.x + threadIdx.x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}
__global__ void
bad_texture_rows_unset(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x % 16 + 0.5f, threadIdx.x / 16 + 0.5f);
}
/* The filter reads four texels: those of the last row, too, half of which nobody has written. */
__global__ void
good_texture_filter(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x % 7 + 1, 3);
}
__global__ void
bad_texture_filter_unset(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x % 8 + 1, 3);
}
/* The next row's threads read what these store. */
__global__ void
bad_texture_rows_race(cudaTextureObject_t t, float *of, float *out)
{
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    of[128 * y + x] = 1;
    out[threadIdx.x] = tex2D<float>(t, x + 0.5f, (y + 2) % 4 + 0.5f);
}
__global__ void
good_texture_rows_barrier(cudaTextureObject_t t, float *of, float *out)
{
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    float before = tex2D<float>(t, x + 0.5f, (y + 2) % 4 + 0.5f);
    __syncthreads();
    of[128 * y + x] = out[threadIdx.x] = before;
}

static cudaTextureObject_t
texture_of_rows(float *at, cudaTextureFilterMode filter)
{
    cudaTextureObject_t t = 0;
    cudaResourceDesc from = {};
    cudaTextureDesc how = {};
    from.resType = cudaResourceTypePitch2D;
    from.res.pitch2D.devPtr = at;
    from.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    from.res.pitch2D.width = 16;
    from.res.pitch2D.height = 4;
    from.res.pitch2D.pitchInBytes = 512;
    how.filterMode = filter;
    cudaCreateTextureObject(&t, &from, &how, NULL);
    return t;
}

int
main()
{
    float *at, *out;
    cudaMalloc(&at, 4 * 512);
    cudaMalloc(&out, 128 * sizeof *out);
    cudaTextureObject_t t = texture_of_rows(at, cudaFilterModePoint),
                        filtered = texture_of_rows(at, cudaFilterModeLinear);
    bad_texture_rows_unset<<<1, 64>>>(t, out);
    cudaMemset2D(at, 512, 0, 16 * sizeof *at, 3);
    cudaMemset((char *)at + 3 * 512, 0, 8 * sizeof *at);
    good_texture_filter<<<1, 64>>>(filtered, out);
    bad_texture_filter_unset<<<1, 64>>>(filtered, out);
    cudaMemset2D(at, 512, 0, 16 * sizeof *at, 4);
    good_texture_rows<<<2, 64>>>(t, out);
    good_texture_rows_barrier<<<1, 64>>>(t, at, out);
    bad_texture_rows_race<<<1, 64>>>(t, at, out);
    cudaDestroyTextureObject(t);
    cudaDestroyTextureObject(filtered);
    cudaFree(at);
    cudaFree(out);
    return cudaDeviceSynchronize();
}
