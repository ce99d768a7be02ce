/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer, bit, logic, comparison and video instructions against the manual's pseudo-code in C.
 * `arg` of a reference: bits of the type, plus SIGNED.
 */
#include "common/unit.h"

#include "jit/harness.h"

typedef __int128 wide;

enum {
    SIGNED = 0x100,
    HI = 0x200,
    WIDE = 0x400,
    SAT = 0x800,
    CLAMP = 0x1000,
    LEFT = 0x2000,
    REM = 0x4000,
    PAIR = 0x8000
};

static unsigned
bits_of(int arg)
{
    return arg & 0xff;
}

static wide
number(uint64_t x, int arg)
{
    unsigned n = bits_of(arg);
    if (arg & SIGNED)
        return (int64_t)(x << (64 - n)) >> (64 - n);
    return n == 64 ? x : x & ((UINT64_C(1) << n) - 1);
}

static wide
clamp(wide v, int arg)
{
    unsigned n = bits_of(arg);
    wide top = (wide)1 << (arg & SIGNED ? n - 1 : n), low = arg & SIGNED ? -top : 0;
    return v < low ? low : v >= top ? top - 1 : v;
}

/* -- arithmetic -------------------------------------------------------------------------------- */

static void
ref_add(uint64_t *d, const uint64_t *x, int arg)
{
    wide sum = number(x[0], arg) + number(x[1], arg);
    d[0] = (uint64_t)(arg & SAT ? clamp(sum, arg) : sum);
}

static void
ref_sub(uint64_t *d, const uint64_t *x, int arg)
{
    wide difference = number(x[0], arg) - number(x[1], arg);
    d[0] = (uint64_t)(arg & SAT ? clamp(difference, arg) : difference);
}

/* With carry: always the unsigned numbers. */
static void
ref_add_cc(uint64_t *d, const uint64_t *x, int arg)
{
    wide sum = number(x[0], arg & 0xff) + number(x[1], arg & 0xff);
    d[0] = (uint64_t)sum;
    d[1] = (uint64_t)(sum >> bits_of(arg)) & 1;
}

static void
ref_addc_cc(uint64_t *d, const uint64_t *x, int arg)
{
    wide sum = number(x[0], arg & 0xff) + number(x[1], arg & 0xff) + (wide)x[2];
    d[0] = (uint64_t)sum;
    d[1] = (uint64_t)(sum >> bits_of(arg)) & 1;
}

static void
ref_sub_cc(uint64_t *d, const uint64_t *x, int arg)
{
    wide a = number(x[0], arg & 0xff), b = number(x[1], arg & 0xff);
    d[0] = (uint64_t)(a - b);
    d[1] = a >= b; /* the carry of a + ~b + 1 */
}

static void
ref_subc_cc(uint64_t *d, const uint64_t *x, int arg)
{
    wide a = number(x[0], arg & 0xff), b = number(x[1], arg & 0xff) + !x[2];
    d[0] = (uint64_t)(a - b);
    d[1] = a >= b;
}

static uint64_t
product(const uint64_t *x, int arg)
{
    if (arg & SIGNED) {
        wide p = number(x[0], arg) * number(x[1], arg);
        return (uint64_t)(arg & HI ? p >> bits_of(arg) : p);
    }
    unsigned __int128 p =
        (unsigned __int128)number(x[0], arg) * (unsigned __int128)number(x[1], arg);
    return (uint64_t)(arg & HI ? p >> bits_of(arg) : p);
}

static void
ref_mul(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = product(x, arg);
}

static void
ref_mad(uint64_t *d, const uint64_t *x, int arg)
{
    wide p = number(product(x, arg), arg & (SIGNED | 0xff));
    if (arg & WIDE)
        d[0] = product(x, arg) + x[2];
    else
        d[0] = (uint64_t)(arg & SAT ? clamp(p + number(x[2], arg), arg) : p + number(x[2], arg));
}

static void
ref_mad_cc(uint64_t *d, const uint64_t *x, int arg)
{
    uint64_t two[] = {product(x, arg), x[2]};
    ref_add_cc(d, two, arg & 0xff);
}

static void
ref_madc_cc(uint64_t *d, const uint64_t *x, int arg)
{
    uint64_t three[] = {product(x, arg), x[2], x[3]};
    ref_addc_cc(d, three, arg & 0xff);
}

static uint64_t
product24(const uint64_t *x, int arg)
{
    int type = 24 | (arg & SIGNED);
    wide p = number(x[0], type) * number(x[1], type);
    return (uint32_t)(arg & HI ? p >> 16 : p);
}

static void
ref_mul24(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = product24(x, arg);
}

static void
ref_mad24(uint64_t *d, const uint64_t *x, int arg)
{
    wide sum = number(product24(x, arg), arg & (SIGNED | 0xff)) + number(x[2], arg);
    d[0] = (uint64_t)(arg & SAT ? clamp(sum, arg) : sum);
}

static void
ref_sad(uint64_t *d, const uint64_t *x, int arg)
{
    wide a = number(x[0], arg), b = number(x[1], arg);
    d[0] = (uint64_t)(a > b ? a - b : b - a) + x[2];
}

static void
ref_div(uint64_t *d, const uint64_t *x, int arg)
{
    wide a = number(x[0], arg), b = number(x[1], arg);
    d[0] = b == 0 ? ~UINT64_C(0) : (uint64_t)(arg & REM ? a % b : a / b);
}

static void
ref_abs(uint64_t *d, const uint64_t *x, int arg)
{
    wide a = number(x[0], arg);
    d[0] = (uint64_t)(a < 0 ? -a : a);
}

