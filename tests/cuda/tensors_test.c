/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies by random tensor maps: byte for byte as an H200 made them (tests/data/h200_tensors.csv, by
 * tools/record/tensor_maps.c), and as the manual says, element by element (PTX ISA 5.5).
 */
#define NO_MAIN
#include "../../tools/record/tensor_maps.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include "common/unit.h"
#include <math.h>

enum { CASES = 2400, CHUNK = 16 };

/* -- one element ------------------------------------------------------------------------------- */

static double
number_of(uint32_t type, uint64_t bits)
{
    uint32_t w = type == 9 ? (uint32_t)bits << 16 : (uint32_t)bits;
    uint16_t h = (uint16_t)bits;
    _Float16 half;
    float f;
    double d;
    memcpy(&half, &h, 2), memcpy(&f, &w, 4), memcpy(&d, &bits, 8);
    return type == 6 ? (double)half : type == 8 ? d : f;
}

static uint64_t
bits_of(uint32_t type, double x)
{
    static const uint64_t nan[13] = {
        [6] = 0x7fff,      [7] = 0x7fffffff,  [8] = 0x7ff8000000000000, [9] = 0x7fff,
        [10] = 0x7fffffff, [11] = 0x7fffffff, [12] = 0x7fffffff};
    _Float16 half = (_Float16)x;
    float f = (float)x;
    uint64_t d;
    uint32_t w;
    uint16_t h;
    memcpy(&d, &x, 8), memcpy(&w, &f, 4), memcpy(&h, &half, 2);
    if (isnan(x))
        return nan[type];
    if (type == 9) { /* bfloat: nearest even of the float's upper half */
        uint32_t rest = w & 0xffff;
        return (w >> 16) + (rest > 0x8000 || (rest == 0x8000 && w >> 16 & 1));
    }
    return type == 6 ? h : type == 8 ? d : w;
}

/* What a load makes of an element of .tf32: 10 bits of the fraction, to nearest even. */
static uint32_t
tf32_of(uint32_t w)
{
    float f;
    int e;
    memcpy(&f, &w, 4);
    if (isnan(f))
        return 0x7fffe000;
    if (isinf(f) || f == 0)
        return w;
    frexpf(f, &e);
    double unit = ldexp(1, e - 11 < -136 ? -136 : e - 11);
    f = (float)(rint(f / unit) * unit);
    if (f == 0)
        f = copysignf(0, w >> 31 ? -1 : 1);
    memcpy(&w, &f, 4);
    return w;
}

static uint64_t
reduced(uint32_t op, uint32_t type, uint64_t a, uint64_t b)
{
    bool is_signed = type == 3 || type == 5;
    int64_t x = type == 3 ? (int32_t)a : (int64_t)a, y = type == 3 ? (int32_t)b : (int64_t)b;
    bool less = is_signed ? x < y : a < b;
    if (type >= 6) {
        double u = number_of(type, a), v = number_of(type, b);
        double r = op == T_ADD ? u + v : op == T_MIN ? fmin(u, v) : fmax(u, v);
        if (type == 10) { /* subnormal numbers are zeros */
            u = fabs(u) < 0x1p-126 ? copysign(0, u) : u;
            v = fabs(v) < 0x1p-126 ? copysign(0, v) : v;
            r = fabs(u + v) < 0x1p-126 ? copysign(0, u + v) : u + v;
        }
        return bits_of(type, r);
    }
    switch (op) {
    case T_ADD: return a + b;
    case T_MIN: return less ? a : b;
    case T_MAX: return less ? b : a;
    case T_INC: return a >= b ? 0 : a + 1;
    case T_DEC: return a == 0 || a > b ? b : a - 1;
    case T_AND: return a & b;
    case T_OR: return a | b;
    default: return a ^ b;
    }
}

/* -- a copy ------------------------------------------------------------------------------------ */

struct model {
    const struct tensor_case *c;
    uint8_t *tensor, *shared;
    uint32_t size, rows;
};

/* Byte `at` of the box, as the swizzle places it. */
static uint8_t *
box_byte(const struct model *m, uint32_t at)
{
    static const uint32_t rows[] = {1, 2, 4, 8};
    uint32_t a = m->c->tile + at, line = a / 128, chunk = a / CHUNK % 8;
    return m->shared + line * 128 + (chunk ^ line % rows[m->c->swizzle]) * CHUNK + a % CHUNK;
}

