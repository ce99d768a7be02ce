/* SPDX-License-Identifier: Apache-2.0
 *
 * atom and red of every operation and type: one warp against the lanes one after the other, with
 * all lanes at one place, at different ones, and mixed; then threads against each other.
 */
#include "common/unit.h"
#include <pthread.h>

#include "jit/harness.h"
#include "jit/reference.h"

enum { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCH, CAS };
enum {
    SIGNED = 0x10,
    F32 = 0x20,
    F64 = 0x30,
    F16 = 0x40,
    BF16 = 0x50,
    F16X2 = 0x60,
    BF16X2 = 0x70,
    KIND = 0x70
};

struct atomic_form {
    const char *text;
    char width;
    unsigned elements;
    int arg;
};

/* -- reference --------------------------------------------------------------------------------- */

static uint64_t
half(uint64_t a, uint64_t b, int arg, const struct ref_format *f)
{
    long double x = ref_decode(a, f), y = ref_decode(b, f);
    if ((arg & 15) == ADD)
        return isnan(x + y) ? 0x7fff : ref_encode(x + y, f, REF_RN, false);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y) ? 0x7fff : isnan(x) ? b : a;
    bool a_first = x < y || (x == y && a >> 15 > b >> 15);
    return a_first == ((arg & 15) == MIN) ? a : b;
}

static uint64_t
combine_floats(uint64_t old, uint64_t x, int arg, bool plain)
{
    switch (arg & KIND) {
    case F32: {
        float a = ref_float(old), b = ref_float(x);
        return ref_bits32(plain ? a + b : ref_flush(ref_flush(a) + ref_flush(b)));
    }
    case F64: return ref_bits64(ref_double(old) + ref_double(x));
    case F16: return half(old, x, arg, &fmt_f16);
    case BF16: return half(old, x, arg, &fmt_bf16);
    default: {
        const struct ref_format *f = (arg & KIND) == F16X2 ? &fmt_f16 : &fmt_bf16;
        return half(old & 0xffff, x & 0xffff, arg, f) | half(old >> 16, x >> 16, arg, f) << 16;
    }
    }
}

static uint64_t
combine(uint64_t old, uint64_t x, uint64_t y, unsigned bits, int arg, bool plain)
{
    int64_t so = (int64_t)(old << (64 - bits)), sx = (int64_t)(x << (64 - bits));
    bool less = arg & SIGNED ? so < sx : old < x;
    if ((arg & KIND) >= F32 && (arg & 15) < EXCH)
        return combine_floats(old, x, arg, plain);
    switch (arg & 15) {
    case ADD: return old + x;
    case MIN: return less ? old : x;
    case MAX: return less ? x : old;
    case INC: return old >= x ? 0 : old + 1;
    case DEC: return old == 0 || old > x ? x : old - 1;
    case AND: return old & x;
    case OR: return old | x;
    case XOR: return old ^ x;
    case EXCH: return x;
    default: return old == x ? y : old;
    }
}

/* -- the forms --------------------------------------------------------------------------------- */

/* clang-format off */
static const struct atomic_form forms[] = {
    {"atom.global.add.u32", 'w', 1, ADD}, {"atom.add.s32", 'w', 1, ADD}, {"atom.global.add.u64", 'd', 1, ADD}, {"red.global.add.u32", 'w', 1, ADD}, {"red.add.u64", 'd', 1, ADD},
    {"atom.global.min.s32", 'w', 1, MIN | SIGNED}, {"atom.global.min.u32", 'w', 1, MIN}, {"atom.max.s64", 'd', 1, MAX | SIGNED}, {"red.max.u64", 'd', 1, MAX}, {"red.min.s32", 'w', 1, MIN | SIGNED},
    {"red.max.s32", 'w', 1, MAX | SIGNED}, {"red.min.u64", 'd', 1, MIN}, {"atom.shared.max.u32", 'w', 1, MAX},
    {"atom.inc.u32", 'w', 1, INC}, {"atom.dec.u32", 'w', 1, DEC}, {"red.inc.u32", 'w', 1, INC},
    {"atom.and.b32", 'w', 1, AND}, {"atom.or.b64", 'd', 1, OR}, {"atom.xor.b32", 'w', 1, XOR}, {"red.and.b64", 'd', 1, AND}, {"red.or.b32", 'w', 1, OR}, {"red.xor.b64", 'd', 1, XOR},
    {"atom.exch.b32", 'w', 1, EXCH}, {"atom.exch.b64", 'd', 1, EXCH}, {"atom.cas.b16", 'h', 1, CAS}, {"atom.cas.b32", 'w', 1, CAS}, {"atom.acq_rel.gpu.global.cas.b64", 'd', 1, CAS},
    {"atom.global.add.f32", 'w', 1, ADD | F32}, {"red.global.add.f32", 'w', 1, ADD | F32}, {"atom.add.f64", 'd', 1, ADD | F64}, {"red.add.f64", 'd', 1, ADD | F64},
    {"atom.add.noftz.f16", 'h', 1, ADD | F16}, {"atom.add.noftz.bf16", 'h', 1, ADD | BF16}, {"atom.add.noftz.f16x2", 'w', 1, ADD | F16X2}, {"red.add.noftz.f16x2", 'w', 1, ADD | F16X2}, {"atom.add.noftz.bf16x2", 'w', 1, ADD | BF16X2},
    {"atom.global.add.v2.f32", 'w', 2, ADD | F32}, {"red.global.add.v4.f32", 'w', 4, ADD | F32}, {"atom.global.max.noftz.v2.f16", 'h', 2, MAX | F16}, {"red.global.min.noftz.v4.bf16x2", 'w', 4, MIN | BF16X2},
};
/* clang-format on */