static void
ref_neg(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = -x[0];
}

static void
ref_min(uint64_t *d, const uint64_t *x, int arg)
{
    wide a = number(x[0], arg), b = number(x[1], arg), m = a < b ? a : b;
    d[0] = (uint64_t)(arg & SAT && m < 0 ? 0 : m); /* SAT: .relu */
}

static void
ref_max(uint64_t *d, const uint64_t *x, int arg)
{
    wide a = number(x[0], arg), b = number(x[1], arg), m = a > b ? a : b;
    d[0] = (uint64_t)(arg & SAT && m < 0 ? 0 : m);
}

/* A reference on both halves. */
static void
halves(uint64_t *d, const uint64_t *x, int arg, ref_fn *f)
{
    uint64_t low[1], high[1], a[] = {x[0] & 0xffff, x[1] & 0xffff}, b[] = {x[0] >> 16, x[1] >> 16};
    f(low, a, arg);
    f(high, b, arg);
    d[0] = (low[0] & 0xffff) | (high[0] & 0xffff) << 16;
}

static void
ref_add2(uint64_t *d, const uint64_t *x, int arg)
{
    halves(d, x, arg, ref_add);
}

static void
ref_min2(uint64_t *d, const uint64_t *x, int arg)
{
    halves(d, x, arg, ref_min);
}

static void
ref_max2(uint64_t *d, const uint64_t *x, int arg)
{
    halves(d, x, arg, ref_max);
}

/* -- bits -------------------------------------------------------------------------------------- */

static void
ref_popc(uint64_t *d, const uint64_t *x, int arg)
{
    for (unsigned k = 0; k < bits_of(arg); k++)
        d[0] += x[0] >> k & 1;
}

static void
ref_clz(uint64_t *d, const uint64_t *x, int arg)
{
    unsigned n = bits_of(arg);
    while (d[0] < n && !(x[0] >> (n - 1 - d[0]) & 1))
        d[0]++;
}

static void
ref_bfind(uint64_t *d, const uint64_t *x, int arg)
{
    uint64_t a = x[0];
    if (arg & SIGNED && a >> (bits_of(arg) - 1) & 1)
        a = ~a;
    int found = -1;
    for (int k = (int)bits_of(arg) - 1; k >= 0 && found < 0; k--)
        if (a >> k & 1)
            found = k;
    if (arg & SAT && found >= 0) /* .shiftamt */
        found = (int)bits_of(arg) - 1 - found;
    d[0] = (uint32_t)found;
}

static void
ref_fns(uint64_t *d, const uint64_t *x, int arg)
{
    uint32_t mask = (uint32_t)x[0], base = (uint32_t)x[1] & 31;
    int32_t offset = (int32_t)x[2];
    d[0] = offset == INT32_MIN ? 0 : 0xffffffff;
    if (offset == INT32_MIN) /* as hardware does */
        return;
    if (offset == 0) {
        if (mask >> base & 1)
            d[0] = base;
        return;
    }
    int64_t pos = base, count = llabs((int64_t)offset) - 1, step = offset > 0 ? 1 : -1;
    for (; pos >= 0 && pos < 32; pos += step) {
        if (!(mask >> pos & 1))
            continue;
        if (count-- == 0) {
            d[0] = (uint64_t)pos;
            return;
        }
    }
}

static void
ref_brev(uint64_t *d, const uint64_t *x, int arg)
{
    for (unsigned k = 0; k < bits_of(arg); k++)
        d[0] |= (x[0] >> k & 1) << (bits_of(arg) - 1 - k);
}

/* The manual's 8 bits; 64-bit fields: all 32, as hardware does. */
static uint64_t
field_of(uint64_t v, int arg)
{
    return v & (bits_of(arg) == 64 ? 0xffffffff : 0xff);
}

static void
ref_bfe(uint64_t *d, const uint64_t *x, int arg)
{
    unsigned msb = bits_of(arg) - 1, sign = 0;
    uint64_t pos = field_of(x[1], arg), len = field_of(x[2], arg);
    if (arg & SIGNED && len > 0)
        sign = x[0] >> (pos + len - 1 < msb ? pos + len - 1 : msb) & 1;
    for (unsigned k = 0; k <= msb; k++)
        d[0] |= (uint64_t)(k < len && pos + k <= msb ? x[0] >> (pos + k) & 1 : sign) << k;
}

static void
ref_bfi(uint64_t *d, const uint64_t *x, int arg)
{
    unsigned msb = bits_of(arg) - 1;
    uint64_t pos = field_of(x[2], arg), len = field_of(x[3], arg);
    d[0] = x[1];
    for (uint64_t k = 0; k < len && pos + k <= msb; k++)
        d[0] = (d[0] & ~(UINT64_C(1) << (pos + k))) | (x[0] >> k & 1) << (pos + k);
}

static void
ref_bmsk(uint64_t *d, const uint64_t *x, int arg)
{
    uint64_t a = x[0] & 31, b = x[1] & 31, sum = a + b;
    uint32_t mask0 = ~0u << a, mask1 = sum >= 32 ? 0 : ~0u << sum;
    if (arg & CLAMP && x[0] >= 32)
        mask0 = 0;
    if (arg & CLAMP && (x[0] >= 32 || x[1] >= 32))
        mask1 = 0;
    d[0] = mask0 & ~mask1;
}

