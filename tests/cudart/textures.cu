/* SPDX-License-Identifier: Apache-2.0
 *
 * Textures through objects and references, of every element type, against plain C; and the readings
 * of a real GPU through real texture instructions:
 *
 *     textures texels.csv h200_texture.csv
 *
 * The reference below knows only what the Programming Guide says (appendix "Texture Fetching").
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "ok.h"

static int failures, checks;

static void
expect(bool good, const char *format, const char *what, double a, double b, int where)
{
    checks++;
    if (!good && failures++ < 20) {
        printf("FAIL ");
        printf(format, what, a, b, where);
        printf("\n");
    }
}
#define SAME(what, a, b, i) expect((a) == (b), "%s: %.9g, expected %.9g (at %d)", what, a, b, i)
#define NEAR(what, a, b, d, i)                                                                     \
    expect(fabs((a) - (b)) <= (d), "%s: %.9g, expected about %.9g (at %d)", what, a, b, i)

/* -- the reference ----------------------------------------------------------------------------- */

struct plain {
    const double *texel; /* [depth][height][width] */
    int size[3], dims;
    cudaTextureAddressMode mode[3];
    bool normalized, linear;
    double border;
};

static double
texel(const plain &p, const long at[3])
{
    long i[3] = {0, 0, 0};
    for (int k = 0; k < p.dims; k++) {
        long n = p.size[k];
        cudaTextureAddressMode m = p.mode[k];
        if (!p.normalized && (m == cudaAddressModeWrap || m == cudaAddressModeMirror))
            m = cudaAddressModeClamp;
        i[k] = at[k];
        if (m == cudaAddressModeClamp)
            i[k] = i[k] < 0 ? 0 : i[k] >= n ? n - 1 : i[k];
        else if (m == cudaAddressModeWrap)
            i[k] = ((i[k] % n) + n) % n;
        else if (m == cudaAddressModeMirror) {
            long r = ((i[k] % (2 * n)) + 2 * n) % (2 * n);
            i[k] = r < n ? r : 2 * n - 1 - r;
        } else if (i[k] < 0 || i[k] >= n)
            return p.border;
    }
    return p.texel[(i[2] * p.size[1] + i[1]) * p.size[0] + i[0]];
}

static double
sample(const plain &p, const float c[3])
{
    long at[3] = {0, 0, 0};
    double share[3] = {0, 0, 0}, sum = 0;
    for (int k = 0; k < p.dims; k++) {
        double x = p.normalized ? (double)c[k] * p.size[k] : c[k];
        x -= p.linear ? 0.5 : 0;
        at[k] = (long)floor(x);
        share[k] = p.linear ? x - floor(x) : 0;
    }
    for (int corner = 0; corner < 8; corner++) {
        double w = 1;
        long i[3];
        for (int k = 0; k < 3; k++) {
            int up = corner >> k & 1;
            w *= up ? share[k] : 1 - share[k];
            i[k] = at[k] + up;
        }
        if (w > 0)
            sum += w * texel(p, i);
    }
    return sum;
}

/* -- kernels ----------------------------------------------------------------------------------- */

template <class T> __global__ void
read_1d(T *out, cudaTextureObject_t t, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1D<T>(t, x[i]);
}

template <class T> __global__ void
read_2d(T *out, cudaTextureObject_t t, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex2D<T>(t, x[i], y[i]);
}

template <class T> __global__ void
read_3d(T *out, cudaTextureObject_t t, const float *x, const float *y, const float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex3D<T>(t, x[i], y[i], z[i]);
}

template <class T> __global__ void
fetch(T *out, cudaTextureObject_t t, int first, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<T>(t, first + i);
}

template <class T> struct managed {
    T *at;
    int n;
    managed(int count) : n(count)
    {
        OK(cudaMallocManaged(&at, sizeof(T) * (count ? count : 1)));
        memset((void *)at, 0x5a, sizeof(T) * count);
    }
    ~managed()
    {
        cudaFree(at);
    }
    T &operator[](int i)
    {
        return at[i];
    }
};