static bool
emit_with(struct emit *e, const struct ptx_insn *i, LLVMValueRef *in, unsigned nin,
          LLVMValueRef *out, const void *with)
{
    return emit_atomic(e, i, in[0], *(const bool *)with, in + 1, nin - 1, out);
}

static bool
is_red(const struct atomic_form *f)
{
    return strncmp(f->text, "red", 3) == 0;
}

static harness_fn *
compile(struct harness *h, const struct atomic_form *f, bool plain)
{
    char in[16] = "d", out[8] = "";
    unsigned n = f->elements * ((f->arg & 15) == CAS ? 2 : 1);
    memset(in + 1, f->width, n);
    if (!is_red(f))
        memset(out, f->width, f->elements);
    struct parsed *p = harness_parse(f->text, strlen(out), n + 1);
    harness_fn *fn = harness_compile(h, &p->insn, out, in, 32, false, emit_with, &plain);
    free(p);
    return fn;
}

static uint64_t state = 999;

static bool
same(uint64_t a, uint64_t b, int arg)
{
    static const int kinds[] = {EXACT, EXACT, NAN32, NAN64, NAN16, NANBF, NAN16X2, NANBFX2};
    return harness_same(a, b, kinds[arg >> 4 & 7]);
}

/* Few values, so that comparisons succeed and floats stay finite for a while. */
static uint64_t
operand(unsigned bits, unsigned turn)
{
    uint64_t values[512], r = harness_random(&state);
    size_t n = harness_values(bits == 16 ? 'h' : bits == 32 ? 'w' : 'd', values, 80);
    return turn % 3 == 0 ? r & 3 : values[r % n];
}

static unsigned
turn_of(const struct atomic_form *f, harness_fn *fn, bool plain, unsigned turn)
{
    static uint8_t in[8][512], out[8][512];
    static uint64_t memory[32 * 4], expected[32 * 4];
    unsigned bits = harness_bits(f->width), bytes = bits / 8, bad = 0;
    void *ins[8], *outs[8];
    for (unsigned k = 0; k < 8; k++) {
        ins[k] = in[k];
        outs[k] = out[k];
    }
    for (unsigned k = 0; k < 32 * 4; k++)
        memcpy((uint8_t *)memory + k * bytes, (uint64_t[]){operand(bits, turn)}, bytes);
    memcpy(expected, memory, sizeof memory);
    uint32_t active = turn % 3 == 0 ? 0xffffffff : (uint32_t)harness_random(&state) | 4;
    unsigned places = turn % 4 == 0 ? 1 : turn % 4 == 1 ? 32 : 3;
    unsigned n = f->elements * ((f->arg & 15) == CAS ? 2 : 1);
    uint64_t old[32][4];
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned place =
            (places == 32 ? lane : (unsigned)harness_random(&state) % places) * f->elements;
        uint64_t x[8] = {0}, address = (uintptr_t)memory + place * bytes;
        if (!(active >> lane & 1))
            address = 8; /* must not be touched */
        memcpy(in[0] + 8 * lane, &address, 8);
        for (unsigned k = 0; k < n; k++) {
            x[k] = operand(bits, turn);
            memcpy(in[1 + k] + lane * bytes, &x[k], bytes);
            x[k] &= bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
        }
        for (unsigned k = 0; k < f->elements && active >> lane & 1; k++) {
            uint8_t *at = (uint8_t *)expected + (place + k) * bytes;
            uint64_t before = 0;
            memcpy(&before, at, bytes);
            old[lane][k] = before;
            uint64_t after = combine(before, x[k], x[f->elements + k], bits, f->arg, plain);
            memcpy(at, &after, bytes);
        }
    }
    fn(active, outs, ins);
    for (unsigned k = 0; k < 32 * f->elements; k++) {
        uint64_t got = 0, want = 0;
        memcpy(&got, (uint8_t *)memory + k * bytes, bytes);
        memcpy(&want, (uint8_t *)expected + k * bytes, bytes);
        if (!same(got, want, f->arg) && bad++ == 0)
            fprintf(stderr,
                    "%s: place %u, active %#x, %u places: %#" PRIx64 ", should be %#" PRIx64 "\n",
                    f->text, k, active, places, got, want);
    }
    for (unsigned lane = 0; lane < 32 && !is_red(f); lane++)
        for (unsigned k = 0; k < f->elements && active >> lane & 1; k++) {
            uint64_t got = 0;
            memcpy(&got, out[k] + lane * bytes, bytes);
            if (!same(got, old[lane][k], f->arg) && bad++ == 0)
                fprintf(stderr, "%s: old value of lane %u: %#" PRIx64 ", should be %#" PRIx64 "\n",
                        f->text, lane, got, old[lane][k]);
        }
    return bad;
}