static void
ref_szext(uint64_t *d, const uint64_t *x, int arg)
{
    uint32_t b = x[1] & 31, a = (uint32_t)x[0];
    bool large = arg & CLAMP && x[1] >= 32;
    uint32_t mask = large ? 0 : ~0u << b;
    bool sign = b != 0 && !large && arg & SIGNED && (a >> ((b - 1) & 31) & 1);
    d[0] = (a & ~mask) | (sign ? mask : 0);
}

static void
ref_lop3(uint64_t *d, const uint64_t *x, int arg)
{
    for (unsigned k = 0; k < 32; k++) {
        unsigned row = (x[0] >> k & 1) << 2 | (x[1] >> k & 1) << 1 | (x[2] >> k & 1);
        d[0] |= (x[3] >> row & 1) << k;
    }
    if (arg & PAIR)
        d[1] = (d[0] != 0) | x[4];
}

static void
ref_shift(uint64_t *d, const uint64_t *x, int arg)
{
    unsigned n = bits_of(arg), by = x[1] > n ? n : (unsigned)x[1];
    wide a = number(x[0], arg);
    d[0] = (uint64_t)(arg & LEFT ? (wide)((unsigned __int128)a << by) : a >> by);
}

static void
ref_shf(uint64_t *d, const uint64_t *x, int arg)
{
    unsigned n = arg & CLAMP ? (x[2] > 32 ? 32 : (unsigned)x[2]) : x[2] & 31;
    uint64_t both = x[1] << 32 | x[0];
    d[0] = arg & LEFT ? (uint32_t)(((unsigned __int128)both << n) >> 32) : (uint32_t)(both >> n);
}

/* arg 0: generic; 1 ... 6: .f4e .b4e .rc8 .ecl .ecr .rc16, spelled out. */
static void
ref_prmt(uint64_t *d, const uint64_t *x, int arg)
{
    uint64_t both = x[1] << 32 | x[0];
    unsigned c = x[2] & 3;
    for (unsigned k = 0; k < 4; k++) {
        unsigned s = x[2] >> (4 * k) & 15;
        switch (arg) {
        case 1: s = c + k; break;
        case 2: s = (c + 8 - k) & 7; break;
        case 3: s = c; break;
        case 4: s = k > c ? k : c; break;
        case 5: s = k < c ? k : c; break;
        case 6: s = (c & 1) * 2 + (k & 1); break;
        }
        uint8_t byte = (uint8_t)(both >> (8 * (s & 7)));
        if (s & 8)
            byte = byte & 0x80 ? 0xff : 0;
        d[0] |= (uint64_t)byte << (8 * k);
    }
}

enum { A_SIGNED = 1, B_SIGNED = 2, UPPER = 4 };

static void
ref_dp4a(uint64_t *d, const uint64_t *x, int arg)
{
    int64_t sum = (int64_t)x[2];
    for (unsigned k = 0; k < 4; k++)
        sum += (int64_t)(number(x[0] >> (8 * k), 8 | (arg & A_SIGNED ? SIGNED : 0)) *
                         number(x[1] >> (8 * k), 8 | (arg & B_SIGNED ? SIGNED : 0)));
    d[0] = (uint64_t)sum;
}

static void
ref_dp2a(uint64_t *d, const uint64_t *x, int arg)
{
    int64_t sum = (int64_t)x[2];
    for (unsigned k = 0; k < 2; k++)
        sum += (int64_t)(number(x[0] >> (16 * k), 16 | (arg & A_SIGNED ? SIGNED : 0)) *
                         number(x[1] >> (8 * (k + (arg & UPPER ? 2 : 0))),
                                8 | (arg & B_SIGNED ? SIGNED : 0)));
    d[0] = (uint64_t)sum;
}

/* arg: which. */
static void
ref_logic(uint64_t *d, const uint64_t *x, int arg)
{
    switch (arg) {
    case 0: d[0] = x[0] & x[1]; break;
    case 1: d[0] = x[0] | x[1]; break;
    case 2: d[0] = x[0] ^ x[1]; break;
    case 3: d[0] = ~x[0]; break;
    default: d[0] = x[0] == 0; break;
    }
}

/* -- comparison -------------------------------------------------------------------------------- */

enum { EQ, NE, LT, LE, GT, GE };

/* arg: type, comparison << 16, operation << 20 (1 and, 2 or, 3 xor). */
static bool
holds(const uint64_t *x, int arg)
{
    wide a = number(x[0], arg), b = number(x[1], arg);
    switch (arg >> 16 & 15) {
    case EQ: return a == b;
    case NE: return a != b;
    case LT: return a < b;
    case LE: return a <= b;
    case GT: return a > b;
    default: return a >= b;
    }
}

static bool
with_predicate(bool t, uint64_t c, int arg)
{
    switch (arg >> 20) {
    case 1: return t & c;
    case 2: return t | c;
    case 3: return t ^ c;
    default: return t;
    }
}

static void
ref_setp(uint64_t *d, const uint64_t *x, int arg)
{
    bool t = holds(x, arg);
    d[0] = with_predicate(t, x[2], arg);
    d[1] = with_predicate(!t, x[2], arg);
}

static void
ref_set(uint64_t *d, const uint64_t *x, int arg)
{
    bool t = with_predicate(holds(x, arg), x[2], arg);
    d[0] = !t ? 0 : arg & SAT ? 0x3f800000 : 0xffffffff; /* SAT: .f32 result */
}

static void
ref_selp(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = x[2] ? x[0] : x[1];
}

static void
ref_slct(uint64_t *d, const uint64_t *x, int arg)
{
    float f;
    uint32_t c = (uint32_t)x[2];
    memcpy(&f, &c, 4);
    if (arg == 2 && fabsf(f) < 0x1p-126f)
        f = 0;
    d[0] = (arg ? f >= 0 : (int32_t)c >= 0) ? x[0] : x[1];
}

