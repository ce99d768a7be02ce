/* SPDX-License-Identifier: Apache-2.0
 *
 * value.c: where values lie, their parts, casts, assignment; value_arithmetic.c computes.
 */
#include "cli/inspect/value.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 16 << 20 }; /* bytes of one value */

static const char *
type_words(struct world *w, struct type *t)
{
    struct text text = {0};
    type_text(t, &text);
    const char *words = arena_strdup(w->arena, text.at ? text.at : "");
    text_free(&text);
    return words;
}

struct value
value_of_bytes(struct world *w, struct type *t, const void *bytes)
{
    size_t n = type_size(t);
    struct value v = {.type = t, .bytes = arena_alloc(w->arena, n + 8)};
    if (n)
        memcpy(v.bytes, bytes, n);
    return v;
}

struct value
value_of_integer(struct world *w, struct type *t, int64_t n)
{
    return value_of_bytes(w, t, &n);
}

struct value
value_of_double(struct world *w, struct type *t, double d)
{
    float f = (float)d;
    return type_size(t) == 4 ? value_of_bytes(w, t, &f) : value_of_bytes(w, t, &d);
}

struct value
value_in_memory(struct type *t, uint8_t space, uint64_t address)
{
    return (struct value){.type = t, .place = VALUE_MEMORY, .space = space, .address = address};
}

static struct debug_memory
memory_of(struct world *w, const struct value *v, uint64_t bytes)
{
    return (struct debug_memory){
        .who = w->who, .space = v->space, .address = v->address, .bytes = bytes};
}

bool
value_fetch(struct world *w, struct value *v, struct ls_error *err)
{
    size_t n = type_size(v->type);
    if (v->gone)
        return ls_fail(err, LS_ERR_INPUT, "value has been optimized out");
    if (v->bytes || v->place != VALUE_MEMORY)
        return true;
    if (n > LARGEST)
        return ls_fail(err, LS_ERR_INPUT, "value of %zu bytes is too large to be shown", n);
    if (!w->ops || !w->ops->read)
        return ls_fail(err, LS_ERR_INPUT, "the program is not being run");
    uint8_t *bytes = arena_alloc(w->arena, n + 8);
    struct debug_memory at = memory_of(w, v, n);
    if (n && !w->ops->read(w->context, &at, bytes, err))
        return false;
    if (v->bit_size) {
        uint64_t all = 0, mask = v->bit_size >= 64 ? UINT64_MAX : (1ull << v->bit_size) - 1;
        memcpy(&all, bytes, n < 8 ? n : 8);
        all = all >> v->bit_offset & mask;
        if (type_plain(v->type)->kind == TYPE_INT && all >> (v->bit_size - 1) & 1)
            all |= ~mask;
        memcpy(bytes, &all, n < 8 ? n : 8);
    }
    v->bytes = bytes;
    return true;
}

/* -- numbers ----------------------------------------------------------------------------------- */

bool
value_is_half(struct type *t)
{
    const char *name = type_plain(t)->name;
    return name && type_size(t) == 2 && (!strcmp(name, "__half") || !strcmp(name, "__nv_bfloat16"));
}