static int
blocks(int n)
{
    return (n + 95) / 96;
}

/* -- the readings ------------------------------------------------------------------------------ */

struct reading {
    char head[64];
    unsigned x, y, bits;
};

static float
as_float(unsigned bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static void
run_readings(const std::vector<reading> &r, size_t first, size_t end, const float *f32,
             const unsigned char *u8)
{
    char dim[8], element[16], coordinates[24], filter[16], address[16];
    sscanf(r[first].head, "%7[^,],%15[^,],%23[^,],%15[^,],%15s", dim, element, coordinates, filter,
           address);
    bool one = dim[0] == '1', floats = !strcmp(element, "f32");
    int w = one ? 35 : 7, h = one ? 0 : 5, n = (int)(end - first);
    cudaChannelFormatDesc d =
        floats ? cudaCreateChannelDesc<float>() : cudaCreateChannelDesc<unsigned char>();
    cudaArray_t a;
    OK(cudaMallocArray(&a, &d, w, h));
    size_t row = w * (floats ? 4 : 1);
    OK(cudaMemcpy2DToArray(a, 0, 0, floats ? (const void *)f32 : u8, row, row, h ? h : 1,
                           cudaMemcpyHostToDevice));
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeArray;
    res.res.array.array = a;
    cudaTextureDesc t = {};
    for (int k = 0; k < 3; k++)
        t.addressMode[k] = !strcmp(address, "wrap")     ? cudaAddressModeWrap
                           : !strcmp(address, "mirror") ? cudaAddressModeMirror
                           : !strcmp(address, "border") ? cudaAddressModeBorder
                                                        : cudaAddressModeClamp;
    t.filterMode = !strcmp(filter, "linear") ? cudaFilterModeLinear : cudaFilterModePoint;
    t.readMode = floats ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    t.normalizedCoords = !strcmp(coordinates, "normalized");
    cudaTextureObject_t object;
    OK(cudaCreateTextureObject(&object, &res, &t, NULL));
    managed<float> x(n), y(n), out(n);
    for (int i = 0; i < n; i++) {
        x[i] = as_float(r[first + i].x);
        y[i] = as_float(r[first + i].y);
    }
    if (one)
        read_1d<float><<<blocks(n), 96>>>(out.at, object, x.at, n);
    else
        read_2d<float><<<blocks(n), 96>>>(out.at, object, x.at, y.at, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        unsigned bits;
        memcpy(&bits, &out[i], 4);
        expect(bits == r[first + i].bits, "reading %s: bits %.0f, hardware %.0f (row %d)",
               r[first].head, bits, r[first + i].bits, (int)first + i);
    }
    OK(cudaDestroyTextureObject(object));
    OK(cudaFreeArray(a));
}

static int
test_readings(const char *texels, const char *readings)
{
    float f32[35];
    unsigned char u8[35];
    char line[256];
    FILE *f = fopen(texels, "r");
    if (!f || !fgets(line, sizeof line, f))
        return printf("cannot read %s\n", texels), 2;
    for (int i = 0; i < 35; i++) {
        unsigned index, bits, byte;
        if (fscanf(f, "%u,%x,%u", &index, &bits, &byte) != 3)
            return printf("bad row %d in %s\n", i, texels), 2;
        f32[index] = as_float(bits);
        u8[index] = (unsigned char)byte;
    }
    fclose(f);
    f = fopen(readings, "r");
    if (!f || !fgets(line, sizeof line, f))
        return printf("cannot read %s\n", readings), 2;
    std::vector<reading> rows;
    while (fgets(line, sizeof line, f)) {
        reading r = {};
        char *at = line;
        for (int comma = 0; comma < 5; comma++)
            at = strchr(at, ',') + 1;
        snprintf(r.head, sizeof r.head, "%.*s", (int)(at - line - 1), line);
        sscanf(at, "%x,%x,%x", &r.x, &r.y, &r.bits);
        rows.push_back(r);
    }
    fclose(f);
    for (size_t i = 0, e; i < rows.size(); i = e) {
        for (e = i; e < rows.size() && !strcmp(rows[i].head, rows[e].head);)
            e++;
        run_readings(rows, i, e, f32, u8);
    }
    expect(rows.size() == 12288, "%s: %.0f rows, %.0f expected (%d)", readings, (double)rows.size(),
           12288, 0);
    printf("%zu readings\n", rows.size());
    return 0;
}

/* -- element types, point filter: exact -------------------------------------------------------- */

static const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp,
                                               cudaAddressModeMirror, cudaAddressModeBorder};

