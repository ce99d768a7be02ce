/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the kernels that `wgmma.py emit DIR` wrote, through the driver API of whatever libcuda it is
 * linked to: a GPU's, or lockstep's. Prints a line a form: its name and a hash of the registers of
 * each tile. Usage: wgmma DIR [OUT: the registers themselves, a file OUT/NAME a form]
 *
 * Inputs are made here from the form's seed with integers alone, so that they are the same
 * everywhere. Each tile has one kind of numbers; descriptors are of four kinds: as the manual draws
 * layouts, with a base offset, with strides of any length, and with a start at any 16 bytes.
 */
#include "driver.h"

#include <stdint.h>
#include <string.h>

enum { THREADS = 128, IMAGE = 65536, SPLIT = 20480, HEAD = 64, A_WORDS = 4 };

struct form {
    char name[64], d[8], a[8], b[8];
    uint32_t seed, registers, n, bits, sparse, in_registers, trans_a, trans_b, tiles;
};

/* -- random numbers --------------------------------------------------------------------------- */

static uint64_t
next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint32_t
below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((next(state) >> 32) * n >> 32);
}

enum kind { SMALL, WIDE, BITS, ZEROS, DENORMAL, HUGE, WHOLE, ANY, CANCEL, NEAR, SPECIAL, EVEN, KINDS };

static const struct format {
    const char *name;
    uint32_t exponent, fraction, left; /* bits; bits below the fraction */
} formats[] = {{"f16", 5, 10, 0},  {"bf16", 8, 7, 0}, {"tf32", 8, 10, 13},
               {"f32", 8, 23, 0}, {"e4m3", 4, 3, 0}, {"e5m2", 5, 2, 0}};

static const struct format *
format_of(const char *name)
{
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (!strcmp(formats[k].name, name))
            return &formats[k];
    return NULL;
}

static uint32_t
pack(const struct format *f, uint32_t sign, int32_t exponent, uint32_t fraction)
{
    int32_t top = (1 << f->exponent) - 1;
    exponent = exponent < 0 ? 0 : exponent > top ? top : exponent;
    fraction &= (1u << f->fraction) - 1;
    return (sign << (f->exponent + f->fraction) | (uint32_t)exponent << f->fraction | fraction)
           << f->left;
}

static uint32_t
number(const struct format *f, enum kind kind, int32_t scale, uint64_t *state)
{
    int32_t bias = (1 << (f->exponent - 1)) - 1, top = (1 << f->exponent) - 1;
    int32_t width = top / 3 < 2 ? 2 : top / 3;
    uint64_t r = next(state);
    uint32_t sign = r >> 63, fraction = (uint32_t)r & 0xffffff, pick = (uint32_t)(r >> 24) & 0xffff;
    int32_t geometric = pick ? __builtin_ctz(pick) : 16;
    switch (kind) {
    case SMALL:
    case CANCEL:
    case NEAR: return pack(f, sign, bias + (int32_t)(pick % 5) - 2, fraction);
    case EVEN: return pack(f, sign, bias - geometric, fraction); /* evenly in (-2, 2) */
    case WIDE: return pack(f, sign, bias + scale + (int32_t)(pick % (uint32_t)width) - width / 2, fraction);
    case BITS: return (uint32_t)(r >> 8);
    case ZEROS: return pick % 5 < 3 ? pack(f, sign, 0, 0) : pack(f, sign, 1 + (int32_t)(pick / 5) % (top - 1), fraction);
    case DENORMAL: return pack(f, sign, pick % 4 == 3 ? bias : pick % 4 == 2, fraction);
    case HUGE: return pack(f, sign, pick % 4 == 3 ? bias : top - 1 - (int32_t)(pick % 2), fraction);
    case SPECIAL:
        if (pick % 256 < 2)
            return pack(f, sign, top, pick & 256 ? 0 : fraction);
    /* fall through */
    case WHOLE: return pack(f, sign, bias + (int32_t)(pick >> 8) % 4, fraction & ~((1u << (f->fraction - 2)) - 1));
    default: return pack(f, sign, 1 + (int32_t)pick % (top - 1 - (f->exponent == 4)), fraction);
    }
}

