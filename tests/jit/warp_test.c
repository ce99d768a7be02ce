/* SPDX-License-Identifier: Apache-2.0
 *
 * shfl, vote, match, redux, activemask, elect against the manual's pseudo-code, lane by lane, with
 * random active masks, member masks that split the warp into groups, and every segment width.
 */
#include "common/unit.h"

#include "jit/harness.h"
#include "jit/reference.h"

/* One warp: operands and the lanes that take part. */
struct warp {
    uint32_t active;
    uint64_t x[4][32];    /* operand, lane */
    uint32_t members[32]; /* of each lane's group, active lanes only */
};

typedef void warp_ref(const struct warp *w, unsigned lane, uint64_t *d, int arg);

struct warp_form {
    const char *text, *out, *in;
    warp_ref *ref;
    int arg;
};

/* -- references -------------------------------------------------------------------------------- */

enum { UP, DOWN, BFLY, IDX };

static void
ref_shfl(const struct warp *w, unsigned lane, uint64_t *d, int arg)
{
    int b = (int)w->x[1][lane] & 31, c = (int)w->x[2][lane] & 31, l = (int)lane;
    int segment = (int)(w->x[2][lane] >> 8) & 31;
    int last = (l & segment) | (c & ~segment), first = l & segment, j;
    bool p;
    switch (arg) {
    case UP:
        j = l - b;
        p = j >= last;
        break;
    case DOWN:
        j = l + b;
        p = j <= last;
        break;
    case BFLY:
        j = l ^ b;
        p = j <= last;
        break;
    default:
        j = first | (b & ~segment);
        p = j <= last;
        break;
    }
    int from = p ? j : l;
    d[0] = w->active >> from & 1 ? w->x[0][from] : 0; /* tests/data/h200_shuffles.csv */
    d[1] = p;
}

enum { BALLOT, ALL, ANY, UNI };

static void
ref_vote(const struct warp *w, unsigned lane, uint64_t *d, int arg)
{
    uint32_t yes = 0, who = w->members[lane];
    for (unsigned k = 0; k < 32; k++)
        yes |= (uint32_t)(who >> k & w->x[0][k] & 1) << k;
    d[0] = arg == BALLOT ? yes
           : arg == ALL  ? yes == who
           : arg == ANY  ? yes != 0
                         : yes == who || yes == 0;
}

static void
ref_match(const struct warp *w, unsigned lane, uint64_t *d, int arg)
{
    uint32_t same = 0, who = w->members[lane];
    for (unsigned k = 0; k < 32; k++)
        if (who >> k & 1 && w->x[0][k] == w->x[0][lane])
            same |= 1u << k;
    d[0] = arg == ANY ? same : same == who ? who : 0;
    d[1] = same == who;
}

enum {
    R_ADD,
    R_MIN,
    R_MAX,
    R_AND,
    R_OR,
    R_XOR,
    R_SIGNED = 16,
    R_FLOAT = 32,
    R_NAN = 64,
    R_ABS = 128
};

static uint32_t
combine(uint32_t a, uint32_t b, int arg)
{
    bool less = arg & R_SIGNED ? (int32_t)a < (int32_t)b : a < b;
    switch (arg & 15) {
    case R_ADD: return a + b;
    case R_MIN: return less ? a : b;
    case R_MAX: return less ? b : a;
    case R_AND: return a & b;
    case R_OR: return a | b;
    default: return a ^ b;
    }
}

static uint32_t
combine_floats(uint32_t a, uint32_t b, int arg)
{
    float x = ref_float(a), y = ref_float(b);
    if (isnan(x) || isnan(y)) {
        if (arg & R_NAN || (isnan(x) && isnan(y)))
            return 0x7fffffff;
        return isnan(x) ? b : a;
    }
    bool less = x < y || (x == y && signbit(x) > signbit(y));
    return less == ((arg & 15) == R_MIN) ? a : b;
}

static void
ref_redux(const struct warp *w, unsigned lane, uint64_t *d, int arg)
{
    bool first = true;
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; k++) {
        if (!(w->members[lane] >> k & 1))
            continue;
        uint32_t x = (uint32_t)w->x[0][k];
        if (arg & R_ABS)
            x &= 0x7fffffff;
        if (first)
            r = arg & R_FLOAT ? combine_floats(x, x, arg) : x;
        else
            r = arg & R_FLOAT ? combine_floats(r, x, arg) : combine(r, x, arg);
        first = false;
    }
    d[0] = r;
}

static void
ref_activemask(const struct warp *w, unsigned lane, uint64_t *d, int arg)
{
    d[0] = w->active;
}