template <class T, class E, int channels, class F, class R>
static void
test_type(const char *name, cudaTextureReadMode read, double scale, double low)
{
    const int W = 13, H = 7, n = 211;
    std::vector<E> host(W * H * channels);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (E)(int)((i * 2654435761u >> 7) % 1021 - 300);
    cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
    T *memory;
    size_t pitch;
    OK(cudaMallocPitch(&memory, &pitch, W * sizeof(T), H));
    OK(cudaMemcpy2D(memory, pitch, host.data(), W * sizeof(T), W * sizeof(T), H,
                    cudaMemcpyHostToDevice));
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypePitch2D;
    res.res.pitch2D.devPtr = memory;
    res.res.pitch2D.desc = d;
    res.res.pitch2D.width = W;
    res.res.pitch2D.height = H;
    res.res.pitch2D.pitchInBytes = pitch;
    managed<float> x(n), y(n);
    managed<F> out(n);
    for (int m = 0; m < 8; m++) {
        cudaTextureDesc t = {};
        t.addressMode[0] = modes[m & 3];
        t.addressMode[1] = modes[(m + 1) & 3];
        t.readMode = read;
        t.normalizedCoords = m >> 2;
        cudaTextureObject_t object;
        OK(cudaCreateTextureObject(&object, &res, &t, NULL));
        for (int i = 0; i < n; i++) {
            x[i] = (float)(i * 37 % 401) / 400 * 3 - 1;
            y[i] = (float)(i * 53 % 307) / 300 * 3 - 1;
            if (!t.normalizedCoords)
                x[i] *= W, y[i] *= H;
        }
        read_2d<F><<<blocks(n), 96>>>(out.at, object, x.at, y.at, n);
        OK(cudaDeviceSynchronize());
        for (int c = 0; c < channels; c++) {
            std::vector<double> plane(W * H);
            for (int i = 0; i < W * H; i++) {
                double v = host[i * channels + c];
                plane[i] = scale ? (float)(v / scale < low ? low : v / scale) : v;
            }
            plain p = {plane.data(),
                       {W, H, 1},
                       2,
                       {t.addressMode[0], t.addressMode[1]},
                       t.normalizedCoords != 0,
                       false,
                       0};
            for (int i = 0; i < n; i++) {
                float at[3] = {x[i], y[i], 0};
                R got;
                memcpy(&got, (const char *)&out[i] + c * sizeof(R), sizeof(R));
                SAME(name, (double)got, sample(p, at), i);
            }
        }
        OK(cudaDestroyTextureObject(object));
    }
    OK(cudaFree(memory));
}

static void
test_types(void)
{
    const cudaTextureReadMode plain_read = cudaReadModeElementType,
                              unit = cudaReadModeNormalizedFloat;
#define TYPE3(name, e)                                                                             \
    test_type<name##1, e, 1, name##1, e>(#name "1", plain_read, 0, 0);                             \
    test_type<name##2, e, 2, name##2, e>(#name "2", plain_read, 0, 0);                             \
    test_type<name##4, e, 4, name##4, e>(#name "4", plain_read, 0, 0);
    TYPE3(char, signed char)
    TYPE3(uchar, unsigned char)
    TYPE3(short, short)
    TYPE3(ushort, unsigned short)
    TYPE3(int, int)
    TYPE3(uint, unsigned)
    TYPE3(float, float)
    test_type<unsigned char, unsigned char, 1, unsigned char, unsigned char>("unsigned char",
                                                                             plain_read, 0, 0);
    test_type<short, short, 1, short, short>("short", plain_read, 0, 0);
    test_type<int, int, 1, int, int>("int", plain_read, 0, 0);
    test_type<float, float, 1, float, float>("float", plain_read, 0, 0);
    test_type<uchar4, unsigned char, 4, float4, float>("uchar4 as floats", unit, 255, 0);
    test_type<char2, signed char, 2, float2, float>("char2 as floats", unit, 127, -1);
    test_type<ushort2, unsigned short, 2, float2, float>("ushort2 as floats", unit, 65535, 0);
    test_type<short1, short, 1, float1, float>("short1 as floats", unit, 32767, -1);
}

