/* SPDX-License-Identifier: Apache-2.0
 *
 * value_arithmetic.c: operators on values, by C's conversions.
 */
#include "cli/inspect/value.h"

#include <math.h>
#include <string.h>

static bool
is_float(struct type *t)
{
    return type_plain(t)->kind == TYPE_FLOAT || value_is_half(t);
}

static bool
is_comparison(char op)
{
    return strchr("<>LG=!", op) != NULL;
}

static int64_t
compared(char op, int order, bool ordered)
{
    switch (op) {
    case '<': return ordered && order < 0;
    case '>': return ordered && order > 0;
    case 'L': return ordered && order <= 0;
    case 'G': return ordered && order >= 0;
    case '=': return ordered && order == 0;
    default: return !(ordered && order == 0);
    }
}

static bool
binary_double(struct world *w, char op, struct value *a, struct value *b, struct value *out,
              struct ls_error *err)
{
    double x, y, r;
    if (!value_double(w, a, &x, err) || !value_double(w, b, &y, err))
        return false;
    if (is_comparison(op)) {
        *out = value_of_integer(w, type_base("bool"),
                                compared(op, (x > y) - (x < y), x == x && y == y));
        return true;
    }
    switch (op) {
    case '+': r = x + y; break;
    case '-': r = x - y; break;
    case '*': r = x * y; break;
    case '/': r = x / y; break;
    default: return ls_fail(err, LS_ERR_INPUT, "Integer only operation.");
    }
    bool both_small = !(is_float(a->type) && type_size(a->type) == 8) &&
                      !(is_float(b->type) && type_size(b->type) == 8);
    *out = value_of_double(w, type_base(both_small ? "float" : "double"), r);
    return true;
}

/* The type of integers' results: int at least, the larger one, unsigned where one of that size is.
 */
static struct type *
common_type(struct type *a, struct type *b)
{
    uint64_t x = type_size(a), y = type_size(b), n = x > y ? x : y;
    n = n < 4 ? 4 : n;
    bool has_unsigned = (type_plain(a)->kind == TYPE_UNSIGNED && x == n) ||
                        (type_plain(b)->kind == TYPE_UNSIGNED && y == n);
    return type_base(n == 4 ? (has_unsigned ? "unsigned int" : "int")
                            : (has_unsigned ? "unsigned long" : "long"));
}

static bool
shift(char op, int64_t x, int64_t y, struct type *t, int64_t *r, struct ls_error *err)
{
    int bits = 8 * (int)type_size(t);
    if (y < 0 || y >= bits)
        return ls_fail(err, LS_ERR_INPUT, "a shift by %lld of %d bits", (long long)y, bits);
    *r = op == 'l'                  ? (int64_t)((uint64_t)x << y)
         : t->kind == TYPE_UNSIGNED ? (int64_t)((uint64_t)x >> y)
                                    : x >> y;
    return true;
}

static bool
divide(char op, int64_t x, int64_t y, bool is_unsigned, int64_t *r, struct ls_error *err)
{
    if (!y)
        return ls_fail(err, LS_ERR_INPUT, "Division by zero");
    if (is_unsigned)
        *r = (int64_t)(op == '/' ? (uint64_t)x / (uint64_t)y : (uint64_t)x % (uint64_t)y);
    else if (y == -1)
        *r = op == '/' ? (int64_t)(0 - (uint64_t)x) : 0;
    else
        *r = op == '/' ? x / y : x % y;
    return true;
}

static int64_t
fitted(struct type *t, uint64_t u)
{
    if (type_size(t) == 4)
        return t->kind == TYPE_UNSIGNED ? (int64_t)(uint32_t)u : (int64_t)(int32_t)u;
    return (int64_t)u;
}