static void
one_warp(void **unused)
{
    struct harness *h = harness_new();
    unsigned wrong = 0;
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        unsigned bad = 0;
        for (int plain = 0; plain < 2; plain++) {
            harness_fn *fn = compile(h, &forms[k], plain);
            assert_non_null(fn);
            for (unsigned turn = 0; turn < 200 && bad < 4; turn++)
                bad += turn_of(&forms[k], fn, plain, turn);
        }
        printf("%-36s %u cases%s\n", forms[k].text, 2 * 200 * 32, bad ? "  WRONG" : "");
        wrong += bad != 0;
    }
    harness_free(h);
    assert_int_equal(wrong, 0);
}

/* -- 128 bits ---------------------------------------------------------------------------------- */

static void
wide(void **unused)
{
    struct harness *h = harness_new();
    static unsigned __int128 memory[32] __attribute__((aligned(16)));
    static unsigned __int128 x[2][32], old[32];
    static uint64_t address[32];
    static const bool plain[] = {false, true};
    for (unsigned cas = 0; cas < 2; cas++) {
        struct parsed *p = harness_parse(cas ? "atom.cas.b128" : "atom.exch.b128", 1, 3);
        harness_fn *fn =
            harness_compile(h, &p->insn, "q", cas ? "dqq" : "dq", 32, false, emit_with, &plain[0]);
        assert_non_null(fn);
        for (unsigned lane = 0; lane < 32; lane++) {
            memory[lane] = (unsigned __int128)lane << 100 | 5;
            address[lane] = (uintptr_t)&memory[lane];
            x[0][lane] = cas && lane % 2 ? memory[lane] : (unsigned __int128)lane << 70;
            x[1][lane] = (unsigned __int128)7 << 90 | lane;
        }
        fn(0xfffffffe, (void *[]){old}, (void *[]){address, x[0], x[1]});
        for (unsigned lane = 1; lane < 32; lane++) {
            unsigned __int128 before = (unsigned __int128)lane << 100 | 5;
            unsigned __int128 after = !cas ? x[0][lane] : lane % 2 ? x[1][lane] : before;
            assert_true(old[lane] == before && memory[lane] == after);
        }
        assert_true(memory[0] == 5);
        free(p);
    }
    harness_free(h);
}

/* -- threads ----------------------------------------------------------------------------------- */

enum { TURNS = 20000, THREADS = 4 };

struct job {
    harness_fn *fn;
    uint64_t address[32];
    uint32_t x[1][32], out[32];
};

static void *
work(void *at)
{
    struct job *j = at;
    void *in[] = {j->address, j->x[0]}, *out[] = {j->out};
    for (unsigned k = 0; k < TURNS; k++)
        j->fn(0xffffffff, out, in);
    return NULL;
}

/* Threads add at one place and at several ones: nothing is lost. */
static void
threads(void **unused)
{
    static const char *const texts[] = {"atom.add.u32", "red.add.u32", "red.add.f32",
                                        "atom.add.f32", "atom.inc.u32"};
    struct harness *h = harness_new();
    for (unsigned t = 0; t < 5; t++) {
        static const bool plain = false;
        struct parsed *p = harness_parse(texts[t], 1, 2);
        harness_fn *fn = harness_compile(h, &p->insn, texts[t][0] == 'a' ? "w" : "", "dw", 32,
                                         false, emit_with, &plain);
        assert_non_null(fn);
        for (unsigned places = 1; places <= 2; places++) {
            uint32_t memory[2] = {0, 0};
            static struct job jobs[THREADS];
            pthread_t ids[THREADS];
            bool real = strstr(texts[t], "f32");
            for (unsigned k = 0; k < THREADS; k++) {
                jobs[k].fn = fn;
                for (unsigned lane = 0; lane < 32; lane++) {
                    jobs[k].address[lane] = (uintptr_t)&memory[lane % places];
                    jobs[k].x[0][lane] = t == 4 ? 0xffffffff : real ? 0x3f800000 : 1;
                }
                pthread_create(&ids[k], NULL, work, &jobs[k]);
            }
            for (unsigned k = 0; k < THREADS; k++)
                pthread_join(ids[k], NULL);
            double sum = 0;
            for (unsigned k = 0; k < 2; k++)
                sum += real ? (double)ref_float(memory[k]) : memory[k];
            assert_true(sum == (double)TURNS * THREADS * 32);
        }
        free(p);
    }
    harness_free(h);
}

int
main(void)
{
    return UNIT_TESTS(one_warp, wide, threads);
}