/* -- linear filter ----------------------------------------------------------------------------- */

static cudaArray_t
array_of(const std::vector<float> &v, int w, int h, int d, unsigned flags = 0)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    OK(cudaMalloc3DArray(&a, &desc, make_cudaExtent(w, h, d), flags));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)v.data(), w * sizeof(float), w, h ? h : 1);
    p.dstArray = a;
    p.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    return a;
}

static cudaTextureObject_t
object_of(cudaArray_t a, cudaTextureAddressMode mode, bool linear, bool normalized)
{
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeArray;
    res.res.array.array = a;
    cudaTextureDesc t = {};
    t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = mode;
    t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.normalizedCoords = normalized;
    t.borderColor[0] = 2.5f;
    cudaTextureObject_t object;
    OK(cudaCreateTextureObject(&object, &res, &t, NULL));
    return object;
}

static void
test_filters(void)
{
    const int sizes[3][3] = {{31, 0, 0}, {17, 9, 0}, {11, 6, 5}};
    const int n = 500;
    managed<float> x(n), y(n), z(n), out(n);
    for (int dims = 1; dims <= 3; dims++) {
        const int *s = sizes[dims - 1];
        int w = s[0], h = s[1] ? s[1] : 1, d = s[2] ? s[2] : 1;
        std::vector<float> v(w * h * d);
        std::vector<double> plane(v.size());
        for (size_t i = 0; i < v.size(); i++)
            plane[i] = v[i] = (float)((i * 2654435761u >> 9) % 2000) / 16 - 40;
        cudaArray_t a = array_of(v, s[0], s[1], s[2]);
        for (int m = 0; m < 16; m++) {
            bool linear = m >> 2 & 1, normalized = m >> 3;
            cudaTextureAddressMode mode = modes[m & 3];
            if (linear && dims == 1 && mode == cudaAddressModeBorder)
                continue; /* the hardware filters it as two rows: in the readings */
            cudaTextureObject_t t = object_of(a, mode, linear, normalized);
            for (int i = 0; i < n; i++) {
                x[i] = (float)(i * 37 % 499) / 499 * 3 - 1;
                y[i] = (float)(i * 53 % 491) / 491 * 3 - 1;
                z[i] = (float)(i * 61 % 487) / 487 * 3 - 1;
                if (!normalized)
                    x[i] *= w, y[i] *= h, z[i] *= d;
            }
            if (dims == 1)
                read_1d<float><<<blocks(n), 96>>>(out.at, t, x.at, n);
            else if (dims == 2)
                read_2d<float><<<blocks(n), 96>>>(out.at, t, x.at, y.at, n);
            else
                read_3d<float><<<blocks(n), 96>>>(out.at, t, x.at, y.at, z.at, n);
            OK(cudaDeviceSynchronize());
            plain p = {plane.data(), {w, h, d}, dims, {mode, mode, mode}, normalized, linear, 2.5};
            char name[80];
            snprintf(name, sizeof name, "%d-D %s, mode %d, normalized %d", dims,
                     linear ? "linear" : "point", (int)mode, normalized);
            for (int i = 0; i < n; i++) {
                float at[3] = {x[i], y[i], z[i]};
                if (linear) /* weights of 8 bits, texels up to 125 apart */
                    NEAR(name, out[i], sample(p, at), dims * 125.0 / 256, i);
                else
                    SAME(name, out[i], sample(p, at), i);
            }
            OK(cudaDestroyTextureObject(t));
        }
        OK(cudaFreeArray(a));
    }
}