static void
load_element(struct model *m, uint32_t at, const uint8_t *from)
{
    uint8_t value[32];
    for (uint32_t k = 0; k < m->size; k++)
        value[k] = from ? from[k] : !m->c->fill ? 0 : k % 2 ? 0x7f : 0xf7;
    for (uint32_t k = 0; from && m->c->type >= 11 && k < m->size; k += 4) {
        uint32_t w;
        memcpy(&w, value + k, 4);
        w = tf32_of(w);
        memcpy(value + k, &w, 4);
    }
    for (uint32_t k = 0; k < m->size; k++)
        *box_byte(m, at + k) = value[k];
}

static void
store_element(struct model *m, uint32_t at, uint8_t *to)
{
    uint32_t each = tensor_type_bytes[m->c->type];
    uint8_t value[32];
    for (uint32_t k = 0; k < m->size; k++)
        value[k] = *box_byte(m, at + k);
    for (uint32_t k = 0; m->c->what == TENSOR_REDUCE && k < m->size; k += each) {
        uint64_t a = 0, b = 0;
        memcpy(&a, to + k, each), memcpy(&b, value + k, each);
        a = reduced(m->c->reduction, m->c->type, a, b);
        memcpy(value + k, &a, each);
    }
    memcpy(to, value, m->size);
}

/* A row of `count` elements that begins at element `first` of those at `row`; NULL: outside. */
static void
copy_row(struct model *m, uint8_t *row, int64_t first, uint32_t count, uint32_t step)
{
    const struct tensor_case *c = m->c;
    uint32_t span = c->interleave ? 0 : tensor_span(c->swizzle);
    uint32_t at = m->rows++ * (span ? span : count * m->size);
    int64_t end = (int64_t)c->dim[0];
    if (c->what != TENSOR_LOAD && !c->interleave) /* whole groups of 16 bytes are stored */
        end = (end * m->size + CHUNK - 1) / CHUNK * CHUNK / m->size;
    for (uint32_t k = 0; k < count; k++) {
        int64_t i = first + (int64_t)k * step;
        uint8_t *there = row && i >= 0 && i < end ? row + i * m->size : NULL;
        if (c->what == TENSOR_LOAD)
            load_element(m, at + k * m->size, there);
        else if (there)
            store_element(m, at + k * m->size, there);
    }
}

static uint32_t
steps(const struct tensor_case *c, uint32_t k)
{
    return c->interleave && k + 2 == c->rank ? 1 : (c->box[k] + c->step[k] - 1) / c->step[k];
}

static void
copy_box(struct model *m, uint32_t k, uint8_t *row)
{
    const struct tensor_case *c = m->c;
    if (k == 0) {
        copy_row(m, row, c->at[0], c->interleave ? steps(c, 0) : c->box[0],
                 c->interleave ? c->step[0] : 1);
        return;
    }
    for (uint32_t n = 0; n < steps(c, k); n++) {
        int64_t i = c->at[k] + (int64_t)n * c->step[k];
        bool inside = row && i >= 0 && i < (int64_t)c->dim[k];
        copy_box(m, k - 1, inside ? row + i * (int64_t)c->stride[k - 1] : NULL);
    }
}

/* Pixel after pixel in the box between the corners (PTX ISA 5.5.4). */
static void
copy_pixels(struct model *m)
{
    const struct tensor_case *c = m->c;
    uint32_t n = c->rank - 2;
    int64_t i[4];
    for (uint32_t k = 0; k <= n; k++)
        i[k] = c->at[k + 1];
    for (uint32_t p = 0; p < c->pixels; p++) {
        bool inside = i[n] >= 0 && i[n] < (int64_t)c->dim[n + 1];
        uint8_t *row = m->tensor + i[n] * (int64_t)c->stride[n];
        for (uint32_t k = 0; k < n; k++) {
            int64_t at = i[k] + (c->what == TENSOR_LOAD ? c->shift[k] : 0);
            inside &= at >= 0 && at < (int64_t)c->dim[k + 1];
            row += at * (int64_t)c->stride[k];
        }
        copy_row(m, inside ? row : NULL, c->at[0], c->channels, 1);
        for (uint32_t k = 0; k <= n; k++) {
            i[k] += c->step[k + 1];
            if (k == n || i[k] < (int64_t)c->dim[k + 1] + c->upper[k])
                break;
            i[k] = c->lower[k];
        }
    }
}

