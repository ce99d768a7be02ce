/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_wide.cu: copies by random maps of im2col::w and im2col::w::128 (PTX ISA 5.5.5), byte for
 * byte against a list of their pixels, made one by one; what cuTensorMapEncodeIm2colWide refuses;
 * maps and instructions of different modes. Prints what is wrong, and "fine". With the argument
 * "old": what a device older than compute capability 10.0 refuses.
 */
#include "../common/expect.h"

#include <cstdint>
#include <cstring>
#include <cuda.h>
#include <utility>
#include <vector>

enum { MAPS = 120, THREADS = 128, TILE = 48 << 10, BUFFER = 256 << 10, BASE = 64 << 10 };
enum mode { TILED, IM2COL, W, W128 };

/* -- kernels ----------------------------------------------------------------------------------- */

struct place {
    int at[5];
    unsigned short halo, offset;
    unsigned tile, bytes;
};

__device__ unsigned
shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

#define COPY(rank, coordinates, way)                                                               \
    asm volatile("cp.async.bulk.tensor." rank "d.shared::cta.global." way                          \
                 ".mbarrier::complete_tx::bytes [%0], [%1, {" coordinates "}], [%7], {%8, %9};"    \
                 "cp.async.bulk.prefetch.tensor." rank "d.L2.global." way " [%1, {" coordinates    \
                 "}], {%8, %9};" ::"r"(to),                                                        \
                 "l"(map), "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]), "r"(p.at[4]),   \
                 "r"(barrier), "h"(p.halo), "h"(p.offset)                                          \
                 : "memory")
#define COPIES(way)                                                                                \
    if (RANK == 3)                                                                                 \
        COPY("3", "%2, %3, %4", way);                                                              \
    else if (RANK == 4)                                                                            \
        COPY("4", "%2, %3, %4, %5", way);                                                          \
    else                                                                                           \
        COPY("5", "%2, %3, %4, %5, %6", way)

template <int RANK, int MODE>
__device__ void
copy(const CUtensorMap *map, const struct place &p, unsigned to, unsigned barrier)
{
    if (MODE == W) {
        COPIES("im2col::w");
    } else if (MODE == W128) {
        COPIES("im2col::w::128");
    } else if (RANK == 4) { /* where two numbers are the offsets of im2col */
        COPY("4", "%2, %3, %4, %5", "im2col");
    }
}

/* All of shared memory after the copy; *over: whether the phase ended with these bytes. */
template <int RANK, int MODE>
__global__ void
load(const __grid_constant__ CUtensorMap map, struct place p, const uint4 *fill, uint4 *out,
     unsigned *over)
{
    extern __shared__ __align__(1024) uint4 s[];
    __shared__ unsigned long long b;
    unsigned done = 0;
    for (int k = threadIdx.x; k < TILE / 16; k += THREADS)
        s[k] = fill[k];
    asm volatile("fence.proxy.async;" ::: "memory");
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" ::"r"(shared(&b))
                     : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(
                         shared(&b)),
                     "r"(p.bytes)
                     : "memory");
        copy<RANK, MODE>(&map, p, shared(s) + p.tile, shared(&b));
    }
    for (int k = 0; k < 20000 && !done; k++)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared(&b))
                     : "memory");
    for (int k = threadIdx.x; k < TILE / 16; k += THREADS)
        out[k] = s[k];
    if (threadIdx.x == 0)
        *over = done;
}

typedef void (*kernel)(const CUtensorMap, struct place, const uint4 *, uint4 *, unsigned *);

static kernel
kernel_of(unsigned rank, int mode)
{
    if (mode == W)
        return rank == 3 ? load<3, W> : rank == 4 ? load<4, W> : load<5, W>;
    if (mode == W128)
        return rank == 3 ? load<3, W128> : rank == 4 ? load<4, W128> : load<5, W128>;
    return load<4, IM2COL>;
}

/* -- a random map ------------------------------------------------------------------------------ */