/* -- references -------------------------------------------------------------------------------- */

texture<float, cudaTextureType1D, cudaReadModeElementType> line;
texture<float, 2> image;
texture<uchar4, 2, cudaReadModeNormalizedFloat> colours;
texture<int4, 1> quads;
texture<float, 3> volume;

__global__ void
read_line(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch(line, i - 2);
}

__global__ void
read_image(float *out, int w, int h, float dx, float dy)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = tex2D(image, x + dx, y + dy);
}

__global__ void
read_more(float4 *c, int4 *q, float *v)
{
    int i = threadIdx.x;
    c[i] = tex2D(colours, i + 0.5f, 1.5f);
    q[i] = tex1Dfetch(quads, i);
    v[i] = tex3D(volume, i + 0.5f, 1.5f, 2.5f);
}

static void
test_references(void)
{
    const int n = 100, W = 21, H = 10;
    managed<float> memory(n), out(W * H), v(5);
    for (int i = 0; i < n; i++)
        memory[i] = (float)(i * i % 97);
    size_t offset = 7;
    OK(cudaBindTexture(&offset, line, memory.at, n * sizeof(float)));
    SAME("offset", (double)offset, 0.0, 0);
    read_line<<<2, 64>>>(out.at, n + 4);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n + 4; i++)
        SAME("tex1Dfetch", out[i], i < 2 || i >= n + 2 ? 0.0f : memory[i - 2], i);
    OK(cudaUnbindTexture(line));

    std::vector<float> host(W * H);
    for (int i = 0; i < W * H; i++)
        host[i] = (float)(i * 31 % 101);
    float *pitched;
    size_t pitch;
    OK(cudaMallocPitch(&pitched, &pitch, W * sizeof(float), H));
    OK(cudaMemcpy2D(pitched, pitch, host.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    image.addressMode[0] = cudaAddressModeClamp;
    image.addressMode[1] = cudaAddressModeClamp;
    image.filterMode = cudaFilterModePoint;
    image.normalized = false;
    OK(cudaBindTexture2D(NULL, image, pitched, d, W, H, pitch));
    dim3 grid(2, 2), block(16, 8);
    read_image<<<grid, block>>>(out.at, W, H, 0.5f, 0.5f);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < W * H; i++)
        SAME("tex2D of pitched memory", out[i], host[i], i);

    /* Bound again, to an array, with other settings: halfway between two texels. */
    cudaArray_t a = array_of(host, W, H, 0);
    const textureReference *ref;
    OK(cudaGetTextureReference(&ref, &image));
    image.filterMode = cudaFilterModeLinear;
    OK(cudaBindTextureToArray(ref, a, &d));
    read_image<<<grid, block>>>(out.at, W, H, 1.0f, 0.5f);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < W * H; i++)
        SAME("tex2D, linear", out[i], (host[i] + host[i % W == W - 1 ? i : i + 1]) / 2, i);
    OK(cudaUnbindTexture(image));
    OK(cudaFreeArray(a));

    uchar4 pixels[8];
    for (int i = 0; i < 8; i++)
        pixels[i] = make_uchar4(i, 10 * i, 255 - i, 17);
    cudaArray_t pa;
    cudaChannelFormatDesc pd = cudaCreateChannelDesc<uchar4>();
    OK(cudaMallocArray(&pa, &pd, 4, 2));
    OK(cudaMemcpyToArray(pa, 0, 0, pixels, sizeof pixels, cudaMemcpyHostToDevice));
    OK(cudaBindTextureToArray(colours, pa));
    managed<int4> four(4), q(4);
    managed<float4> c(4);
    for (int i = 0; i < 4; i++)
        four[i] = make_int4(i, -i, 1 << i, i - 100);
    OK(cudaBindTexture(NULL, quads, four.at, sizeof(int4) * 4));
    std::vector<float> box(4 * 3 * 5);
    for (size_t i = 0; i < box.size(); i++)
        box[i] = (float)i + 0.25f;
    cudaArray_t ba = array_of(box, 4, 3, 5);
    OK(cudaBindTextureToArray(volume, ba));
    read_more<<<1, 4>>>(c.at, q.at, v.at);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++) {
        SAME("uchar4 .x", c[i].x, (float)(pixels[4 + i].x / 255.0), i);
        SAME("uchar4 .y", c[i].y, (float)(pixels[4 + i].y / 255.0), i);
        SAME("uchar4 .z", c[i].z, (float)(pixels[4 + i].z / 255.0), i);
        SAME("uchar4 .w", c[i].w, (float)(17 / 255.0), i);
        SAME("int4 .y", (double)q[i].y, (double)-i, i);
        SAME("int4 .w", (double)q[i].w, (double)(i - 100), i);
        SAME("tex3D", v[i], box[(2 * 3 + 1) * 4 + i], i);
    }
    OK(cudaFreeArray(pa));
    OK(cudaFreeArray(ba));
    OK(cudaFree(pitched));
}

