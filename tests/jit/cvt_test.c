/* SPDX-License-Identifier: Apache-2.0
 *
 * cvt in all pairs of types, roundings and clamps. The table is made by the program: every legal
 * combination of (destination, source, rounding, .ftz, .sat) is one form, compared with exact
 * arithmetic in long double (reference.h) or in 128-bit integers.
 */
#include "common/unit.h"

#include "jit/harness.h"
#include "jit/reference.h"

struct type {
    const char *name;
    char width;
    unsigned bits;
    bool is_signed;
    const struct ref_format *format; /* NULL: integer */
};

static const struct type types[] = {
    {"u8", 'b', 8, false, NULL},         {"s8", 'b', 8, true, NULL},
    {"u16", 'h', 16, false, NULL},       {"s16", 'h', 16, true, NULL},
    {"u32", 'w', 32, false, NULL},       {"s32", 'w', 32, true, NULL},
    {"u64", 'd', 64, false, NULL},       {"s64", 'd', 64, true, NULL},
    {"f16", 'h', 16, false, &fmt_f16},   {"bf16", 'h', 16, false, &fmt_bf16},
    {"f32", 'w', 32, false, &fmt_f32},   {"f64", 'd', 64, false, &fmt_f64},
    {"tf32", 'w', 32, false, &fmt_tf32},
};

enum { TYPES = sizeof types / sizeof *types };
enum { FTZ = 0x100, SAT = 0x200, RELU = 0x400, FINITE = 0x800, TO_INT = 0x1000 };

/* The conversion under test; the reference functions read it. */
static struct {
    const struct type *to, *from;
    enum ref_mode mode;
    int flags;
} now;

static uint64_t
canonical(const struct type *t)
{
    return t->bits == 64 ? UINT64_C(0x7ff8000000000000) : t->bits == 32 ? 0x7fffffff : 0x7fff;
}

static long double
to_integral(long double x, enum ref_mode m)
{
    switch (m) {
    case REF_RN: return nearbyintl(x);
    case REF_RZ: return truncl(x);
    case REF_RM: return floorl(x);
    default: return ceill(x);
    }
}

static uint64_t
float_to_int(long double x, const struct type *t)
{
    uint64_t all = t->bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << t->bits) - 1;
    if (isnan(x))
        return now.from->bits == 64 || t->bits == 64 ? UINT64_C(1) << (t->bits - 1) : 0;
    x = to_integral(x, now.mode);
    long double top = ldexpl(1, (int)t->bits - t->is_signed), low = t->is_signed ? -top : 0;
    if (x >= top)
        return t->is_signed ? all >> 1 : all;
    if (x <= low)
        return t->is_signed ? (all >> 1) + 1 : 0;
    return (x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x) & all;
}

static uint64_t
encode(long double x, const struct type *t)
{
    if (now.flags & SAT)
        x = x > 0 ? (x < 1 ? x : 1) : 0;
    if (now.flags & RELU && !isnan(x))
        x = x > 0 ? x : 0;
    if (isnan(x))
        return t->format == &fmt_tf32 ? 0x7fffe000 : canonical(t);
    uint64_t bits =
        ref_encode(x, t->format, now.flags & TO_INT ? REF_RN : now.mode, now.flags & FINITE);
    if (t->format == &fmt_tf32)
        bits <<= 13;
    if (now.flags & FTZ && t->format == &fmt_f32)
        bits = ref_bits32(ref_flush(ref_float(bits)));
    return bits;
}

static void
ref_cvt(uint64_t *d, const uint64_t *x, int arg)
{
    const struct type *from = now.from, *to = now.to;
    if (from->format) {
        uint64_t v = x[0];
        if (now.flags & FTZ && from->bits == 32 && to->format != &fmt_f16)
            v = ref_bits32(ref_flush(ref_float(v)));
        long double r = ref_decode(v, from->format);
        if (!to->format) {
            d[0] = float_to_int(r, to);
            return;
        }
        if (now.flags & TO_INT)
            r = to_integral(r, now.mode);
        d[0] = encode(r, to);
        if (isnan(r) && to->format == &fmt_tf32 && now.mode == REF_RNA)
            d[0] = v & 0xffffe000; /* cut off, as hardware does */
        return;
    }
    __int128 v = from->is_signed ? (int64_t)(x[0] << (64 - from->bits)) >> (64 - from->bits)
                                 : (__int128)x[0];
    if (to->format) {
        d[0] = encode((long double)v, to);
        return;
    }
    if (now.flags & SAT) {
        __int128 top = (__int128)1 << (to->bits - to->is_signed), low = to->is_signed ? -top : 0;
        v = v < low ? low : v >= top ? top - 1 : v;
    }
    d[0] = (uint64_t)v;
}