struct wide {
    int mode;
    cuuint32_t type, rank, swizzle, fill, channels, pixels, step[5];
    cuuint64_t offset, dim[5], stride[4];
    int lower, upper;
    struct place p;
};

static const unsigned type_bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

static uint64_t seed = 1;

static unsigned
draw(unsigned least, unsigned most)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return least + (unsigned)((z ^ z >> 31) % (most - least + 1));
}

static unsigned
pitch_of(const struct wide *c)
{
    return c->swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 64 : 128;
}

static unsigned
rows_of(const struct wide *c)
{
    return c->mode == W128 ? 128 + 4 * c->p.halo : c->pixels + c->p.halo;
}

static void
draw_tensor(struct wide *c)
{
    unsigned size = type_bytes[c->type];
    static const unsigned most[] = {0, 24, 4, 3, 40};
    c->dim[0] = draw(1, 160 / size);
    cuuint64_t step = (c->dim[0] * size + 15) / 16 * 16 + 16 * draw(0, 1);
    for (unsigned k = 1; k < c->rank; k++) {
        c->dim[k] = draw(1, k + 1 == c->rank ? most[4] : most[k]);
        while (c->dim[k] > 1 && c->dim[k] * step > (96 << 10))
            c->dim[k]--;
        c->stride[k - 1] = step;
        step = step * c->dim[k] + 16 * draw(0, 1);
        c->step[k] = draw(0, 2) ? 1 : draw(1, 3);
    }
    c->step[0] = 1;
    c->offset = BASE + 16 * draw(0, 63);
}

static struct wide
draw_map(void)
{
    static const cuuint32_t swizzles[] = {CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B,
                                          CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B};
    struct wide c = {};
    c.mode = (int)draw(W, W128);
    c.rank = draw(3, 5);
    c.type = draw(0, 12);
    c.swizzle = swizzles[draw(0, 2)];
    c.fill = c.type >= 6 && draw(0, 1);
    draw_tensor(&c);
    unsigned size = type_bytes[c.type], most = (TILE - 2048) / pitch_of(&c);
    c.channels = draw(1, pitch_of(&c) / 16) * 16 / size;
    c.pixels = draw(0, 2) ? draw(1, 40) : draw(1, 256);
    c.p.halo = (unsigned short)draw(0, draw(0, 3) ? 4 : c.mode == W128 ? 31 : 511);
    while (rows_of(&c) > most)
        c.p.halo--;
    c.p.offset = (unsigned short)draw(0, draw(0, 3) ? 2 : 31);
    c.lower = (int)draw(0, 4) - 2, c.upper = (int)draw(0, 4) - 2;
    int wide = (int)c.dim[1];
    if (c.lower >= wide + c.upper)
        c.lower = 0, c.upper = 0;
    c.p.at[0] = ((int)draw(0, 24) - 8) & -(int)(16 / size);
    /* one in four begins left of the box */
    c.p.at[1] = draw(0, 3) ? c.lower + (int)draw(0, (unsigned)(wide + c.upper - c.lower - 1))
                           : c.lower - (int)draw(1, 9);
    for (unsigned k = 2; k + 1 < c.rank; k++)
        c.p.at[k] = draw(0, 5) ? (int)draw(0, (unsigned)c.dim[k] - 1) : (int)draw(0, 12) - 4;
    c.p.at[c.rank - 1] = (int)draw(0, (unsigned)c.dim[c.rank - 1] / 2 + 1) - 1;
    c.p.tile = 128 * draw(0, 15);
    c.p.bytes = rows_of(&c) * c.channels * size;
    return c;
}