/* -- layers, cubes, levels, gather ------------------------------------------------------------- */

__global__ void
read_layers(float *out, cudaTextureObject_t t, int w, int h, int layers)
{
    int i = threadIdx.x, x = i % w, y = i / w % h, l = i / (w * h);
    if (l < layers + 2)
        out[i] = tex2DLayered<float>(t, x + 0.5f, y + 0.5f, l - 1);
}

__global__ void
read_cube(float *out, cudaTextureObject_t t)
{
    const float d[8][3] = {{2, .1f, .2f}, {-3, .1f, .2f}, {.5f, 4, .1f}, {.5f, -4, .1f},
                           {.2f, .1f, 1}, {.2f, .1f, -1}, {1, -.75f, -.25f}, {-.25f, .75f, -1}};
    int i = threadIdx.x;
    out[i] = texCubemap<float>(t, d[i][0], d[i][1], d[i][2]);
}

__global__ void
read_levels(float *out, cudaTextureObject_t t)
{
    int i = threadIdx.x;
    out[i] = tex2DLod<float>(t, 0.5f, 0.5f, i * 0.25f - 1);
    out[i + 32] =
        tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(exp2f(i * 0.25f - 5), 0), make_float2(0, 0));
    out[i + 64] = tex2D<float>(t, 0.5f, 0.5f);
}

__global__ void
read_gather(float4 *out, cudaTextureObject_t t)
{
    out[threadIdx.x] = tex2Dgather<float4>(t, 2.0f + threadIdx.x, 3.0f, 0);
}