/* -- video ------------------------------------------------------------------------------------- */

enum { VADD = 1, VSUB, VABSDIFF, VMIN, VMAX, VSHL, VSHR, VSET_LT };
enum {
    FINISH_ADD = 0x10,
    FINISH_MIN = 0x20,
    FINISH_MAX = 0x30,
    D_SIGNED = 0x40,
    V_SAT = 0x80,
    V_A_SIGNED = 0x100,
    V_B_SIGNED = 0x200,
    V_BYTES = 0x400,
    V_MERGE = 0x800,
    V_WRAP = 0x1000
};

static wide
video_operation(wide a, wide b, int arg)
{
    uint64_t n = arg & V_WRAP ? (uint64_t)b & 31 : (uint64_t)(b > 32 ? 32 : b);
    switch (arg & 15) {
    case VADD: return a + b;
    case VSUB: return a - b;
    case VABSDIFF: return a > b ? a - b : b - a;
    case VMIN: return a < b ? a : b;
    case VMAX: return a > b ? a : b;
    case VSHL: return (wide)((unsigned __int128)a << n);
    case VSHR: return a >> n;
    default: return a < b;
    }
}

/* Bytes: a.b1 and b.b3; merged: into d.h1 of c. */
static void
ref_video(uint64_t *d, const uint64_t *x, int arg)
{
    int size = arg & V_BYTES ? 8 : 32;
    wide a = number(arg & V_BYTES ? x[0] >> 8 : x[0], size | (arg & V_A_SIGNED ? SIGNED : 0));
    wide b = number(arg & V_BYTES ? x[1] >> 24 : x[1], size | (arg & V_B_SIGNED ? SIGNED : 0));
    wide r = video_operation(a, b, arg);
    int type = (arg & V_MERGE ? 16 : 32) | (arg & D_SIGNED ? SIGNED : 0);
    bool mixed = !(arg & V_A_SIGNED) != !(arg & V_B_SIGNED);
    uint32_t top = arg & D_SIGNED ? 0x7fff : 0xffff;
    if (arg & V_SAT && mixed && arg & V_MERGE) /* as hardware does: the result counts as unsigned */
        r = (uint32_t)r > top ? top : (uint32_t)r;
    else if (arg & V_SAT && mixed && !(arg & D_SIGNED)) /* only kept from going below 0 */
        r = r < 0 ? 0 : r;
    else if (arg & V_SAT)
        r = clamp(r, type);
    wide t = number((uint64_t)r, 32 | (type & SIGNED)), c = number(x[2], 32 | (type & SIGNED));
    switch (arg & 0x30) {
    case FINISH_ADD: t += c; break;
    case FINISH_MIN: t = t < c ? t : c; break;
    case FINISH_MAX: t = t > c ? t : c; break;
    }
    d[0] = arg & V_MERGE ? ((uint64_t)t & 0xffff) << 16 | (x[2] & 0xffff) : (uint64_t)t;
}

static void
ref_vmad(uint64_t *d, const uint64_t *x, int arg)
{
    wide p = number(x[0], 32 | SIGNED) * number(x[1], 32 | SIGNED) + number(x[2], 32 | SIGNED);
    if (arg ==
        2) { /* unsigned, .sat.shr15, as hardware does it: signed operands, unsigned outcome */
        uint64_t u = (uint64_t)(p >> 15);
        d[0] = u > UINT32_MAX ? UINT32_MAX : u;
        return;
    }
    p >>= 7;
    d[0] = (uint64_t)(arg ? clamp(p, 32 | SIGNED) : p);
}

/* arg: V* as above, V_BYTES: 4 x 8, else 2 x 16; signed as the flags say. */
static void
ref_video_packed(uint64_t *d, const uint64_t *x, int arg)
{
    unsigned n = arg & V_BYTES ? 8 : 16;
    int type = (int)n | (arg & V_A_SIGNED ? SIGNED : 0);
    uint64_t sum = x[2];
    for (unsigned at = 0; at < 32; at += n) {
        wide a = number(x[0] >> at, type), b = number(x[1] >> at, type), r;
        r = (arg & 15) == 9 ? (a + b + (a + b >= 0)) >> 1 : video_operation(a, b, arg);
        if (arg & V_SAT)
            r = clamp(r, (int)n | (arg & D_SIGNED ? SIGNED : 0));
        sum += (uint64_t)r;
        d[0] |= ((uint64_t)r & ((1u << n) - 1)) << at;
    }
    if (arg & FINISH_ADD)
        d[0] = sum;
}

/* -- the forms --------------------------------------------------------------------------------- */

#define U(bits) (bits)
#define S(bits) ((bits) | SIGNED)
#define CMP(type, c, op) ((type) | (c) << 16 | (op) << 20)