static double
value_half(uint16_t bits, bool bfloat)
{
    int exponent_bits = bfloat ? 8 : 5, fraction_bits = 15 - exponent_bits;
    int bias = (1 << (exponent_bits - 1)) - 1;
    int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    int fraction = bits & ((1 << fraction_bits) - 1);
    double sign = bits >> 15 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
        return fraction ? NAN : sign * INFINITY;
    if (!exponent)
        return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

static double
float_of(const struct value *v)
{
    struct type *t = type_plain(v->type);
    uint16_t h;
    float f;
    double d;
    if (type_size(t) == 2) {
        memcpy(&h, v->bytes, 2);
        return value_half(h, t->name && !strcmp(t->name, "__nv_bfloat16"));
    }
    memcpy(&f, v->bytes, 4);
    if (type_size(t) == 4)
        return f;
    memcpy(&d, v->bytes, 8);
    return d;
}

static int64_t
integer_of(const struct value *v)
{
    struct type *t = type_plain(v->type);
    size_t n = type_size(t);
    uint64_t u = 0;
    memcpy(&u, v->bytes, n < 8 ? n : 8);
    bool is_signed = t->kind == TYPE_INT || (t->kind == TYPE_ENUM && !t->is_unsigned);
    if (is_signed && n && n < 8 && u >> (8 * n - 1) & 1)
        u |= ~0ull << 8 * n;
    return (int64_t)u;
}

static bool
has_number(struct world *w, struct value *v, struct ls_error *err)
{
    if (!value_follow(w, v, err) || !value_fetch(w, v, err))
        return false;
    enum type_kind k = type_plain(v->type)->kind;
    if (type_is_number(v->type) || k == TYPE_POINTER || value_is_half(v->type))
        return true;
    return ls_fail(err, LS_ERR_INPUT, "a value of type %s is no number", type_words(w, v->type));
}

bool
value_integer(struct world *w, struct value *v, int64_t *out, struct ls_error *err)
{
    if (type_plain(v->type)->kind == TYPE_ARRAY && !value_decay(w, v, err))
        return false;
    if (!has_number(w, v, err))
        return false;
    bool is_float = type_plain(v->type)->kind == TYPE_FLOAT || value_is_half(v->type);
    if (!is_float) {
        *out = integer_of(v);
        return true;
    }
    double d = float_of(v);
    *out = d >= 9.3e18 && d < 1.9e19   ? (int64_t)(uint64_t)d
           : d > -9.2e18 && d < 9.2e18 ? (int64_t)d
                                       : INT64_MIN;
    return true;
}

bool
value_double(struct world *w, struct value *v, double *out, struct ls_error *err)
{
    if (!has_number(w, v, err))
        return false;
    struct type *t = type_plain(v->type);
    bool is_float = t->kind == TYPE_FLOAT || value_is_half(t);
    bool is_unsigned = t->kind == TYPE_UNSIGNED || t->kind == TYPE_POINTER;
    *out = is_float      ? float_of(v)
           : is_unsigned ? (double)(uint64_t)integer_of(v)
                         : (double)integer_of(v);
    return true;
}

bool
value_truth(struct world *w, struct value *v, bool *out, struct ls_error *err)
{
    double d;
    int64_t n;
    if (type_plain(v->type)->kind == TYPE_FLOAT || value_is_half(v->type)) {
        if (!value_double(w, v, &d, err))
            return false;
        *out = d != 0;
        return true;
    }
    if (!value_integer(w, v, &n, err))
        return false;
    *out = n != 0;
    return true;
}

static uint16_t
half_of(double d, bool bfloat)
{
    uint16_t best = 0;
    double nearest = INFINITY;
    if (isnan(d))
        return bfloat ? 0x7fff : 0x7fff;
    for (uint32_t bits = 0; bits < 0x8000; bits++) { /* once in a while, by hand */
        double h = value_half((uint16_t)bits, bfloat), apart = fabs(h - fabs(d));
        if (h == h && (apart < nearest || (apart == nearest && !(bits & 1)))) {
            nearest = apart;
            best = (uint16_t)bits;
        }
    }
    return best | (uint16_t)(signbit(d) ? 0x8000 : 0);
}

/* -- parts ------------------------------------------------------------------------------------- */

bool
value_follow(struct world *w, struct value *v, struct ls_error *err)
{
    struct type *t = type_plain(v->type);
    uint64_t at;
    if (t->kind != TYPE_REFERENCE)
        return true;
    if (!value_fetch(w, v, err))
        return false;
    memcpy(&at, v->bytes, 8);
    *v = value_in_memory(t->of, t->space, at);
    return true;
}

bool
value_decay(struct world *w, struct value *v, struct ls_error *err)
{
    struct type *t = type_plain(v->type);
    if (!value_follow(w, v, err))
        return false;
    t = type_plain(v->type);
    if (t->kind != TYPE_ARRAY)
        return true;
    if (v->place != VALUE_MEMORY || v->space == PTX_SPACE_REG)
        return ls_fail(err, LS_ERR_INPUT, "an array that is not in memory has no address");
    *v = value_of_integer(w, type_new_pointer(w->types, t->of, v->space), (int64_t)v->address);
    return true;
}

bool
value_deref(struct world *w, struct value *v, struct value *out, struct ls_error *err)
{
    if (!value_decay(w, v, err) || !value_fetch(w, v, err))
        return false;
    struct type *t = type_plain(v->type);
    if (type_is_integer(t)) { /* gdb's habit: *0x1000 is an int there */
        *out = value_in_memory(type_base("int"), PTX_SPACE_NONE, (uint64_t)integer_of(v));
        return true;
    }
    if (t->kind != TYPE_POINTER)
        return ls_fail(err, LS_ERR_INPUT, "a value of type %s is no pointer",
                       type_words(w, v->type));
    if (type_plain(t->of)->kind == TYPE_VOID)
        return ls_fail(err, LS_ERR_INPUT, "attempt to take contents of a void pointer");
    *out = value_in_memory(t->of, t->space, (uint64_t)integer_of(v));
    return true;
}

bool
value_address(struct world *w, struct value *v, struct value *out, struct ls_error *err)
{
    if (!value_follow(w, v, err))
        return false;
    if (v->place != VALUE_MEMORY || v->gone || v->bit_size || v->space == PTX_SPACE_REG)
        return ls_fail(err, LS_ERR_INPUT, "%s",
                       v->gone       ? "value has been optimized out"
                       : v->bit_size ? "a bit field has no address"
                                     : "attempt to take address of value not located in memory");
    *out = value_of_integer(w, type_new_pointer(w->types, v->type, v->space), (int64_t)v->address);
    return true;
}

/* A part of a value, wherever that is. */
static struct value
part(struct world *w, const struct value *v, struct type *t, uint64_t offset)
{
    struct value out = *v;
    out.type = t;
    out.address += v->place == VALUE_MEMORY ? offset : 0;
    if (v->bytes) {
        out = value_of_bytes(w, t, v->bytes + offset);
        if (v->place == VALUE_MEMORY && v->space != PTX_SPACE_REG) {
            out.place = VALUE_MEMORY;
            out.space = v->space;
            out.address = v->address + offset;
        }
    }
    return out;
}

bool
value_index(struct world *w, struct value *v, int64_t index, struct value *out,
            struct ls_error *err)
{
    if (!value_follow(w, v, err))
        return false;
    struct type *t = type_plain(v->type);
    if (t->kind == TYPE_ARRAY) {
        if (v->place != VALUE_MEMORY && (index < 0 || (uint64_t)index >= t->count))
            return ls_fail(err, LS_ERR_INPUT, "no such vector element");
        struct value whole = *v;
        if (v->place == VALUE_MEMORY)
            whole.bytes = NULL; /* elements beside it are read too */
        *out = part(w, &whole, t->of, (uint64_t)index * type_size(t->of));
        return true;
    }
    if (t->kind != TYPE_POINTER)
        return ls_fail(err, LS_ERR_INPUT, "a value of type %s cannot be subscripted",
                       type_words(w, v->type));
    if (!value_fetch(w, v, err))
        return false;
    struct value moved = value_of_integer(
        w, v->type, integer_of(v) + index * (int64_t)(type_size(t->of) ? type_size(t->of) : 1));
    return value_deref(w, &moved, out, err);
}

/* In it or in its bases and anonymous members. */
static bool
find_member(struct world *w, const struct value *v, struct type *t, const char *name,
            struct value *out)
{
    for (size_t k = 0; k < t->member_count; k++) {
        const struct type_member *m = &t->members[k];
        struct type *inner = type_plain(m->type);
        if (m->is_static)
            continue;
        if (!strcmp(m->name, name)) {
            struct value whole = *v;
            if (m->bit_size)
                whole.bytes = NULL;
            *out = part(w, &whole, m->type, m->offset);
            out->bit_offset = m->bit_offset;
            out->bit_size = m->bit_size;
            return true;
        }
        if ((m->is_base || !*m->name) && type_is_aggregate(inner)) {
            struct value base = part(w, v, m->type, m->offset);
            if (find_member(w, &base, inner, name, out))
                return true;
        }
    }
    return false;
}

bool
value_member(struct world *w, struct value *v, const char *name, struct value *out,
             struct ls_error *err)
{
    if (!value_follow(w, v, err))
        return false;
    struct type *t = type_plain(v->type);
    if (t->kind == TYPE_POINTER && type_is_aggregate(t->of)) { /* gdb takes p.x for p->x */
        struct value at;
        return value_deref(w, v, &at, err) && value_member(w, &at, name, out, err);
    }
    if (!type_is_aggregate(t))
        return ls_fail(err, LS_ERR_INPUT, "a value of type %s has no members",
                       type_words(w, v->type));
    if (find_member(w, v, t, name, out))
        return true;
    return ls_fail(err, LS_ERR_INPUT, "There is no member named %s.", name);
}

/* -- casts and assignment ---------------------------------------------------------------------- */

bool
value_cast(struct world *w, struct value *v, struct type *t, struct value *out,
           struct ls_error *err)
{
    struct type *to = type_plain(t);
    int64_t n;
    double d;
    if (type_is_aggregate(to) && !value_is_half(to)) {
        if (!value_follow(w, v, err) || !type_same(v->type, t))
            return ls_fail(err, LS_ERR_INPUT, "Invalid cast.");
        *out = *v;
        out->type = t;
        return true;
    }
    if (to->kind == TYPE_FLOAT || value_is_half(to)) {
        if (!value_double(w, v, &d, err))
            return false;
        uint16_t half = 0;
        if (type_size(to) == 2)
            half = half_of(d, to->name && !strcmp(to->name, "__nv_bfloat16"));
        *out = type_size(to) == 2 ? value_of_bytes(w, t, &half) : value_of_double(w, t, d);
        return true;
    }
    if (to->kind == TYPE_ARRAY || to->kind == TYPE_FUNCTION || to->kind == TYPE_REFERENCE)
        return ls_fail(err, LS_ERR_INPUT, "Invalid cast to %s.", type_words(w, t));
    uint8_t space = PTX_SPACE_NONE;
    if (!value_decay(w, v, err) || !value_integer(w, v, &n, err))
        return false;
    if (type_plain(v->type)->kind == TYPE_POINTER)
        space = type_plain(v->type)->space;
    if (to->kind == TYPE_POINTER && !to->space && space)
        t = type_new_pointer(w->types, to->of, space);
    *out = value_of_integer(w, t, to->kind == TYPE_BOOL ? n != 0 : n);
    return true;
}

static bool
write_memory(struct world *w, const struct value *to, const uint8_t *bytes, size_t n,
             struct ls_error *err)
{
    struct debug_memory at = memory_of(w, to, n);
    uint64_t all = 0, value = 0;
    if (!w->ops || !w->ops->write)
        return ls_fail(err, LS_ERR_INPUT, "the program is not being run");
    if (!to->bit_size)
        return w->ops->write(w->context, &at, bytes, err);
    uint64_t mask = (to->bit_size >= 64 ? UINT64_MAX : (1ull << to->bit_size) - 1)
                    << to->bit_offset;
    if (!w->ops->read(w->context, &at, &all, err))
        return false;
    memcpy(&value, bytes, n < 8 ? n : 8);
    all = (all & ~mask) | (value << to->bit_offset & mask);
    return w->ops->write(w->context, &at, &all, err);
}

bool
value_assign(struct world *w, struct value *to, struct value *from, struct ls_error *err)
{
    struct value v;
    if (w->no_effects)
        return ls_fail(err, LS_ERR_INPUT, "an assignment is not allowed here");
    if (to->place == VALUE_VARIABLE) {
        if (!value_follow(w, from, err) || !value_fetch(w, from, err) || !w->ops || !w->ops->set ||
            !w->ops->set(w->context, to->name, from, err))
            return false;
        const char *name = to->name;
        *to = *from;
        to->place = VALUE_VARIABLE;
        to->name = name;
        return true;
    }
    if (!value_follow(w, to, err))
        return false;
    if (to->place != VALUE_MEMORY || to->gone)
        return ls_fail(err, LS_ERR_INPUT, "Left operand of assignment is not an lvalue.");
    if (!value_cast(w, from, to->type, &v, err) || !value_fetch(w, &v, err))
        return false;
    if (type_plain(v.type)->kind == TYPE_POINTER && type_plain(v.type)->space &&
        type_plain(to->type)->space != type_plain(v.type)->space)
        return ls_fail(err, LS_ERR_UNSUPPORTED,
                       "an address in %s memory cannot be stored in a pointer",
                       ptx_space_name(type_plain(v.type)->space));
    if (!write_memory(w, to, v.bytes, type_size(to->type), err))
        return false;
    to->bytes = v.bytes;
    return true;
}
