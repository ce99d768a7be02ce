/* SPDX-License-Identifier: Apache-2.0
 *
 * Surfaces: every size of element there and back, every geometry, what happens at the edge,
 * reductions, queries, texture and sampler handles apart. With an argument: one error, and its
 * name.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "ok.h"

static int failures, checks;

static void
same(const char *what, double a, double b, int where)
{
    checks++;
    if (a != b && failures++ < 20)
        printf("FAIL %s: %.9g, expected %.9g (at %d)\n", what, a, b, where);
}

struct array {
    cudaArray_t a;
    cudaSurfaceObject_t s;
    array(cudaChannelFormatDesc d, int w, int h, int depth, unsigned flags = 0)
    {
        OK(cudaMalloc3DArray(&a, &d, make_cudaExtent(w, h, depth),
                             flags | cudaArraySurfaceLoadStore));
        cudaResourceDesc r = {};
        r.resType = cudaResourceTypeArray;
        r.res.array.array = a;
        OK(cudaCreateSurfaceObject(&s, &r));
    }
    ~array()
    {
        cudaDestroySurfaceObject(s);
        cudaFreeArray(a);
    }
};

/* -- there and back ---------------------------------------------------------------------------- */

template <class T> __global__ void
mirror_rows(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    T v = surf2Dread<T>(from, x * (int)sizeof(T), y), again;
    surf2Dread(&again, from, x * (int)sizeof(T), y, cudaBoundaryModeClamp);
    bool equal = true;
    for (size_t k = 0; k < sizeof(T); k++)
        equal &= ((const char *)&v)[k] == ((const char *)&again)[k];
    if (equal)
        surf2Dwrite(v, to, (w - 1 - x) * (int)sizeof(T), y);
}

template <class T> static void
test_type(const char *name)
{
    const int W = 37, H = 5;
    array a(cudaCreateChannelDesc<T>(), W, H, 0), b(cudaCreateChannelDesc<T>(), W, H, 0);
    std::vector<unsigned char> in(W * H * sizeof(T)), out(in.size());
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (unsigned char)(i * 2654435761u >> 11);
    OK(cudaMemcpy2DToArray(a.a, 0, 0, in.data(), W * sizeof(T), W * sizeof(T), H,
                           cudaMemcpyHostToDevice));
    mirror_rows<T><<<dim3(2, 2), dim3(32, 4)>>>(a.s, b.s, W, H);
    OK(cudaMemcpy2DFromArray(out.data(), W * sizeof(T), b.a, 0, 0, W * sizeof(T), H,
                             cudaMemcpyDeviceToHost));
    for (int i = 0; i < W * H; i++) {
        int from = i / W * W + W - 1 - i % W;
        same(name, memcmp(&out[i * sizeof(T)], &in[from * sizeof(T)], sizeof(T)), 0, i);
    }
}

/* -- geometries -------------------------------------------------------------------------------- */

surface<void, cudaSurfaceType1D> row_ref;
surface<void, cudaSurfaceType2DLayered> layered_ref;

__global__ void
fill_all(cudaSurfaceObject_t one, cudaSurfaceObject_t three, cudaSurfaceObject_t rows,
         cudaSurfaceObject_t cube)
{
    int i = threadIdx.x;
    if (i < 50)
        surf1Dwrite(i * 3, one, 4 * i);
    if (i < 60)
        surf3Dwrite(1000 + i, three, 4 * (i % 3), i / 3 % 4, i / 12);
    if (i < 40)
        surf1DLayeredwrite(2000 + i, rows, 4 * (i % 8), i / 8);
    if (i < 96)
        surfCubemapwrite(3000 + i, cube, 4 * (i % 4), i / 4 % 4, i / 16);
}