static unsigned
run(struct harness *h, const char *suffix)
{
    static const int kinds[] = {EXACT, NAN16, NAN32, NAN64, NANBF};
    char text[64], out[2] = {now.to->width, 0}, in[2] = {now.from->width, 0};
    snprintf(text, sizeof text, "cvt%s%s%s%s.%s.%s", suffix, now.flags & FTZ ? ".ftz" : "",
             now.flags & RELU ? ".relu" : "",
             now.flags & SAT      ? ".sat"
             : now.flags & FINITE ? ".satfinite"
                                  : "",
             now.to->name, now.from->name);
    /* conversions that keep or widen the format pass NaNs on */
    bool narrows = now.to->format && now.from->format && now.to->bits < now.from->bits;
    int kind = !now.to->format || narrows || now.to->format == &fmt_tf32 ? 0
               : now.to->format == &fmt_f16                              ? 1
               : now.to->format == &fmt_bf16                             ? 4
               : now.to->bits == 32                                      ? 2
                                                                         : 3;
    struct form f = {text, out, in, ref_cvt, 0, kinds[kind]};
    size_t cases = 0;
    const char *only = getenv("ONLY");
    if (only && !strstr(text, only))
        return 0;
    unsigned bad = harness_run(h, &f, 500, &cases);
    printf("%-36s %6zu cases%s\n", text, cases, bad ? "  WRONG" : "");
    return bad != 0;
}

static const char *const float_words[] = {".rn", ".rz", ".rm", ".rp", ".rna"};
static const char *const int_words[] = {".rni", ".rzi", ".rmi", ".rpi"};

/* All legal forms of one pair of types. */
static unsigned
pair(struct harness *h, const struct type *to, const struct type *from)
{
    unsigned bad = 0;
    now.to = to;
    now.from = from;
    bool f32 = (to->format && to->bits == 32) || (from->format && from->bits == 32);
    for (int sat = 0; sat <= 1; sat++) {
        for (int ftz = 0; ftz <= f32; ftz++) {
            now.flags = sat * SAT + ftz * FTZ;
            now.mode = REF_RN;
            if (from->format && !to->format) {
                for (int m = 0; m < 4; m++)
                    bad += run(h, int_words[now.mode = (enum ref_mode)m]);
            } else if (to->format && !from->format) {
                for (int m = 0; m < 4; m++)
                    bad += run(h, float_words[now.mode = (enum ref_mode)m]);
            } else if (to->format && to->bits < from->bits) {
                for (int m = 0; m < (to->bits == 16 && from->bits == 64 ? 1 : 4); m++)
                    bad += run(h, float_words[now.mode = (enum ref_mode)m]);
            } else if (to->format && to->format == from->format) {
                bad += run(h, "");
                now.flags |= TO_INT;
                for (int m = 0; m < 4; m++)
                    bad += run(h, int_words[now.mode = (enum ref_mode)m]);
            } else {
                bad += run(h, "");
            }
        }
    }
    return bad;
}