static void
ref_elect(const struct warp *w, unsigned lane, uint64_t *d, int arg)
{
    d[0] = (unsigned)__builtin_ctz(w->members[lane]);
    d[1] = d[0] == lane;
}

/* -- the forms --------------------------------------------------------------------------------- */

/* clang-format off */
static const struct warp_form forms[] = {
    {"shfl.sync.up.b32 d|p, a, b, c, 0xffffffff", "wp", "wwww", ref_shfl, UP}, {"shfl.sync.down.b32 d|p, a, b, c, 0xffffffff", "wp", "wwww", ref_shfl, DOWN},
    {"shfl.sync.bfly.b32 d|p, a, b, c, 0xffffffff", "wp", "wwww", ref_shfl, BFLY}, {"shfl.sync.idx.b32 d|p, a, b, c, m", "wp", "wwww", ref_shfl, IDX},
    {"shfl.sync.down.b32 d, a, 16, 31, 0xffffffff", "w", "wwww", ref_shfl, DOWN}, {"shfl.sync.bfly.b32 d|p, a, 1, 31, 0xffffffff", "wp", "wwww", ref_shfl, BFLY},
    {"shfl.sync.up.b32 d|p, a, 3, 0x1800, 0xffffffff", "wp", "wwww", ref_shfl, UP}, {"shfl.sync.idx.b32 d|p, a, b, 0x1c1f, 0xffffffff", "wp", "wwww", ref_shfl, IDX},
    {"shfl.sync.idx.b32 d|p, a, 0, 31, 0xffffffff", "wp", "wwww", ref_shfl, IDX}, {"shfl.down.b32 d|p, a, 2, 0x181f", "wp", "www", ref_shfl, DOWN},
    {"vote.sync.ballot.b32 d, a, 0xffffffff", "w", "pw", ref_vote, BALLOT}, {"vote.sync.all.pred d, a, 0xffffffff", "p", "pw", ref_vote, ALL},
    {"vote.sync.any.pred d, a, 0xffffffff", "p", "pw", ref_vote, ANY}, {"vote.sync.uni.pred d, a, 0xffffffff", "p", "pw", ref_vote, UNI},
    {"vote.sync.ballot.b32 d, a, m", "w", "pw", ref_vote, BALLOT}, {"vote.sync.all.pred d, a, m", "p", "pw", ref_vote, ALL}, {"vote.sync.any.pred d, a, m", "p", "pw", ref_vote, ANY},
    {"vote.ballot.b32 d, a", "w", "p", ref_vote, BALLOT}, {"vote.all.pred d, a", "p", "p", ref_vote, ALL}, {"vote.any.pred d, a", "p", "p", ref_vote, ANY}, {"vote.uni.pred d, a", "p", "p", ref_vote, UNI},
    {"match.any.sync.b32 d, a, 0xffffffff", "w", "ww", ref_match, ANY}, {"match.any.sync.b64 d, a, m", "w", "dw", ref_match, ANY}, {"match.any.sync.b32 d, a, m", "w", "ww", ref_match, ANY},
    {"match.all.sync.b32 d|p, a, 0xffffffff", "wp", "ww", ref_match, ALL}, {"match.all.sync.b64 d|p, a, m", "wp", "dw", ref_match, ALL},
    {"redux.sync.add.s32 d, a, 0xffffffff", "w", "ww", ref_redux, R_ADD}, {"redux.sync.add.u32 d, a, m", "w", "ww", ref_redux, R_ADD},
    {"redux.sync.min.s32 d, a, 0xffffffff", "w", "ww", ref_redux, R_MIN | R_SIGNED}, {"redux.sync.max.u32 d, a, m", "w", "ww", ref_redux, R_MAX},
    {"redux.sync.max.s32 d, a, m", "w", "ww", ref_redux, R_MAX | R_SIGNED}, {"redux.sync.min.u32 d, a, 0xffffffff", "w", "ww", ref_redux, R_MIN},
    {"redux.sync.and.b32 d, a, m", "w", "ww", ref_redux, R_AND}, {"redux.sync.or.b32 d, a, 0xffffffff", "w", "ww", ref_redux, R_OR}, {"redux.sync.xor.b32 d, a, m", "w", "ww", ref_redux, R_XOR},
    {"redux.sync.min.f32 d, a, 0xffffffff", "w", "ww", ref_redux, R_MIN | R_FLOAT}, {"redux.sync.max.NaN.f32 d, a, m", "w", "ww", ref_redux, R_MAX | R_FLOAT | R_NAN},
    {"redux.sync.max.abs.f32 d, a, m", "w", "ww", ref_redux, R_MAX | R_FLOAT | R_ABS}, {"redux.sync.min.abs.NaN.f32 d, a, 0xffffffff", "w", "ww", ref_redux, R_MIN | R_FLOAT | R_ABS | R_NAN},
    {"activemask.b32 d", "w", "", ref_activemask, 0}, {"elect.sync d|p, 0xffffffff", "wp", "w", ref_elect, 0}, {"elect.sync d|p, m", "wp", "w", ref_elect, 0},
};
/* clang-format on */