__global__ void
read_all(int *out, cudaSurfaceObject_t one, cudaSurfaceObject_t three, cudaSurfaceObject_t rows)
{
    int i = threadIdx.x, v;
    surf1Dread(&v, row_ref, 4 * (i % 50));
    out[i] = v;
    out[96 + i] = surf3Dread<int>(three, 4 * (i % 3), i / 3 % 4, i / 12 % 5);
    out[192 + i] = surf1DLayeredread<int>(rows, 4 * (i % 8), i / 8 % 5);
    out[288 + i] = surf2DLayeredread<int>(layered_ref, 4 * (i % 4), i / 4 % 4, i / 16);
    out[384 + i] = surf1Dread<int>(one, 4 * (i % 50));
}

static void
test_geometries(void)
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<int>();
    array one(d, 50, 0, 0), three(d, 3, 4, 5), rows(d, 8, 0, 5, cudaArrayLayered),
        cube(d, 4, 4, 6, cudaArrayCubemap);
    int *out;
    OK(cudaMallocManaged(&out, 480 * sizeof *out));
    OK(cudaBindSurfaceToArray(row_ref, one.a));
    OK(cudaBindSurfaceToArray(layered_ref, cube.a));
    fill_all<<<1, 96>>>(one.s, three.s, rows.s, cube.s);
    read_all<<<1, 96>>>(out, one.s, three.s, rows.s);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 96; i++) {
        same("1-D, by reference", out[i], i % 50 * 3, i);
        same("3-D", out[96 + i], 1000 + i % 60, i);
        same("1-D layers", out[192 + i], 2000 + i % 40, i);
        same("cube", out[288 + i], 3000 + i, i);
        same("1-D", out[384 + i], i % 50 * 3, i);
    }
    OK(cudaFree(out));
}

/* -- edges ------------------------------------------------------------------------------------- */

__global__ void
edges(short *out, cudaSurfaceObject_t s)
{
    int i = threadIdx.x, x = i % 8 - 2, y = i / 8 - 2;
    surf2Dwrite((short)(100 + i), s, 2 * x, y, cudaBoundaryModeZero); /* outside: nothing */
    __syncthreads();
    out[i] = surf2Dread<short>(s, 2 * x, y, cudaBoundaryModeClamp);
    out[64 + i] = surf2Dread<short>(s, 2 * x, y, cudaBoundaryModeZero);
}

__global__ void
clamped_write(cudaSurfaceObject_t s)
{
    surf2Dwrite((short)7, s, 1000, -5, cudaBoundaryModeClamp);
}

static void
test_edges(void)
{
    array a(cudaCreateChannelDesc<short>(), 4, 3, 0);
    short *out, back[12];
    OK(cudaMallocManaged(&out, 128 * sizeof *out));
    edges<<<1, 64>>>(out, a.s);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) {
        int x = i % 8 - 2, y = i / 8 - 2,
            cx = x < 0   ? 0
                 : x > 3 ? 3
                         : x,
            cy = y < 0   ? 0
                 : y > 2 ? 2
                         : y;
        same("clamp", out[i], 100 + (cy + 2) * 8 + cx + 2, i);
        same("zero", out[64 + i], cx == x && cy == y ? 100 + i : 0, i);
    }
    clamped_write<<<1, 1>>>(a.s);
    OK(cudaMemcpyFromArray(back, a.a, 0, 0, sizeof back, cudaMemcpyDeviceToHost));
    same("written where it was clamped to", back[3], 7, 0);
    OK(cudaFree(out));
}

/* -- instructions without a function in the headers -------------------------------------------- */