static CUresult
encode(CUtensorMap *map, const struct wide *c, char *tensor)
{
    return cuTensorMapEncodeIm2colWide(
        map, (CUtensorMapDataType)c->type, c->rank, tensor + c->offset, c->dim, c->stride, c->lower,
        c->upper, c->channels, c->mode == W128 ? 0 : c->pixels, c->step,
        CU_TENSOR_MAP_INTERLEAVE_NONE,
        c->mode == W128 ? CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 : CU_TENSOR_MAP_IM2COL_WIDE_MODE_W,
        (CUtensorMapSwizzle)c->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        (CUtensorMapFloatOOBfill)c->fill);
}

/* -- what is expected -------------------------------------------------------------------------- */

typedef std::pair<long, long> pixel; /* W, N */

/* Pixels in the order of the walk, so many: the box moves with wOffset, H and D stay, and the
 * next image begins at the box's lower corner. */
static std::vector<pixel>
walked(const struct wide *c, unsigned count)
{
    std::vector<pixel> out;
    long w = c->p.at[1] + c->p.offset, n = c->p.at[c->rank - 1];
    long low = c->lower + c->p.offset, high = (long)c->dim[1] - 1 + c->upper + c->p.offset;
    while (out.size() < count) {
        out.push_back({w, n});
        w += c->step[1];
        if (w > high)
            w = low, n++;
    }
    return out;
}

/* Rows of shared memory. */
static std::vector<pixel>
rows_expected(const struct wide *c)
{
    if (c->mode == W)
        return walked(c, c->pixels + c->p.halo);
    std::vector<pixel> all = walked(c, 128 + c->p.halo), out(all.begin(), all.begin() + 128);
    for (unsigned h = 0; h < c->p.halo; h++)
        for (unsigned group = 1; group <= 4; group++)
            out.push_back(all[32 * group + h]);
    return out;
}

/* Where byte `at` of shared memory lies: 16 or 32 bytes together change places in 128, as the
 * number of the line says (5.5.7). */
static unsigned
swizzled(unsigned swizzle, unsigned at)
{
    unsigned line = at / 128, in = at % 128, unit = swizzle == 4 ? 32 : 16;
    return line * 128 + (in / unit ^ line % (swizzle == 3 ? 8 : 4)) * unit + in % unit;
}

static void
expect(const struct wide *c, const std::vector<uint8_t> &tensor, std::vector<uint8_t> &tile,
       unsigned *inside)
{
    unsigned size = type_bytes[c->type], row = 0;
    for (const pixel &x : rows_expected(c)) {
        bool there = x.first >= 0 && x.first < (long)c->dim[1] && x.second >= 0 &&
                     x.second < (long)c->dim[c->rank - 1];
        long from = (long)c->offset + x.first * (long)c->stride[0] +
                    x.second * (long)c->stride[c->rank - 2];
        for (unsigned k = 2; k + 1 < c->rank; k++) {
            there &= c->p.at[k] >= 0 && c->p.at[k] < (int)c->dim[k];
            from += c->p.at[k] * (long)c->stride[k - 1];
        }
        for (unsigned b = 0; b < c->channels * size; b++) {
            long channel = c->p.at[0] + (long)(b / size);
            bool here = there && channel >= 0 && channel < (long)c->dim[0];
            unsigned to = swizzled(c->swizzle, c->p.tile + row * pitch_of(c) + b);
            tile[to] = here         ? tensor[from + channel * (long)size + b % size]
                       : !c->fill   ? 0
                       : b % 2 == 0 ? 0xf7
                                    : 0x7f;
            *inside += here;
        }
        row++;
    }
}

/* -- memory ------------------------------------------------------------------------------------ */

static std::vector<uint8_t> tensor_host(BUFFER), fill_host(TILE);
static char *tensor, *fill;
static uint4 *out;
static unsigned *over;

static void
begin(void)
{
    cudaMalloc(&tensor, BUFFER);
    cudaMalloc(&fill, TILE);
    cudaMalloc(&out, TILE);
    cudaMalloc(&over, sizeof *over);
    cudaMemcpy(tensor, tensor_host.data(), BUFFER, cudaMemcpyHostToDevice);
    cudaMemcpy(fill, fill_host.data(), TILE, cudaMemcpyHostToDevice);
}