static uint64_t state = 12345;

/* Groups: all active lanes when every lane has the same mask, else a random split. */
static void
make_warp(struct warp *w, const struct warp_form *f, const struct ptx_insn *i, unsigned turn)
{
    unsigned n = (unsigned)strlen(f->in), first = 1;
    w->active = turn % 4 == 0   ? 0xffffffff
                : turn % 4 == 1 ? 1u << (turn % 32)
                                : (uint32_t)harness_random(&state);
    if (w->active == 0)
        w->active = 1;
    uint64_t values[512];
    size_t room = harness_values('w', values, 200);
    for (unsigned k = 0; k < n; k++) {
        bool constant = i->operand[first + k].kind == PTX_O_INT;
        for (unsigned lane = 0; lane < 32; lane++) {
            uint64_t r = harness_random(&state);
            w->x[k][lane] = constant          ? i->operand[first + k].imm
                            : turn % 5 == 0   ? r & 3 /* equal ones */
                            : turn % 7 == 0   ? 7
                            : f->in[k] == 'p' ? (turn % 3 ? r & 1 : 1)
                                              : values[r % room];
            if (f->in[k] == 'p')
                w->x[k][lane] &= 1;
        }
    }
    unsigned groups = 1 + turn % 5;
    unsigned group[32];
    for (unsigned lane = 0; lane < 32; lane++)
        group[lane] = (unsigned)harness_random(&state) % groups;
    bool mask_operand = strstr(f->text, ", m") != NULL;
    for (unsigned lane = 0; lane < 32; lane++) {
        uint32_t members = 0;
        for (unsigned k = 0; k < 32; k++)
            members |= (uint32_t)(group[k] == group[lane]) << k;
        if (!mask_operand)
            members = 0xffffffff;
        else
            w->x[n - 1][lane] = members;
        w->members[lane] = members & w->active;
    }
}

static unsigned
run(struct harness *h, const struct warp_form *f)
{
    struct parsed *p = harness_parse(f->text, 0, 0);
    unsigned bad = 0, cases = 0;
    static struct batch b;
    void *in[8], *out[8];
    for (unsigned k = 0; k < 8; k++) {
        in[k] = b.in[k];
        out[k] = b.out[k];
    }
    for (unsigned plain = 0; plain < 2; plain++) {
        harness_fn *fn =
            harness_compile(h, &p->insn, f->out, f->in, 32, plain, harness_emit_plain, NULL);
        if (!fn)
            return 1;
        for (unsigned turn = 0; turn < 300 && bad < 4; turn++) {
            struct warp w = {0};
            make_warp(&w, f, &p->insn, turn);
            for (unsigned k = 0; f->in[k]; k++)
                for (unsigned lane = 0; lane < 32; lane++)
                    b.x[lane][k] = w.x[k][lane];
            batch_pack(&b, f->in, 0);
            fn(w.active, out, in);
            for (unsigned lane = 0; lane < 32; lane++) {
                if (!(w.active >> lane & 1))
                    continue;
                uint64_t want[2] = {0};
                f->ref(&w, lane, want, f->arg);
                for (unsigned k = 0; f->out[k]; k++) {
                    uint64_t got = batch_result(&b, k, lane, f->out[k]);
                    cases++;
                    if (got == want[k] || bad >= 4)
                        continue;
                    bad++;
                    fprintf(stderr,
                            "%s: lane %u of %#x, result %u: %#" PRIx64 ", should be %#" PRIx64 "\n",
                            f->text, lane, w.active, k, got, want[k]);
                }
            }
        }
    }
    printf("%-48s %7u cases%s\n", f->text, cases, bad ? "  WRONG" : "");
    free(p);
    return bad != 0;
}

static void
all_forms(void **unused)
{
    struct harness *h = harness_new();
    unsigned bad = 0;
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        bad += run(h, &forms[k]);
    harness_free(h);
    assert_int_equal(bad, 0);
}

int
main(void)
{
    return UNIT_TESTS(all_forms);
}