static uint64_t
expected_hash(const struct tensor_case *c, uint8_t *buffer, uint8_t *tile)
{
    struct model m = {.c = c, .tensor = buffer + c->offset, .shared = tile};
    m.size = c->interleave ? 16 * c->interleave : tensor_type_bytes[c->type];
    tensor_fill(c->seed, c->type, buffer, TENSOR_BUFFER);
    tensor_fill(c->seed + 1, c->type, tile, TENSOR_TILE);
    if (c->im2col)
        copy_pixels(&m);
    else
        copy_box(&m, c->rank - 1, m.tensor);
    return c->what == TENSOR_LOAD ? tensor_hash(tile, TENSOR_TILE)
                                  : tensor_hash(buffer, TENSOR_BUFFER);
}

/* -- tests ------------------------------------------------------------------------------------- */

/* Stores that begin before the tensor, and of pixels' boxes that reach past it, end a kernel. */
static bool
is_refused(const struct tensor_case *c)
{
    bool refused = false;
    for (uint32_t k = 0; c->what != TENSOR_LOAD && k < c->rank; k++)
        refused |= c->at[k] < 0;
    for (uint32_t k = 0; c->what != TENSOR_LOAD && c->im2col && k + 2 < c->rank; k++)
        refused |= c->lower[k] < 0 || c->upper[k] > 0;
    return refused;
}

static struct machine machine;

static int
start(void **state)
{
    (void)state;
    setenv("LOCKSTEP_QUIET", "1", 1);
    setenv("LOCKSTEP_WORKERS", "1", 1); /* launches of one block: nobody is woken for them */
    machine_init(&machine);
    return 0;
}

static void
test_model(void **state)
{
    uint8_t *buffer = malloc(TENSOR_BUFFER), *tile = malloc(TENSOR_TILE + 1024);
    struct tensor_case c;
    unsigned wrong = 0, copies = 0;
    (void)state;
    for (uint32_t k = 0; k < CASES; k++) {
        tensor_case_make(1, k, &c);
        if (is_refused(&c))
            continue;
        struct outcome o = run(&machine, &c);
        assert_int_equal(o.encoded, 0);
        assert_int_equal(o.launched, 0);
        copies++;
        if (o.hash != expected_hash(&c, buffer, tile) && wrong++ < 10)
            print_error("case %u: not what the manual says\n", k);
    }
    assert_int_equal(wrong, 0);
    assert_true(copies > 2000);
    free(buffer);
    free(tile);
}

static void
test_recorded(void **state)
{
    char path[1024], line[128];
    unsigned number, launched, over, wrong = 0, ended = 0, rows = 0;
    const char *sanitizer = getenv("SANITIZE");
    unsigned every = sanitizer && *sanitizer ? 4 : 1;
    unsigned long long hash;
    struct tensor_case c;
    (void)state;
    snprintf(path, sizeof path, "%s/tests/data/h200_tensors.csv", getenv("SOURCE_DIR"));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        over = 1, hash = 0;
        if (sscanf(line, "%u,0,%u,%u,%llx", &number, &launched, &over, &hash) < 2)
            continue;
        if (rows++ % every)
            continue;
        tensor_case_make(1, number, &c);
        if (launched) {
            assert_true(is_refused(&c));
            if (ended++ % 48) /* each begins the device anew */
                continue;
        }
        struct outcome o = run(&machine, &c);
        bool fine = o.launched == (int)launched && (launched || (o.hash == hash && o.over == over));
        if (!fine && wrong++ < 10)
            print_error("case %u: launch %d, over %u, hash %016llx\n", number, o.launched, o.over,
                        (unsigned long long)o.hash);
        if (o.launched)
            machine_renew(&machine);
    }
    fclose(f);
    assert_int_equal(wrong, 0);
    assert_int_equal(rows, 2400);
}

int
main(void)
{
    return UNIT_TESTS_IN(start, NULL, test_model, test_recorded);
}