static bool
binary_integer(struct world *w, char op, struct value *a, struct value *b, struct value *out,
               struct ls_error *err)
{
    int64_t x, y, r = 0;
    if (!value_integer(w, a, &x, err) || !value_integer(w, b, &y, err))
        return false;
    bool shifts = op == 'l' || op == 'r';
    struct type *t = common_type(a->type, shifts ? a->type : b->type);
    bool is_unsigned = t->kind == TYPE_UNSIGNED;
    x = fitted(t, (uint64_t)x);
    y = shifts ? y : fitted(t, (uint64_t)y);
    if (is_comparison(op)) {
        int order = is_unsigned ? ((uint64_t)x > (uint64_t)y) - ((uint64_t)x < (uint64_t)y)
                                : (x > y) - (x < y);
        *out = value_of_integer(w, type_base("bool"), compared(op, order, true));
        return true;
    }
    uint64_t u = (uint64_t)x, v = (uint64_t)y;
    switch (op) {
    case '+': r = (int64_t)(u + v); break;
    case '-': r = (int64_t)(u - v); break;
    case '*': r = (int64_t)(u * v); break;
    case '&': r = (int64_t)(u & v); break;
    case '|': r = (int64_t)(u | v); break;
    case '^': r = (int64_t)(u ^ v); break;
    case '/':
    case '%':
        if (!divide(op, x, y, is_unsigned, &r, err))
            return false;
        break;
    default:
        if (!shift(op, x, y, t, &r, err))
            return false;
    }
    *out = value_of_integer(w, t, fitted(t, (uint64_t)r));
    return true;
}

/* Pointer and integer, or two pointers. */
static bool
binary_pointer(struct world *w, char op, struct value *a, struct value *b, struct value *out,
               struct ls_error *err)
{
    bool left = type_plain(a->type)->kind == TYPE_POINTER;
    bool right = type_plain(b->type)->kind == TYPE_POINTER;
    int64_t x, y;
    if (!value_integer(w, a, &x, err) || !value_integer(w, b, &y, err))
        return false;
    struct type *t = left ? a->type : b->type;
    int64_t size = (int64_t)type_size(type_plain(t)->of);
    size = size ? size : 1;
    if (is_comparison(op)) {
        int order = ((uint64_t)x > (uint64_t)y) - ((uint64_t)x < (uint64_t)y);
        *out = value_of_integer(w, type_base("bool"), compared(op, order, true));
    } else if (op == '-' && left && right) {
        *out = value_of_integer(w, type_base("long"), (int64_t)((uint64_t)x - (uint64_t)y) / size);
    } else if (op == '+' && !(left && right)) {
        *out = value_of_integer(w, t, left ? x + y * size : x * size + y);
    } else if (op == '-' && left) {
        *out = value_of_integer(w, t, x - y * size);
    } else {
        return ls_fail(err, LS_ERR_INPUT, "Argument to arithmetic operation not a number.");
    }
    return true;
}

bool
value_binary(struct world *w, char op, struct value *a, struct value *b, struct value *out,
             struct ls_error *err)
{
    if (!value_decay(w, a, err) || !value_decay(w, b, err))
        return false;
    if (type_plain(a->type)->kind == TYPE_POINTER || type_plain(b->type)->kind == TYPE_POINTER)
        return binary_pointer(w, op, a, b, out, err);
    if (is_float(a->type) || is_float(b->type))
        return binary_double(w, op, a, b, out, err);
    return binary_integer(w, op, a, b, out, err);
}

bool
value_unary(struct world *w, char op, struct value *v, struct value *out, struct ls_error *err)
{
    bool truth;
    double d;
    int64_t n;
    if (op == '!') {
        if (!value_truth(w, v, &truth, err))
            return false;
        *out = value_of_integer(w, type_base("bool"), !truth);
        return true;
    }
    if (!value_follow(w, v, err))
        return false;
    if (is_float(v->type) && op == '-') {
        if (!value_double(w, v, &d, err))
            return false;
        *out = value_of_double(w, type_base(type_size(v->type) == 8 ? "double" : "float"), -d);
        return true;
    }
    if (is_float(v->type))
        return ls_fail(err, LS_ERR_INPUT, "Integer only operation.");
    if (!value_integer(w, v, &n, err))
        return false;
    struct type *t = common_type(v->type, v->type);
    *out = value_of_integer(w, t, fitted(t, op == '-' ? 0 - (uint64_t)n : ~(uint64_t)n));
    return true;
}
