// SPDX-License-Identifier: Apache-2.0
//
// Records texture reads as CSV: 1-D (35 texels), 2-D (7 x 5), 3-D (7 x 5 x 4); float, half and
// normalised 8 and 16 bit elements; point and linear; all address modes; coordinates on a grid that
// reaches beyond the borders, and random ones. Texels are printed first, on lines "texel,...".
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <vector>

#include "check.h"

enum { TEXELS = 140, SAMPLES = 256 };

static uint64_t state = 99;

static uint32_t
random_bits()
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 32);
}

__global__ void sample(cudaTextureObject_t t, int dims, const float *at, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= SAMPLES)
        return;
    float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
    out[i] = dims == 1   ? tex1D<float>(t, x)
             : dims == 2 ? tex2D<float>(t, x, y)
                         : tex3D<float>(t, x, y, z);
}

struct element {
    const char *name;
    int bytes;
    cudaChannelFormatKind kind;
};

static const element elements[] = {
    {"f32", 4, cudaChannelFormatKindFloat},      {"f16", 2, cudaChannelFormatKindFloat},
    {"u8norm", 1, cudaChannelFormatKindUnsigned}, {"s8norm", 1, cudaChannelFormatKindSigned},
    {"u16norm", 2, cudaChannelFormatKindUnsigned}, {"s16norm", 2, cudaChannelFormatKindSigned},
};

// The random texel k of an element, as the bytes that lie in memory.
static void
fill(const element &e, const std::vector<uint32_t> &source, std::vector<uint8_t> &bytes)
{
    bytes.resize(TEXELS * e.bytes);
    for (int k = 0; k < TEXELS; k++) {
        float value = (float)((int)(source[k] % 4096) - 2048) / 64;
        uint32_t raw = source[k] >> 12;
        __half h = __float2half(value);
        if (e.kind == cudaChannelFormatKindFloat && e.bytes == 4)
            memcpy(&raw, &value, 4);
        else if (e.kind == cudaChannelFormatKindFloat)
            memcpy(&raw, &h, 2);
        memcpy(&bytes[k * e.bytes], &raw, e.bytes);
    }
}

static cudaTextureObject_t
make(const element &e, int dims, const std::vector<uint8_t> &bytes, bool normalized, bool linear,
     cudaTextureAddressMode mode, cudaArray_t *array)
{
    const int bits = e.bytes * 8;
    cudaChannelFormatDesc format = cudaCreateChannelDesc(bits, 0, 0, 0, e.kind);
    size_t w = dims == 1 ? 35 : 7, h = dims == 1 ? 0 : 5, d = dims == 3 ? 4 : 0;
    if (dims == 3)
        CHECK(cudaMalloc3DArray(array, &format, make_cudaExtent(w, h, d)));
    else
        CHECK(cudaMallocArray(array, &format, w, h));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)bytes.data(), w * e.bytes, w, h ? h : 1);
    copy.dstArray = *array;
    copy.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = *array;
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = mode;
    desc.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    desc.readMode = e.kind == cudaChannelFormatKindFloat ? cudaReadModeElementType
                                                         : cudaReadModeNormalizedFloat;
    desc.normalizedCoords = normalized;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    return t;
}

static uint32_t
bits_of(float v)
{
    uint32_t b;
    memcpy(&b, &v, 4);
    return b;
}

int
main()
{
    static const char *const modes[] = {"wrap", "clamp", "mirror", "border"};
    static const cudaTextureAddressMode kinds[] = {cudaAddressModeWrap, cudaAddressModeClamp,
                                                   cudaAddressModeMirror, cudaAddressModeBorder};
    std::vector<uint32_t> source(TEXELS);
    for (auto &s : source)
        s = random_bits();
    float unit[SAMPLES][3]; // in sizes of the texture: -1.5 .. 2.5
    for (int i = 0; i < SAMPLES; i++)
        for (int a = 0; a < 3; a++)
            unit[i][a] = i < 32 ? -0.5f + 0.25f * (float)((i >> a) % 8)
                                : -1.5f + 4.0f * (float)(random_bits() >> 8) / 16777216.0f;
    float *at, *out;
    CHECK(cudaMallocManaged(&at, sizeof unit));
    CHECK(cudaMallocManaged(&out, SAMPLES * sizeof *out));
    printf("dim,element,coordinates,filter,address,x_bits,y_bits,z_bits,result_bits\n");
    for (const element &e : elements) {
        std::vector<uint8_t> bytes;
        fill(e, source, bytes);
        for (int k = 0; k < TEXELS; k++) {
            uint32_t raw = 0;
            memcpy(&raw, &bytes[k * e.bytes], e.bytes);
            printf("texel,%s,,,,%d,,,%08x\n", e.name, k, raw);
        }
        for (int dims = 1; dims <= 3; dims++)
            for (int normalized = 0; normalized < 2; normalized++)
                for (int linear = 0; linear < 2; linear++)
                    for (int m = 0; m < 4; m++) {
                        cudaArray_t array;
                        cudaTextureObject_t t =
                            make(e, dims, bytes, normalized, linear, kinds[m], &array);
                        const float size[3] = {dims == 1 ? 35.0f : 7.0f, 5.0f, 4.0f};
                        for (int i = 0; i < SAMPLES; i++)
                            for (int a = 0; a < 3; a++)
                                at[3 * i + a] = unit[i][a] * (normalized ? 1.0f : size[a]);
                        sample<<<1, SAMPLES>>>(t, dims, at, out);
                        CHECK(cudaDeviceSynchronize());
                        for (int i = 0; i < SAMPLES; i++)
                            printf("%dD,%s,%s,%s,%s,%08x,%08x,%08x,%08x\n", dims, e.name,
                                   normalized ? "normalized" : "unnormalized",
                                   linear ? "linear" : "point", modes[m], bits_of(at[3 * i]),
                                   bits_of(at[3 * i + 1]), bits_of(at[3 * i + 2]),
                                   bits_of(out[i]));
                        CHECK(cudaDestroyTextureObject(t));
                        CHECK(cudaFreeArray(array));
                    }
    }
    return 0;
}