static void
scalar_forms(void **state)
{
    struct harness *h = harness_new();
    unsigned bad = 0;
    for (int to = 0; to < TYPES - 1; to++)
        for (int from = 0; from < TYPES - 1; from++) {
            bool between = types[to].format && types[from].format && to != from &&
                           types[to].bits == 16 && types[from].bits == 16;
            if (!between) /* f16 <-> bf16 go through f32 */
                bad += pair(h, &types[to], &types[from]);
        }
    now.to = &types[TYPES - 1];
    now.from = &types[10];
    for (int m = 0; m < 5; m++) {
        now.mode = (enum ref_mode)m;
        now.flags = 0;
        if (m == 2 || m == 3)
            continue;
        bad += run(h, float_words[m]);
        now.flags = RELU;
        bad += run(h, float_words[m]);
        now.flags = FINITE;
        bad += run(h, float_words[m]);
    }
    static const int reluable[] = {8, 9}; /* f16, bf16 */
    for (int k = 0; k < 2; k++) {
        now.to = &types[reluable[k]];
        now.mode = REF_RN;
        now.flags = RELU;
        bad += run(h, ".rn");
        now.flags = RELU | FINITE;
        bad += run(h, ".rn");
    }
    harness_free(h);
    assert_int_equal(bad, 0);
}

/* -- packed ------------------------------------------------------------------------------------ */

enum { P_RZ = 1, P_RELU = 2, P_FINITE = 4 };
enum {
    P_F16 = 0x10,
    P_BF16 = 0x20,
    P_E4M3 = 0x30,
    P_E5M2 = 0x40,
    P_E3M2 = 0x50,
    P_E2M3 = 0x60,
    P_E2M1 = 0x70
};

static const struct ref_format *
packed_format(int arg)
{
    static const struct ref_format *const formats[] = {&fmt_f16,  &fmt_f16,  &fmt_bf16, &fmt_e4m3,
                                                       &fmt_e5m2, &fmt_e3m2, &fmt_e2m3, &fmt_e2m1};
    return formats[arg >> 4 & 7];
}

static uint64_t
one(long double x, int arg)
{
    const struct ref_format *f = packed_format(arg);
    if (arg & P_RELU && !isnan(x))
        x = x > 0 ? x : 0;
    return ref_encode(x, f, arg & P_RZ ? REF_RZ : REF_RN, arg & P_FINITE);
}

static unsigned
slot(int arg)
{
    const struct ref_format *f = packed_format(arg);
    return f == &fmt_e2m1 ? 4 : f->m + f->e + 1 <= 8 ? 8 : 16;
}

/* {a, b}: a in the upper half. */
static void
ref_pack(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = one(ref_float(x[0]), arg) << slot(arg) | one(ref_float(x[1]), arg);
}

static void
ref_pack_halves(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = one(ref_decode(x[0] >> 16, &fmt_f16), arg) << slot(arg) |
           one(ref_decode(x[0] & 0xffff, &fmt_f16), arg);
}

/* From the narrow format to halves. */
static void
ref_unpack(uint64_t *d, const uint64_t *x, int arg)
{
    const struct ref_format *f = packed_format(arg);
    uint64_t mask = (UINT64_C(1) << (f->e + f->m + 1)) - 1;
    for (unsigned k = 0; k < 2; k++) {
        long double v = ref_decode(x[0] >> (slot(arg) * k) & mask, f);
        if (arg & P_RELU && !isnan(v))
            v = v > 0 ? v : 0;
        d[0] |= ref_encode(v, &fmt_f16, REF_RN, false) << (16 * k);
    }
}

static int64_t
clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* arg: bits of the type, | 0x100: signed. */
static void
ref_cvt_pack(uint64_t *d, const uint64_t *x, int arg)
{
    unsigned n = arg & 0xff;
    int64_t top = INT64_C(1) << (arg & 0x100 ? n - 1 : n), low = arg & 0x100 ? -top : 0;
    uint64_t mask = (UINT64_C(1) << n) - 1;
    uint64_t a = (uint64_t)clamp((int32_t)x[0], low, top - 1) & mask;
    uint64_t b = (uint64_t)clamp((int32_t)x[1], low, top - 1) & mask;
    d[0] = a << n | b | (n < 16 ? x[2] << (2 * n) : 0);
}