/* Any bytes, but that words are as .tf32 has them when they are loaded: 10 bits of the fraction,
 * finite. */
static void
fill_memory(void)
{
    for (uint8_t &b : fill_host)
        b = (uint8_t)draw(0, 255);
    for (unsigned k = 0; k < BUFFER; k += 4) {
        uint32_t x = draw(0, 0xfffffffe) & 0xbfffe000;
        memcpy(&tensor_host[k], &x, 4);
    }
}

static cudaError_t
run(kernel f, const CUtensorMap &map, const struct place &p)
{
    cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, TILE);
    f<<<1, THREADS, TILE>>>(map, p, (const uint4 *)fill, out, over);
    return cudaDeviceSynchronize();
}

static void
copies(void)
{
    unsigned inside = 0, halos = 0;
    for (int k = 0; k < MAPS; k++) {
        struct wide c = draw_map();
        CUtensorMap map;
        unsigned ended = 0;
        std::vector<uint8_t> wanted = fill_host, got(TILE);
        EXPECT(encode(&map, &c, tensor) == CUDA_SUCCESS);
        EXPECT(run(kernel_of(c.rank, c.mode), map, c.p) == cudaSuccess);
        cudaMemcpy(got.data(), out, TILE, cudaMemcpyDeviceToHost);
        cudaMemcpy(&ended, over, sizeof ended, cudaMemcpyDeviceToHost);
        expect(&c, tensor_host, wanted, &inside);
        halos += c.p.halo;
        if (!ended || got != wanted) {
            printf("map %d: mode %d, %u dimensions: %s\n", k, c.mode, c.rank,
                   ended ? "other bytes" : "the phase is not over");
            failures++;
        }
    }
    EXPECT(inside > 100000 && halos > 1000);
}

/* -- what is refused --------------------------------------------------------------------------- */

static struct wide
plain(int mode)
{
    struct wide c = {};
    c.mode = mode, c.type = CU_TENSOR_MAP_DATA_TYPE_UINT32, c.rank = 4;
    c.swizzle = CU_TENSOR_MAP_SWIZZLE_64B, c.channels = 16, c.pixels = 20;
    static const cuuint64_t dim[] = {16, 9, 3, 7, 1}, stride[] = {64, 576, 1728, 16384};
    memcpy(c.dim, dim, sizeof dim);
    memcpy(c.stride, stride, sizeof stride);
    for (cuuint32_t &s : c.step)
        s = 1;
    c.p.bytes = rows_of(&c) * 64;
    return c;
}