__global__ void
instructions(unsigned *out, cudaSurfaceObject_t s, cudaSurfaceObject_t bytes,
             cudaSurfaceObject_t halves, cudaTextureObject_t point, cudaTextureObject_t linear)
{
    int i = threadIdx.x;
    unsigned v[12];
    float f;
    asm volatile("sured.b.add.1d.u32.trap [%0, {%1}], %2;" ::"l"(s), "r"(0), "r"(i) : "memory");
    asm volatile("sured.b.min.1d.s32.trap [%0, {%1}], %2;" ::"l"(s), "r"(4), "r"(-i) : "memory");
    asm volatile("sured.b.max.1d.u32.trap [%0, {%1}], %2;" ::"l"(s), "r"(8), "r"(i * 3) : "memory");
    asm volatile("sured.b.or.1d.b32.trap [%0, {%1}], %2;" ::"l"(s), "r"(12), "r"(1 << i)
                 : "memory");
    asm volatile("sured.p.and.1d.b32.trap [%0, {%1}], %2;" ::"l"(s), "r"(4), "r"(~(1 << i))
                 : "memory");
    asm volatile("sured.b.add.1d.u64.zero [%0, {%1}], %2;" ::"l"(s), "r"(24), "l"(0x100000001ull)
                 : "memory");
    asm volatile("sured.b.add.1d.u64.zero [%0, {%1}], %2;" ::"l"(s), "r"(8000), "l"(1ull)
                 : "memory");
    asm volatile("sust.p.1d.v4.b32.trap [%0, {%1}], {%2, %3, %4, %5};" ::"l"(bytes), "r"(i), "r"(i),
                 "r"(300), "r"(-1), "r"(255)
                 : "memory");
    asm volatile("sust.p.1d.v2.b32.trap [%0, {%1}], {%2, %3};" ::"l"(halves), "r"(i),
                 "f"(1.0f + i / 2048.f), "f"(1e9f)
                 : "memory");
    asm volatile("suq.width.b32 %0, [%1];" : "=r"(v[0]) : "l"(bytes));
    asm volatile("suq.channel_data_type.b32 %0, [%1];" : "=r"(v[1]) : "l"(bytes));
    asm volatile("suq.channel_order.b32 %0, [%1];" : "=r"(v[2]) : "l"(bytes));
    asm volatile("txq.width.b32 %0, [%1];" : "=r"(v[3]) : "l"(linear));
    asm volatile("txq.height.b32 %0, [%1];" : "=r"(v[4]) : "l"(linear));
    asm volatile("txq.filter_mode.b32 %0, [%1];" : "=r"(v[5]) : "l"(linear));
    asm volatile("txq.addr_mode_0.b32 %0, [%1];" : "=r"(v[6]) : "l"(linear));
    asm volatile("txq.level.width.b32 %0, [%1], %2;" : "=r"(v[7]) : "l"(linear), "r"(0));
    asm volatile("{ .reg .pred p; istypep.texref p, %1; selp.u32 %0, 1, 0, p; }"
                 : "=r"(v[8])
                 : "l"(linear));
    asm volatile("{ .reg .pred p; istypep.surfref p, %1; selp.u32 %0, 1, 0, p; }"
                 : "=r"(v[9])
                 : "l"(linear));
    /* The texels of one handle read as the other says. */
    asm volatile("tex.2d.v4.f32.f32 {%0, _, _, _}, [%1, %2, {%3, %4}];"
                 : "=f"(f)
                 : "l"(point), "l"(linear), "f"(1.0f), "f"(0.5f));
    v[10] = __float_as_uint(f);
    asm volatile("{ .reg .f32 a, b, c; .reg .pred p;\n"
                 "tex.2d.v4.f32.f32 {%0, a, b, c}|p, [%1, {%2, %3}], {%4, %5}; }"
                 : "=f"(f)
                 : "l"(point), "f"(0.5f), "f"(0.5f), "r"(2), "r"(1));
    v[11] = __float_as_uint(f);
    for (int k = 0; k < 12; k++)
        out[k * 32 + i] = v[k];
}

static cudaTextureObject_t
texture_of(cudaArray_t a, bool linear)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = {};
    d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static void