static void
test_geometries(void)
{
    std::vector<float> v(4 * 4 * 6);
    for (size_t i = 0; i < v.size(); i++)
        v[i] = (float)i;
    managed<float> out(96);
    cudaArray_t a = array_of(v, 4, 3, 5, cudaArrayLayered);
    cudaTextureObject_t t = object_of(a, cudaAddressModeClamp, false, false);
    read_layers<<<1, 96>>>(out.at, t, 4, 3, 5);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 84; i++) {
        int layer = i / 12 - 1;
        layer = layer < 0 ? 0 : layer > 4 ? 4 : layer; /* layers are clamped */
        SAME("layers", out[i], v[layer * 12 + i % 12], i);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));

    a = array_of(v, 4, 4, 6, cudaArrayCubemap);
    t = object_of(a, cudaAddressModeClamp, false, true);
    read_cube<<<1, 8>>>(out.at, t);
    OK(cudaDeviceSynchronize());
    const int faces[8] = {0, 1, 2, 3, 4, 5, 0, 5};
    const float st[8][2] = {{-.1f, -.05f}, {.2f / 3, -.1f / 3}, {.125f, .025f}, {.125f, -.025f},
                            {.2f, -.1f},   {-.2f, -.1f},        {.25f, .75f},   {.25f, -.75f}};
    for (int i = 0; i < 8; i++) {
        int x = (int)floorf((st[i][0] + 1) / 2 * 4), y = (int)floorf((st[i][1] + 1) / 2 * 4);
        SAME("cube", out[i], v[faces[i] * 16 + y * 4 + x], i);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));

    cudaMipmappedArray_t m;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    OK(cudaMallocMipmappedArray(&m, &d, make_cudaExtent(32, 32, 0), 4));
    for (int l = 0; l < 4; l++) {
        cudaArray_t level;
        OK(cudaGetMipmappedArrayLevel(&level, m, l));
        std::vector<float> flat(32 * 32 >> 2 * l, 10.0f * (float)l);
        OK(cudaMemcpy2DToArray(level, 0, 0, flat.data(), 4 * (32 >> l), 4 * (32 >> l), 32 >> l,
                               cudaMemcpyHostToDevice));
    }
    for (int linear = 0; linear < 2; linear++) {
        cudaResourceDesc res = {};
        res.resType = cudaResourceTypeMipmappedArray;
        res.res.mipmap.mipmap = m;
        cudaTextureDesc td = {};
        td.normalizedCoords = 1;
        td.filterMode = cudaFilterModeLinear;
        td.mipmapFilterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        td.maxMipmapLevelClamp = 2.5f;
        OK(cudaCreateTextureObject(&t, &res, &td, NULL));
        read_levels<<<1, 32>>>(out.at, t);
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < 32; i++) {
            float level =
                i * 0.25f - 1; /* the gradient is as long: 32 texels times 2^(level - 5) */
            for (int g = 0; g < 2; g++) {
                float want = g ? i * 0.25f : level;
                want = want < 0 ? 0 : want > 2.5f ? 2.5f : want;
                SAME(g ? "gradient" : "level", out[i + 32 * g],
                     10 * (linear ? want : floorf(want + 0.5f)), i);
            }
            SAME("level 0", out[i + 64], 0.0f, i);
        }
        OK(cudaDestroyTextureObject(t));
    }
    OK(cudaFreeMipmappedArray(m));

    a = array_of(v, 12, 8, 0);
    t = object_of(a, cudaAddressModeClamp, false, false);
    managed<float4> four(4);
    read_gather<<<1, 4>>>(four.at, t);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++) {
        int x = 1 + i;
        SAME("gather .x", four[i].x, v[3 * 12 + x], i);
        SAME("gather .y", four[i].y, v[3 * 12 + x + 1], i);
        SAME("gather .z", four[i].z, v[2 * 12 + x + 1], i);
        SAME("gather .w", four[i].w, v[2 * 12 + x], i);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
}

/* Objects that differ by lane, and lanes that are off. */
__global__ void
read_mixed(float *out, const cudaTextureObject_t *t)
{
    int i = threadIdx.x;
    out[i] = -1;
    if (i % 5)
        out[i] = tex1Dfetch<float>(t[i % 3], i);
}

static void
test_mixed(void)
{
    managed<float> memory(3 * 64), out(64);
    managed<cudaTextureObject_t> t(3);
    for (int i = 0; i < 3 * 64; i++)
        memory[i] = (float)i;
    for (int k = 0; k < 3; k++) {
        cudaResourceDesc res = {};
        res.resType = cudaResourceTypeLinear;
        res.res.linear.devPtr = memory.at + 64 * k;
        res.res.linear.desc = cudaCreateChannelDesc<float>();
        res.res.linear.sizeInBytes = 50 * 4;
        cudaTextureDesc td = {};
        td.filterMode = cudaFilterModeLinear; /* ignored for linear memory */
        OK(cudaCreateTextureObject(&t[k], &res, &td, NULL));
    }
    read_mixed<<<1, 64>>>(out.at, t.at);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        SAME("objects by lane", out[i],
             i % 5 == 0 ? -1.0f
             : i < 50   ? memory[64 * (i % 3) + i]
                        : 0.0f,
             i);
    for (int k = 0; k < 3; k++)
        OK(cudaDestroyTextureObject(t[k]));
}

int
main(int argc, char **argv)
{
    if (argc == 3 && test_readings(argv[1], argv[2]))
        return 2;
    test_types();
    test_filters();
    test_references();
    test_geometries();
    test_mixed();
    printf("%d checks, %d failures\n", checks, failures);
    return failures || checks < 1000;
}