/* Numbers of a type, neighbours of CANCEL in pairs: v v of A, v -v (nearly) of B. */
static void
fill(uint32_t *words, size_t count, const char *type, uint32_t bits, enum kind kind, int32_t scale,
     int is_b, uint64_t *state)
{
    const struct format *f = format_of(type);
    for (size_t w = 0; w < count; w++) {
        if (!f) {
            uint64_t r = next(state);
            words[w] = kind % 4 == 0 ? 0x7f807fffu ^ ((uint32_t)r & 0x01010101) : (uint32_t)r;
            continue;
        }
        words[w] = 0;
        for (uint32_t k = 0, v = 0; k < 32; k += bits) {
            if (kind == CANCEL && k / bits % 2)
                v ^= is_b ? (1u << (bits - 1)) | (below(state, 5) == 0) : 0;
            else
                v = number(f, kind, scale, state);
            words[w] |= (bits == 32 ? v : v & ((1u << bits) - 1)) << k;
        }
    }
}

/* What is added to. */
static void
fill_sums(uint32_t *words, size_t count, const char *type, enum kind kind, int32_t scale,
          uint64_t *state)
{
    static const int8_t apart[] = {0, 5, 10, 20, 22, 23, 24, 25, 26, 28, -5, -20};
    const struct format *f = format_of(type);
    for (size_t w = 0; w < count; w++) {
        uint32_t bits = f && f->fraction == 10 ? 16 : 32;
        uint64_t r = next(state);
        words[w] = kind % 3 ? (uint32_t)r >> 8 : ((uint32_t)r & 0x8000001f) ^ 0x7fffffff;
        for (uint32_t k = 0; f && k < 32; k += bits) {
            uint32_t v = number(f, kind, 2 * scale, state);
            if (kind == NEAR)
                v = pack(f, (uint32_t)r & 1, (1 << (f->exponent - 1)) - 1 + apart[below(state, 12)],
                         (uint32_t)(r >> 8));
            words[w] = k ? words[w] | v << k : v;
        }
    }
}

/* -- descriptors ------------------------------------------------------------------------------ */

static uint32_t
aligned_below(uint64_t *state, uint32_t n, uint32_t unit)
{
    return n < unit ? 0 : unit * below(state, n / unit);
}

/* rows along m or n, chunks of 16 bytes along k, in `size` bytes from `first`. */
static uint64_t
descriptor(uint32_t rows, uint32_t chunks, int transposed, uint32_t first, uint32_t size,
           uint64_t *state)
{
    uint32_t mode = below(state, 4), width = (uint32_t[]){1, 8, 4, 2}[mode], way = below(state, 8);
    uint32_t groups = rows / 8, most = (size - 2048) / (2 * (groups + chunks));
    uint32_t leading, stride, start = first + aligned_below(state, 4096, 1024), base = 0;
    if (mode == 0) {
        int k_first = (int)below(state, 2);
        leading = k_first ? 128 : 128 * groups;
        stride = k_first ? 128 * chunks : 128;
        if (transposed && !k_first)
            leading = 128, stride = 128 * chunks;
        else if (transposed)
            leading = 128 * groups, stride = 128;
    } else if (transposed) { /* blocks along k first, or along n */
        uint32_t blocks = (groups + width - 1) / width;
        int k_first = (int)below(state, 2);
        stride = 128 * width * (k_first ? 1 : blocks);
        leading = 128 * width * (k_first ? chunks : 1);
    } else {
        leading = aligned_below(state, 4096, 16);
        stride = 128 * width;
    }
    if (way >= 6 || (groups + 1) * stride + (transposed ? groups + 1 : chunks) * leading > size - 4096) {
        leading = aligned_below(state, most, 16);
        stride = aligned_below(state, most, 16);
        start = first;
    }
    if (way == 4 || way == 5) {
        start += 128 * below(state, 8);
        base = start >> 7 & 7;
    }
    if (way == 7) {
        start += 16 * below(state, 64);
        base = below(state, 8);
    }
    return (uint64_t)mode << 62 | (uint64_t)base << 49 | (uint64_t)(stride >> 4) << 32 |
           (uint64_t)(leading >> 4) << 16 | start >> 4;
}

/* -- a tile ----------------------------------------------------------------------------------- */

static size_t
input_bytes(const struct form *f)
{
    return HEAD + 4 * THREADS * (A_WORDS + 1 + (size_t)f->registers) + IMAGE;
}

