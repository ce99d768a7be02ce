// SPDX-License-Identifier: Apache-2.0
//
// How many bits of a normalised coordinate count: linear reads of 1-D textures whose texel k is 256
// * k, so that a result says which step of 256 between two texels it came from. A million
// coordinates a size and address mode, half of them near the middle of two steps. CSV: those that
// are not the nearest step's, 400 of each at most; how many there are, on stderr.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "check.h"

enum { COUNT = 1 << 20, MOST = 400 };

static uint64_t state = 7;

static double
unit()
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(uint32_t)(state >> 32) / 4294967296.0;
}

static float
coordinate(int i, int size)
{
    double v = (unit() * 2 - 1) * (i & 1 ? 1.0 : i & 2 ? 4.0 : 64.0);
    if (i & 4)
        v = (floor(v * size * 256) + 0.5 + (unit() - 0.5) * 0.06) / (size * 256.0);
    return (float)v;
}

__global__ void
read(cudaTextureObject_t t, const float *x, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex1D<float>(t, x[i]);
}

static long long
resolve(long long k, int size, cudaTextureAddressMode mode)
{
    if (mode == cudaAddressModeClamp)
        return k < 0 ? 0 : k >= size ? size - 1 : k;
    long long period = mode == cudaAddressModeWrap ? size : 2 * size,
              r = (k % period + period) % period;
    return r < size ? r : 2 * size - 1 - r;
}

static double
nearest(float x, int size, cudaTextureAddressMode mode)
{
    long long fixed = (long long)floor((double)x * size * 256 - 127.5), low = fixed >> 8,
              share = fixed & 255;
    return (double)((256 - share) * resolve(low, size, mode) +
                    share * resolve(low + 1, size, mode));
}

static cudaTextureObject_t
make(int size, cudaTextureAddressMode mode)
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, size, 0));
    std::vector<float> texels(size);
    for (int k = 0; k < size; k++)
        texels[k] = 256.0f * (float)k;
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), 4 * size, 4 * size, 1,
                              cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = mode;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeElementType;
    how.normalizedCoords = 1;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    return t;
}

int
main()
{
    static const char *const names[] = {"wrap", "clamp", "mirror"};
    static const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp,
                                                   cudaAddressModeMirror};
    float *x, *out;
    std::vector<float> from(COUNT), to(COUNT);
    CHECK(cudaMalloc(&x, 4 * COUNT));
    CHECK(cudaMalloc(&out, 4 * COUNT));
    printf("size,mode,x_bits,result,nearest\n");
    for (int size : {35, 7, 64, 100, 1000, 4099})
        for (int m = 0; m < 3; m++) {
            for (int i = 0; i < COUNT; i++)
                from[i] = coordinate(i, size);
            CHECK(cudaMemcpy(x, from.data(), 4 * COUNT, cudaMemcpyHostToDevice));
            read<<<COUNT / 256, 256>>>(make(size, modes[m]), x, out);
            CHECK(cudaMemcpy(to.data(), out, 4 * COUNT, cudaMemcpyDeviceToHost));
            int unlike = 0;
            for (int i = 0; i < COUNT; i++) {
                double want = nearest(from[i], size, modes[m]);
                uint32_t bits;
                memcpy(&bits, &from[i], 4);
                if ((double)to[i] != want && ++unlike <= MOST)
                    printf("%d,%s,%08x,%.0f,%.0f\n", size, names[m], bits, to[i], want);
            }
            fprintf(stderr, "%d %s: %d of %d are not the nearest step's\n", size, names[m], unlike,
                    COUNT);
        }
    return 0;
}