static void
parameters(void)
{
    CUtensorMap map;
    struct wide good = plain(W);
    EXPECT(encode(&map, &good, tensor) == CUDA_SUCCESS);
#define REFUSED(change)                                                                            \
    do {                                                                                           \
        struct wide c = good;                                                                      \
        change;                                                                                    \
        EXPECT(encode(&map, &c, tensor) == CUDA_ERROR_INVALID_VALUE);                              \
    } while (0)
    REFUSED(c.rank = 2);
    REFUSED(c.rank = 6);
    REFUSED(c.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE);
    REFUSED(c.swizzle = CU_TENSOR_MAP_SWIZZLE_32B);
    REFUSED(c.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B);
    REFUSED(c.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
    REFUSED(c.channels = 0);
    REFUSED(c.channels = 20); /* 80 bytes of a swizzle of 64 */
    REFUSED(c.channels = 3);  /* 12 bytes */
    REFUSED(c.pixels = 0);
    REFUSED(c.pixels = 1025);
    REFUSED(c.step[1] = 9);
    REFUSED(c.step[3] = 0);
    REFUSED(c.lower = -32769);
    REFUSED(c.upper = 32768);
    REFUSED(c.lower = 9); /* no pixel in the box */
    REFUSED(c.fill = 1);  /* NaN, of integers */
    REFUSED(c.type = 16);
    REFUSED(c.stride[1] = 580);
    REFUSED(c.offset = 8);
#undef REFUSED
    struct wide c = good;
    c.lower = -32768, c.upper = 32767; /* 16 bits in four dimensions, too */
    EXPECT(encode(&map, &c, tensor) == CUDA_SUCCESS);
    c = plain(W128); /* whose pixels are not looked at: encode passes none */
    EXPECT(encode(&map, &c, tensor) == CUDA_SUCCESS);
    CUtensorMapIm2ColWideMode none = (CUtensorMapIm2ColWideMode)2;
    EXPECT(cuTensorMapEncodeIm2colWide(
               &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, tensor, good.dim, good.stride, 0, 0, 16, 20,
               good.step, CU_TENSOR_MAP_INTERLEAVE_NONE, none, CU_TENSOR_MAP_SWIZZLE_64B,
               CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTensorMapEncodeIm2colWide(
               &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, tensor, good.dim, good.stride, 0, 0, 16, 20,
               good.step, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W,
               CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE);
}

/* The tensor of plain() in another mode's map. */
static CUtensorMap
other_map(int mode)
{
    struct wide c = plain(mode);
    CUtensorMap map;
    cuuint32_t box[] = {16, 4, 1, 1};
    int corner[] = {0, 0};
    CUresult r;
    if (mode == TILED)
        r = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, tensor, c.dim, c.stride,
                                   box, c.step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    else if (mode == IM2COL)
        r = cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, tensor, c.dim,
                                    c.stride, corner, corner, 16, 20, c.step,
                                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B,
                                    CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    else
        r = encode(&map, &c, tensor);
    EXPECT(r == CUDA_SUCCESS);
    return map;
}

/* The kernel ends, and the device begins anew. */
static void
ends(int map_mode, int mode, const struct place &p, const char *what)
{
    if (run(kernel_of(4, mode), other_map(map_mode), p) != cudaErrorIllegalInstruction) {
        printf("no illegal instruction: %s\n", what);
        failures++;
    }
    cudaDeviceReset();
    begin();
}

static void
instructions(void)
{
    struct place p = plain(W).p;
    ends(TILED, W, p, "a tiled map, im2col::w");
    ends(IM2COL, W, p, "a map of im2col, im2col::w");
    ends(W128, W, p, "a map of im2col::w::128, im2col::w");
    ends(IM2COL, W128, p, "a map of im2col, im2col::w::128");
    ends(W, IM2COL, p, "a map of im2col::w, im2col");
    p.halo = 32;
    ends(W128, W128, p, "a halo of 32, im2col::w::128");
    p.halo = 512;
    ends(W, W, p, "a halo of 512, im2col::w");
    p.halo = 0, p.offset = 32;
    ends(W, W, p, "an offset of 32");
    p.offset = 0, p.at[1] = 9;
    ends(W, W, p, "a first pixel right of the box");
    p = plain(W128).p; /* the map's number of pixels is not looked at */
    unsigned ended = 0;
    EXPECT(run(kernel_of(4, W128), other_map(W), p) == cudaSuccess);
    cudaMemcpy(&ended, over, sizeof ended, cudaMemcpyDeviceToHost);
    EXPECT(ended);
}

static void
old(void)
{
    struct wide c = plain(W);
    CUtensorMap map;
    EXPECT(encode(&map, &c, tensor) == CUDA_ERROR_NOT_SUPPORTED);
    c = plain(W128);
    EXPECT(encode(&map, &c, tensor) == CUDA_ERROR_NOT_SUPPORTED);
    ends(TILED, W, c.p, "im2col::w");
    ends(IM2COL, W128, c.p, "im2col::w::128");
}

int
main(int argc, char **argv)
{
    fill_memory();
    begin();
    if (argc > 1 && !strcmp(argv[1], "old")) {
        old();
    } else {
        copies();
        parameters();
        instructions();
    }
    if (!failures)
        printf("fine\n");
    return failures != 0;
}