/* clang-format off */
static const struct form forms[] = {
    {"add.s32", "w", "ww", ref_add, S(32), EXACT}, {"add.u16", "h", "hh", ref_add, U(16), EXACT},
    {"add.s64", "d", "dd", ref_add, S(64), EXACT}, {"add.sat.s32", "w", "ww", ref_add, S(32) | SAT, EXACT},
    {"add.u16x2", "w", "ww", ref_add2, U(16), EXACT}, {"add.s16x2", "w", "ww", ref_add2, S(16), EXACT},
    {"add.cc.u32", "wp", "ww", ref_add_cc, 32, EXACT}, {"add.cc.s64", "dp", "dd", ref_add_cc, 64, EXACT},
    {"addc.cc.u32", "wp", "wwp", ref_addc_cc, 32, EXACT}, {"addc.u64", "d", "ddp", ref_addc_cc, 64, EXACT},
    {"sub.s32", "w", "ww", ref_sub, S(32), EXACT}, {"sub.sat.s32", "w", "ww", ref_sub, S(32) | SAT, EXACT},
    {"sub.u16", "h", "hh", ref_sub, U(16), EXACT}, {"sub.u64", "d", "dd", ref_sub, U(64), EXACT},
    {"sub.cc.u32", "wp", "ww", ref_sub_cc, 32, EXACT}, {"subc.cc.u32", "wp", "wwp", ref_subc_cc, 32, EXACT},
    {"sub.cc.u64", "dp", "dd", ref_sub_cc, 64, EXACT}, {"subc.cc.s64", "dp", "ddp", ref_subc_cc, 64, EXACT},
    {"mul.lo.s16", "h", "hh", ref_mul, S(16), EXACT}, {"mul.lo.s32", "w", "ww", ref_mul, S(32), EXACT},
    {"mul.lo.s64", "d", "dd", ref_mul, S(64), EXACT}, {"mul.hi.s16", "h", "hh", ref_mul, S(16) | HI, EXACT},
    {"mul.hi.u16", "h", "hh", ref_mul, U(16) | HI, EXACT}, {"mul.hi.s32", "w", "ww", ref_mul, S(32) | HI, EXACT},
    {"mul.hi.u32", "w", "ww", ref_mul, U(32) | HI, EXACT}, {"mul.hi.s64", "d", "dd", ref_mul, S(64) | HI, EXACT},
    {"mul.hi.u64", "d", "dd", ref_mul, U(64) | HI, EXACT}, {"mul.wide.s16", "w", "hh", ref_mul, S(16), EXACT},
    {"mul.wide.u16", "w", "hh", ref_mul, U(16), EXACT}, {"mul.wide.s32", "d", "ww", ref_mul, S(32), EXACT},
    {"mul.wide.u32", "d", "ww", ref_mul, U(32), EXACT},
    {"mad.lo.s32", "w", "www", ref_mad, S(32), EXACT}, {"mad.lo.u64", "d", "ddd", ref_mad, U(64), EXACT},
    {"mad.hi.u32", "w", "www", ref_mad, U(32) | HI, EXACT}, {"mad.hi.s64", "d", "ddd", ref_mad, S(64) | HI, EXACT},
    {"mad.hi.sat.s32", "w", "www", ref_mad, S(32) | HI | SAT, EXACT},
    {"mad.wide.u32", "d", "wwd", ref_mad, U(32) | WIDE, EXACT}, {"mad.wide.s32", "d", "wwd", ref_mad, S(32) | WIDE, EXACT},
    {"mad.wide.s16", "w", "hhw", ref_mad, S(16) | WIDE, EXACT}, {"mad.lo.u16", "h", "hhh", ref_mad, U(16), EXACT},
    {"mad.lo.cc.u32", "wp", "www", ref_mad_cc, U(32), EXACT}, {"mad.hi.cc.s32", "wp", "www", ref_mad_cc, S(32) | HI, EXACT},
    {"madc.lo.cc.u32", "wp", "wwwp", ref_madc_cc, U(32), EXACT}, {"madc.hi.cc.u64", "dp", "dddp", ref_madc_cc, U(64) | HI, EXACT},
    {"mul24.lo.s32", "w", "ww", ref_mul24, S(32), EXACT}, {"mul24.hi.s32", "w", "ww", ref_mul24, S(32) | HI, EXACT},
    {"mul24.lo.u32", "w", "ww", ref_mul24, U(32), EXACT}, {"mul24.hi.u32", "w", "ww", ref_mul24, U(32) | HI, EXACT},
    {"mad24.lo.s32", "w", "www", ref_mad24, S(32), EXACT}, {"mad24.hi.u32", "w", "www", ref_mad24, U(32) | HI, EXACT},
    {"mad24.hi.sat.s32", "w", "www", ref_mad24, S(32) | HI | SAT, EXACT},
    {"sad.s16", "h", "hhh", ref_sad, S(16), EXACT}, {"sad.u32", "w", "www", ref_sad, U(32), EXACT},
    {"sad.s32", "w", "www", ref_sad, S(32), EXACT}, {"sad.s64", "d", "ddd", ref_sad, S(64), EXACT},
    {"div.s16", "h", "hh", ref_div, S(16), EXACT}, {"div.u16", "h", "hh", ref_div, U(16), EXACT},
    {"div.s32", "w", "ww", ref_div, S(32), EXACT}, {"div.u32", "w", "ww", ref_div, U(32), EXACT},
    {"div.s64", "d", "dd", ref_div, S(64), EXACT}, {"div.u64", "d", "dd", ref_div, U(64), EXACT},
    {"rem.s16", "h", "hh", ref_div, S(16) | REM, EXACT}, {"rem.u16", "h", "hh", ref_div, U(16) | REM, EXACT},
    {"rem.s32", "w", "ww", ref_div, S(32) | REM, EXACT}, {"rem.u32", "w", "ww", ref_div, U(32) | REM, EXACT},
    {"rem.s64", "d", "dd", ref_div, S(64) | REM, EXACT}, {"rem.u64", "d", "dd", ref_div, U(64) | REM, EXACT},
    {"div.u32 d, a, 7", "w", "ww", ref_div, U(32), EXACT}, {"rem.s32 d, a, 100", "w", "ww", ref_div, S(32) | REM, EXACT},
    {"div.s32 d, a, 0", "w", "ww", ref_div, S(32), EXACT},
    {"abs.s16", "h", "h", ref_abs, S(16), EXACT}, {"abs.s32", "w", "w", ref_abs, S(32), EXACT}, {"abs.s64", "d", "d", ref_abs, S(64), EXACT},
    {"neg.s16", "h", "h", ref_neg, 0, EXACT}, {"neg.s32", "w", "w", ref_neg, 0, EXACT}, {"neg.s64", "d", "d", ref_neg, 0, EXACT},
    {"min.s16", "h", "hh", ref_min, S(16), EXACT}, {"min.u16", "h", "hh", ref_min, U(16), EXACT}, {"min.s32", "w", "ww", ref_min, S(32), EXACT},
    {"min.u32", "w", "ww", ref_min, U(32), EXACT}, {"min.s64", "d", "dd", ref_min, S(64), EXACT}, {"min.u64", "d", "dd", ref_min, U(64), EXACT},
    {"max.s16", "h", "hh", ref_max, S(16), EXACT}, {"max.u32", "w", "ww", ref_max, U(32), EXACT}, {"max.s32", "w", "ww", ref_max, S(32), EXACT},
    {"max.u64", "d", "dd", ref_max, U(64), EXACT}, {"max.s64", "d", "dd", ref_max, S(64), EXACT},
    {"min.relu.s32", "w", "ww", ref_min, S(32) | SAT, EXACT}, {"max.relu.s16x2", "w", "ww", ref_max2, S(16) | SAT, EXACT},
    {"min.s16x2", "w", "ww", ref_min2, S(16), EXACT}, {"min.u16x2", "w", "ww", ref_min2, U(16), EXACT}, {"max.u16x2", "w", "ww", ref_max2, U(16), EXACT},

    {"popc.b32", "w", "w", ref_popc, 32, EXACT}, {"popc.b64", "w", "d", ref_popc, 64, EXACT},
    {"clz.b32", "w", "w", ref_clz, 32, EXACT}, {"clz.b64", "w", "d", ref_clz, 64, EXACT},
    {"bfind.u32", "w", "w", ref_bfind, U(32), EXACT}, {"bfind.s32", "w", "w", ref_bfind, S(32), EXACT},
    {"bfind.u64", "w", "d", ref_bfind, U(64), EXACT}, {"bfind.s64", "w", "d", ref_bfind, S(64), EXACT},
    {"bfind.shiftamt.u32", "w", "w", ref_bfind, U(32) | SAT, EXACT}, {"bfind.shiftamt.s64", "w", "d", ref_bfind, S(64) | SAT, EXACT},
    {"fns.b32 d, m, 0, o", "w", "www", ref_fns, 0, EXACT}, {"fns.b32 d, m, 7, o", "w", "www", ref_fns, 0, EXACT},
    {"fns.b32 d, m, 31, o", "w", "www", ref_fns, 0, EXACT}, {"fns.b32 d, m, 16, 0", "w", "www", ref_fns, 0, EXACT},
    {"fns.b32 d, m, 20, 0xfffffffd", "w", "www", ref_fns, 0, EXACT}, {"fns.b32 d, m, 5, 3", "w", "www", ref_fns, 0, EXACT},
    {"brev.b32", "w", "w", ref_brev, 32, EXACT}, {"brev.b64", "d", "d", ref_brev, 64, EXACT},
    {"bfe.u32", "w", "www", ref_bfe, U(32), EXACT}, {"bfe.s32", "w", "www", ref_bfe, S(32), EXACT},
    {"bfe.u64", "d", "dww", ref_bfe, U(64), EXACT}, {"bfe.s64", "d", "dww", ref_bfe, S(64), EXACT},
    {"bfi.b32", "w", "wwww", ref_bfi, 32, EXACT}, {"bfi.b64", "d", "ddww", ref_bfi, 64, EXACT},
    {"bmsk.clamp.b32", "w", "ww", ref_bmsk, CLAMP, EXACT}, {"bmsk.wrap.b32", "w", "ww", ref_bmsk, 0, EXACT},
    {"szext.clamp.s32", "w", "ww", ref_szext, S(32) | CLAMP, EXACT}, {"szext.wrap.s32", "w", "ww", ref_szext, S(32), EXACT},
    {"szext.clamp.u32", "w", "ww", ref_szext, U(32) | CLAMP, EXACT}, {"szext.wrap.u32", "w", "ww", ref_szext, U(32), EXACT},
    {"lop3.b32 d, a, b, c, 0x96", "w", "wwww", ref_lop3, 0, EXACT}, {"lop3.b32 d, a, b, c, 0xe8", "w", "wwww", ref_lop3, 0, EXACT},
    {"lop3.b32 d, a, b, c, 0", "w", "wwww", ref_lop3, 0, EXACT}, {"lop3.b32 d, a, b, c, 0x1b", "w", "wwww", ref_lop3, 0, EXACT},
    {"lop3.or.b32 d|p, a, b, c, 0x80, q", "wp", "wwwwp", ref_lop3, PAIR, EXACT},
    {"shl.b16", "h", "hw", ref_shift, U(16) | LEFT, EXACT}, {"shl.b32", "w", "ww", ref_shift, U(32) | LEFT, EXACT}, {"shl.b64", "d", "dw", ref_shift, U(64) | LEFT, EXACT},
    {"shr.u16", "h", "hw", ref_shift, U(16), EXACT}, {"shr.s16", "h", "hw", ref_shift, S(16), EXACT}, {"shr.u32", "w", "ww", ref_shift, U(32), EXACT},
    {"shr.s32", "w", "ww", ref_shift, S(32), EXACT}, {"shr.b64", "d", "dw", ref_shift, U(64), EXACT}, {"shr.s64", "d", "dw", ref_shift, S(64), EXACT},
    {"shl.b32 d, a, 32", "w", "ww", ref_shift, U(32) | LEFT, EXACT}, {"shr.s32 d, a, 99", "w", "ww", ref_shift, S(32), EXACT},
    {"shf.l.clamp.b32", "w", "www", ref_shf, LEFT | CLAMP, EXACT}, {"shf.l.wrap.b32", "w", "www", ref_shf, LEFT, EXACT},
    {"shf.r.clamp.b32", "w", "www", ref_shf, CLAMP, EXACT}, {"shf.r.wrap.b32", "w", "www", ref_shf, 0, EXACT},
    {"prmt.b32", "w", "www", ref_prmt, 0, EXACT}, {"prmt.b32 d, a, b, 0x5410", "w", "www", ref_prmt, 0, EXACT},
    {"prmt.b32 d, a, b, 0xf9c3", "w", "www", ref_prmt, 0, EXACT}, {"prmt.b32.f4e", "w", "www", ref_prmt, 1, EXACT},
    {"prmt.b32.b4e", "w", "www", ref_prmt, 2, EXACT}, {"prmt.b32.rc8", "w", "www", ref_prmt, 3, EXACT},
    {"prmt.b32.ecl", "w", "www", ref_prmt, 4, EXACT}, {"prmt.b32.ecr", "w", "www", ref_prmt, 5, EXACT}, {"prmt.b32.rc16", "w", "www", ref_prmt, 6, EXACT},
    {"dp4a.s32.s32", "w", "www", ref_dp4a, A_SIGNED | B_SIGNED, EXACT}, {"dp4a.u32.u32", "w", "www", ref_dp4a, 0, EXACT},
    {"dp4a.s32.u32", "w", "www", ref_dp4a, A_SIGNED, EXACT}, {"dp4a.u32.s32", "w", "www", ref_dp4a, B_SIGNED, EXACT},
    {"dp2a.lo.s32.s32", "w", "www", ref_dp2a, A_SIGNED | B_SIGNED, EXACT}, {"dp2a.hi.u32.u32", "w", "www", ref_dp2a, UPPER, EXACT},
    {"dp2a.lo.u32.s32", "w", "www", ref_dp2a, B_SIGNED, EXACT}, {"dp2a.hi.s32.u32", "w", "www", ref_dp2a, UPPER | A_SIGNED, EXACT},
    {"and.b32", "w", "ww", ref_logic, 0, EXACT}, {"or.b64", "d", "dd", ref_logic, 1, EXACT}, {"xor.b16", "h", "hh", ref_logic, 2, EXACT},
    {"not.b32", "w", "w", ref_logic, 3, EXACT}, {"not.b64", "d", "d", ref_logic, 3, EXACT}, {"cnot.b32", "w", "w", ref_logic, 4, EXACT}, {"cnot.b64", "d", "d", ref_logic, 4, EXACT},
    {"and.pred", "p", "pp", ref_logic, 0, EXACT}, {"or.pred", "p", "pp", ref_logic, 1, EXACT}, {"xor.pred", "p", "pp", ref_logic, 2, EXACT}, {"not.pred", "p", "p", ref_logic, 3, EXACT},

    {"setp.eq.s32", "p", "ww", ref_setp, CMP(S(32), EQ, 0), EXACT}, {"setp.ne.b32", "p", "ww", ref_setp, CMP(U(32), NE, 0), EXACT},
    {"setp.lt.s32", "p", "ww", ref_setp, CMP(S(32), LT, 0), EXACT}, {"setp.le.s64", "p", "dd", ref_setp, CMP(S(64), LE, 0), EXACT},
    {"setp.gt.u32", "p", "ww", ref_setp, CMP(U(32), GT, 0), EXACT}, {"setp.ge.u64", "p", "dd", ref_setp, CMP(U(64), GE, 0), EXACT},
    {"setp.lo.u32", "p", "ww", ref_setp, CMP(U(32), LT, 0), EXACT}, {"setp.ls.u32", "p", "ww", ref_setp, CMP(U(32), LE, 0), EXACT},
    {"setp.hi.u16", "p", "hh", ref_setp, CMP(U(16), GT, 0), EXACT}, {"setp.hs.u64", "p", "dd", ref_setp, CMP(U(64), GE, 0), EXACT},
    {"setp.lt.s16", "p", "hh", ref_setp, CMP(S(16), LT, 0), EXACT},
    {"setp.lt.and.s32 p|q, a, b, c", "pp", "wwp", ref_setp, CMP(S(32), LT, 1), EXACT},
    {"setp.ge.or.u32 p|q, a, b, c", "pp", "wwp", ref_setp, CMP(U(32), GE, 2), EXACT},
    {"setp.eq.xor.b64 p|q, a, b, c", "pp", "ddp", ref_setp, CMP(U(64), EQ, 3), EXACT},
    {"setp.gt.and.s16 p, a, b, c", "p", "hhp", ref_setp, CMP(S(16), GT, 1), EXACT},
    {"set.lt.s32.s32", "w", "ww", ref_set, CMP(S(32), LT, 0), EXACT}, {"set.ge.f32.u32", "w", "ww", ref_set, CMP(U(32) | SAT, GE, 0), EXACT},
    {"set.eq.or.u32.s64", "w", "ddp", ref_set, CMP(S(64), EQ, 2), EXACT},
    {"selp.b32", "w", "wwp", ref_selp, 0, EXACT}, {"selp.f64", "d", "ddp", ref_selp, 0, EXACT}, {"selp.u16", "h", "hhp", ref_selp, 0, EXACT},
    {"slct.s32.s32", "w", "www", ref_slct, 0, EXACT}, {"slct.u64.f32", "d", "ddw", ref_slct, 1, EXACT}, {"slct.ftz.u32.f32", "w", "www", ref_slct, 2, EXACT},

    {"vadd.s32.u32.s32", "w", "ww", ref_video, VADD | D_SIGNED | V_B_SIGNED, EXACT},
    {"vadd.u32.u32.u32.sat", "w", "ww", ref_video, VADD | V_SAT, EXACT},
    {"vadd.u32.s32.u32.sat", "w", "ww", ref_video, VADD | V_SAT | V_A_SIGNED, EXACT},
    {"vsub.u32.u32.s32.sat.add", "w", "www", ref_video, VSUB | V_SAT | V_B_SIGNED | FINISH_ADD, EXACT},
    {"vsub.u32.u32.s32.sat d.h1, a.b1, b.b3, c", "w", "www", ref_video, VSUB | V_SAT | V_BYTES | V_MERGE | V_B_SIGNED, EXACT},
    {"vsub.s32.s32.u32.sat d.h1, a.b1, b.b3, c", "w", "www", ref_video, VSUB | D_SIGNED | V_SAT | V_BYTES | V_MERGE | V_A_SIGNED, EXACT},
    {"vmad.u32.u32.u32.sat.shr15", "w", "www", ref_vmad, 2, EXACT},
    {"vsub.s32.s32.s32.sat", "w", "ww", ref_video, VSUB | V_SAT | D_SIGNED | V_A_SIGNED | V_B_SIGNED, EXACT},
    {"vabsdiff.u32.s32.s32.add", "w", "www", ref_video, VABSDIFF | V_A_SIGNED | V_B_SIGNED | FINISH_ADD, EXACT},
    {"vmin.s32.s32.u32", "w", "ww", ref_video, VMIN | D_SIGNED | V_A_SIGNED, EXACT},
    {"vmax.s32.s32.s32.max", "w", "www", ref_video, VMAX | D_SIGNED | V_A_SIGNED | V_B_SIGNED | FINISH_MAX, EXACT},
    {"vadd.s32.s32.u32.min d, a.b1, b.b3, c", "w", "www", ref_video, VADD | D_SIGNED | V_A_SIGNED | V_BYTES | FINISH_MIN, EXACT},
    {"vsub.s32.u32.u32.sat d.h1, a.b1, b.b3, c", "w", "www", ref_video, VSUB | D_SIGNED | V_SAT | V_BYTES | V_MERGE, EXACT},
    {"vshl.u32.u32.u32.clamp", "w", "ww", ref_video, VSHL, EXACT}, {"vshl.u32.u32.u32.wrap", "w", "ww", ref_video, VSHL | V_WRAP, EXACT},
    {"vshr.s32.s32.u32.clamp", "w", "ww", ref_video, VSHR | D_SIGNED | V_A_SIGNED, EXACT}, {"vshr.u32.u32.u32.wrap", "w", "ww", ref_video, VSHR | V_WRAP, EXACT},
    {"vset.s32.s32.lt", "w", "ww", ref_video, VSET_LT | V_A_SIGNED | V_B_SIGNED, EXACT},
    {"vset.u32.u32.lt.add", "w", "www", ref_video, VSET_LT | FINISH_ADD, EXACT},
    {"vmad.s32.s32.s32.shr7", "w", "www", ref_vmad, 0, EXACT}, {"vmad.s32.s32.s32.sat.shr7", "w", "www", ref_vmad, 1, EXACT},
    {"vadd2.u32.u32.u32", "w", "www", ref_video_packed, VADD, EXACT}, {"vadd4.s32.s32.s32.sat", "w", "www", ref_video_packed, VADD | V_BYTES | V_A_SIGNED | D_SIGNED | V_SAT, EXACT},
    {"vsub4.u32.u32.u32.sat", "w", "www", ref_video_packed, VSUB | V_BYTES | V_SAT, EXACT},
    {"vavrg2.s32.s32.s32", "w", "www", ref_video_packed, 9 | V_A_SIGNED, EXACT}, {"vavrg4.u32.u32.u32", "w", "www", ref_video_packed, 9 | V_BYTES, EXACT},
    {"vabsdiff4.u32.u32.u32.add", "w", "www", ref_video_packed, VABSDIFF | V_BYTES | FINISH_ADD, EXACT},
    {"vabsdiff2.s32.s32.s32", "w", "www", ref_video_packed, VABSDIFF | V_A_SIGNED, EXACT},
    {"vmin4.s32.s32.s32", "w", "www", ref_video_packed, VMIN | V_BYTES | V_A_SIGNED, EXACT}, {"vmax2.u32.u32.u32", "w", "www", ref_video_packed, VMAX, EXACT},
    {"vset2.s32.s32.lt", "w", "www", ref_video_packed, VSET_LT | V_A_SIGNED, EXACT}, {"vset4.u32.u32.lt.add", "w", "www", ref_video_packed, VSET_LT | V_BYTES | FINISH_ADD, EXACT},
};
/* clang-format on */

static void
all_forms(void **state)
{
    (void)state;
    assert_int_equal(harness_run_all(forms, sizeof forms / sizeof *forms, 20000), 0);
}

int
main(void)
{
    return UNIT_TESTS(all_forms);
}