/* clang-format off */
static const struct form packed[] = {
    {"cvt.rn.f16x2.f32", "w", "ww", ref_pack, P_F16, EXACT}, {"cvt.rz.f16x2.f32", "w", "ww", ref_pack, P_F16 | P_RZ, EXACT},
    {"cvt.rn.relu.f16x2.f32", "w", "ww", ref_pack, P_F16 | P_RELU, EXACT}, {"cvt.rn.satfinite.f16x2.f32", "w", "ww", ref_pack, P_F16 | P_FINITE, EXACT},
    {"cvt.rn.bf16x2.f32", "w", "ww", ref_pack, P_BF16, EXACT}, {"cvt.rz.relu.bf16x2.f32", "w", "ww", ref_pack, P_BF16 | P_RZ | P_RELU, EXACT},
    {"cvt.rn.satfinite.e4m3x2.f32", "h", "ww", ref_pack, P_E4M3 | P_FINITE, EXACT}, {"cvt.rn.satfinite.relu.e4m3x2.f32", "h", "ww", ref_pack, P_E4M3 | P_FINITE | P_RELU, EXACT},
    {"cvt.rn.satfinite.e5m2x2.f32", "h", "ww", ref_pack, P_E5M2 | P_FINITE, EXACT},
    {"cvt.rn.satfinite.e3m2x2.f32", "h", "ww", ref_pack, P_E3M2 | P_FINITE, EXACT}, {"cvt.rn.satfinite.e2m3x2.f32", "h", "ww", ref_pack, P_E2M3 | P_FINITE, EXACT},
    {"cvt.rn.satfinite.e2m1x2.f32", "b", "ww", ref_pack, P_E2M1 | P_FINITE, EXACT},
    {"cvt.rn.satfinite.e4m3x2.f16x2", "h", "w", ref_pack_halves, P_E4M3 | P_FINITE, EXACT}, {"cvt.rn.satfinite.relu.e5m2x2.f16x2", "h", "w", ref_pack_halves, P_E5M2 | P_FINITE | P_RELU, EXACT},
    {"cvt.rn.f16x2.e4m3x2", "w", "h", ref_unpack, P_E4M3, EXACT}, {"cvt.rn.f16x2.e5m2x2", "w", "h", ref_unpack, P_E5M2, EXACT},
    {"cvt.rn.relu.f16x2.e5m2x2", "w", "h", ref_unpack, P_E5M2 | P_RELU, EXACT}, {"cvt.rn.f16x2.e3m2x2", "w", "h", ref_unpack, P_E3M2, EXACT},
    {"cvt.rn.f16x2.e2m3x2", "w", "h", ref_unpack, P_E2M3, EXACT}, {"cvt.rn.f16x2.e2m1x2", "w", "b", ref_unpack, P_E2M1, EXACT},
    {"cvt.pack.sat.u16.s32", "w", "ww", ref_cvt_pack, 16, EXACT}, {"cvt.pack.sat.s16.s32", "w", "ww", ref_cvt_pack, 16 | 0x100, EXACT},
    {"cvt.pack.sat.u8.s32.b32", "w", "www", ref_cvt_pack, 8, EXACT}, {"cvt.pack.sat.s8.s32.b32", "w", "www", ref_cvt_pack, 8 | 0x100, EXACT},
    {"cvt.pack.sat.u2.s32.b32", "w", "www", ref_cvt_pack, 2, EXACT}, {"cvt.pack.sat.s2.s32.b32", "w", "www", ref_cvt_pack, 2 | 0x100, EXACT},
    {"cvt.pack.sat.u4.s32.b32", "w", "www", ref_cvt_pack, 4, EXACT}, {"cvt.pack.sat.s4.s32.b32", "w", "www", ref_cvt_pack, 4 | 0x100, EXACT},
};
/* clang-format on */

static void
packed_forms(void **state)
{
    struct harness *h = harness_new();
    unsigned bad = 0;
    for (size_t k = 0; k < sizeof packed / sizeof *packed; k++) {
        size_t cases = 0;
        unsigned wrong = harness_run(h, &packed[k], 20000, &cases);
        printf("%-36s %6zu cases%s\n", packed[k].text, cases, wrong ? "  WRONG" : "");
        bad += wrong != 0;
    }
    harness_free(h);
    assert_int_equal(bad, 0);
}

int
main(void)
{
    return UNIT_TESTS(scalar_forms, packed_forms);
}