test_instructions(void)
{
    array s(cudaCreateChannelDesc<unsigned>(), 8, 0, 0),
        bytes(cudaCreateChannelDesc<uchar4>(), 32, 0, 0),
        halves(cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat), 32, 0, 0),
        image(cudaCreateChannelDesc<float>(), 4, 3, 0);
    unsigned start[8] = {0, 5, 0, 0, 0, 0, 0, 0}, *out;
    float texels[12];
    unsigned char b[32][4];
    unsigned short h[32][2];
    for (int i = 0; i < 12; i++)
        texels[i] = (float)(i * i);
    OK(cudaMallocManaged(&out, 12 * 32 * sizeof *out));
    OK(cudaMemcpyToArray(s.a, 0, 0, start, sizeof start, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToArray(image.a, 0, 0, texels, sizeof texels, cudaMemcpyHostToDevice));
    cudaTextureObject_t point = texture_of(image.a, false), linear = texture_of(image.a, true);
    instructions<<<1, 32>>>(out, s.s, bytes.s, halves.s, point, linear);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyFromArray(start, s.a, 0, 0, sizeof start, cudaMemcpyDeviceToHost));
    same("sured add", start[0], 31 * 32 / 2, 0);
    same("sured max", start[2], 93, 0);
    same("sured or", start[3], 0xffffffff, 0);
    same("sured and of texel 4", start[4], 0, 0);
    same("sured min", (int)start[1], -31, 0);
    same("sured add.u64", start[6], 32, 0);
    same("sured add.u64, upper half", start[7], 32, 0);
    OK(cudaMemcpyFromArray(b, bytes.a, 0, 0, sizeof b, cudaMemcpyDeviceToHost));
    OK(cudaMemcpyFromArray(h, halves.a, 0, 0, sizeof h, cudaMemcpyDeviceToHost));
    const unsigned want[12] = {32, 0x10da, 0x10b5, 4, 3, 1, 3, 4, 1, 0, 0x3f000000, 0x42100000};
    for (int i = 0; i < 32; i++) {
        same("sust.p to bytes", b[i][0], i, i);
        same("sust.p to bytes, too large", b[i][1] + b[i][2] + b[i][3], 3 * 255, i);
        /* 1 + i / 2048: halves have steps of 1 / 1024, ties go to even */
        same("sust.p to halves", h[i][0],
             0x3c00 + (i % 2 == 0  ? i / 2
                       : i / 2 % 2 ? i / 2 + 1
                                   : i / 2),
             i);
        same("sust.p to halves, too large", h[i][1], 0x7c00, i);
        for (int k = 0; k < 12; k++)
            same("queries and handles", out[k * 32 + i], want[k], k);
    }
    OK(cudaDestroyTextureObject(point));
    OK(cudaDestroyTextureObject(linear));
    OK(cudaFree(out));
}

/* -- errors ------------------------------------------------------------------------------------ */

__global__ void
outside(cudaSurfaceObject_t s)
{
    surf2Dwrite(1, s, 4 * (int)threadIdx.x, 1);
}

__global__ void
askew(cudaSurfaceObject_t s)
{
    surf2Dwrite(1, s, (int)threadIdx.x, 1);
}

__global__ void
no_handle(float *out, cudaTextureObject_t t)
{
    out[threadIdx.x] = tex2D<float>(t, 0, 0);
}

static int
run_error(int which)
{
    array a(cudaCreateChannelDesc<int>(), 20, 3, 0);
    float *out;
    OK(cudaMalloc(&out, 128));
    if (which == 0)
        outside<<<1, 32>>>(a.s);
    else if (which == 1)
        askew<<<1, 32>>>(a.s);
    else
        no_handle<<<1, 32>>>(out, which == 2 ? 0 : a.s);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

int
main(int argc, char **argv)
{
    if (argc > 1)
        return run_error(atoi(argv[1]));
#define TYPE3(name)                                                                                \
    test_type<name##1>(#name "1");                                                                 \
    test_type<name##2>(#name "2");                                                                 \
    test_type<name##4>(#name "4");
    TYPE3(char)
    TYPE3(uchar)
    TYPE3(short)
    TYPE3(ushort)
    TYPE3(int)
    TYPE3(uint)
    TYPE3(float)
    test_type<char>("char");
    test_type<unsigned short>("unsigned short");
    test_type<float>("float");
    test_geometries();
    test_edges();
    test_instructions();
    printf("%d checks, %d failures\n", checks, failures);
    return failures || checks < 1000;
}