static void
make_tile(const struct form *f, uint32_t tile, uint8_t *out)
{
    static const uint32_t pairs[] = {4, 8, 12, 9, 13, 14};
    uint64_t state = (uint64_t)f->seed << 32 ^ tile;
    enum kind kind = (enum kind)((f->seed + tile) % KINDS);
    int32_t scale = (int32_t)below(&state, 5) - 2;
    uint64_t *head = (uint64_t *)out;
    uint32_t *word = (uint32_t *)(out + HEAD), *image;
    uint32_t bits = f->bits == 1 ? 32 : f->bits;
    head[0] = descriptor(64, 2, (int)f->trans_a, 0, SPLIT, &state);
    head[1] = descriptor(f->n, 2u << f->sparse, (int)f->trans_b, SPLIT, IMAGE - SPLIT, &state);
    head[2] = below(&state, 4) != 0; /* scale-d */
    fill(word, A_WORDS * THREADS, f->a, bits, kind, scale, 0, &state);
    word += A_WORDS * THREADS;
    for (uint32_t t = 0; t < THREADS; t++) {
        word[t] = 0;
        for (uint32_t k = 0; k < 8; k++)
            word[t] |= (f->bits == 32 ? below(&state, 2) ? 4u : 14u : pairs[below(&state, 6)]) << 4 * k;
    }
    word += THREADS;
    fill_sums(word, (size_t)f->registers * THREADS, f->d, kind, scale, &state);
    image = word + (size_t)f->registers * THREADS;
    fill(image, SPLIT / 4, f->a, bits, kind, scale, 0, &state);
    fill(image + SPLIT / 4, (IMAGE - SPLIT) / 4, f->b, bits, kind, -scale, 1, &state);
}

static uint64_t
hash_of(const uint32_t *words, size_t count)
{
    uint64_t h = 0xcbf29ce484222325;
    for (size_t k = 0; k < count; k++)
        h = (h ^ words[k]) * 0x100000001b3, h ^= h >> 29;
    return h;
}

/* -- running ---------------------------------------------------------------------------------- */

static int
load_module(const char *folder, const char *name, CUmodule *module)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.cubin", folder, name);
    if (cuModuleLoad(module, path) == CUDA_SUCCESS)
        return 1;
    snprintf(path, sizeof path, "%s/%s.ptx", folder, name);
    return cuModuleLoad(module, path) == CUDA_SUCCESS;
}

static void
run(const char *folder, const struct form *f, const char *dump)
{
    char path[1024];
    CUmodule module;
    CUfunction function;
    if (!load_module(folder, f->name, &module)) {
        printf("%s refused\n", f->name);
        return;
    }
    size_t in_size = input_bytes(f), out_words = (size_t)f->registers * THREADS;
    uint8_t *in = calloc(f->tiles, in_size);
    uint32_t *out = calloc(f->tiles * out_words, 4);
    CUdeviceptr device_in, device_out;
    for (uint32_t t = 0; t < f->tiles; t++)
        make_tile(f, t, in + t * in_size);
    check(cuModuleGetFunction(&function, module, "run"), f->name);
    check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, IMAGE), f->name);
    check(cuMemAlloc(&device_in, f->tiles * in_size), f->name);
    check(cuMemAlloc(&device_out, f->tiles * out_words * 4), f->name);
    check(cuMemcpyHtoD(device_in, in, f->tiles * in_size), f->name);
    void *params[] = {&device_in, &device_out};
    check(cuLaunchKernel(function, f->tiles, 1, 1, THREADS, 1, 1, IMAGE, NULL, params, NULL), f->name);
    check(cuCtxSynchronize(), f->name);
    check(cuMemcpyDtoH(out, device_out, f->tiles * out_words * 4), f->name);
    printf("%s", f->name);
    for (uint32_t t = 0; t < f->tiles; t++)
        printf(" %016llx", (unsigned long long)hash_of(out + t * out_words, out_words));
    printf("\n");
    snprintf(path, sizeof path, "%s/%s", dump ? dump : "", f->name);
    FILE *file = dump ? fopen(path, "wb") : NULL;
    if (file && fwrite(out, 4, f->tiles * out_words, file) == f->tiles * out_words)
        fclose(file);
    check(cuMemFree(device_in), f->name);
    check(cuMemFree(device_out), f->name);
    check(cuModuleUnload(module), f->name);
    free(in);
    free(out);
}

int
main(int argc, char **argv)
{
    char path[1024], line[512];
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: wgmma DIR [OUT]\n");
        return 2;
    }
    begin_device();
    snprintf(path, sizeof path, "%s/manifest", argv[1]);
    FILE *manifest = fopen(path, "r");
    while (manifest && fgets(line, sizeof line, manifest)) {
        struct form f;
        if (sscanf(line, "%63s %u %u %7s %7s %7s %u %u %u %u %u %u %u", f.name, &f.seed, &f.registers,
                   f.d, f.a, f.b, &f.n, &f.bits, &f.sparse, &f.in_registers, &f.trans_a, &f.trans_b,
                   &f.tiles) != 13)
            return 1;
        run(argv[1], &f, argc == 3 ? argv[2] : NULL);
        fflush(stdout);
    }
    return manifest ? 0 : 1;
}
