/* SPDX-License-Identifier: Apache-2.0
 *
 * format.c: values as gdb shows them: {x = 1, y = 2}, {0 <repeats 32 times>}, 97 'a', hexadecimal
 * pointers; formats of print and x.
 */
#include "cli/inspect/value.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { REPEATS = 10, DEEPEST = 24 };

struct printer {
    struct world *w;
    struct text *out;
    struct ls_error *err;
    char letter;
    uint32_t left; /* elements that may still be shown */
    int depth;
};

static bool show(struct printer *p, struct value *v);

static void
add_double(struct text *out, double d, size_t bytes)
{
    char digits[64];
    if (isnan(d))
        text_add(out, signbit(d) ? "-nan" : "nan");
    else if (isinf(d))
        text_add(out, d < 0 ? "-inf" : "inf");
    else {
        snprintf(digits, sizeof digits, "%.*g", bytes == 8 ? 17 : bytes == 2 ? 5 : 9, d);
        text_add(out, "%s", digits);
    }
}

static void
add_char(struct text *out, unsigned c, char quote)
{
    static const char from[] = "\n\t\r\a\b\f\v\\", to[] = "ntrabfv\\";
    const char *at = c ? strchr(from, (int)c) : NULL;
    if (at)
        text_add(out, "\\%c", to[at - from]);
    else if (c == (unsigned char)quote)
        text_add(out, "\\%c", quote);
    else if (c < 32 || c > 126)
        text_add(out, "\\%03o", c);
    else
        text_add(out, "%c", (char)c);
}

static uint64_t
bits_of(const struct value *v)
{
    uint64_t u = 0;
    size_t n = type_size(v->type);
    memcpy(&u, v->bytes, n < 8 ? n : 8);
    return u;
}

/* Bits as a float of their size. */
static bool
add_as_float(struct printer *p, const struct value *v)
{
    float f;
    double d;
    size_t n = type_size(v->type);
    if (n == 4) {
        memcpy(&f, v->bytes, 4);
        add_double(p->out, f, 4);
    } else if (n == 8) {
        memcpy(&d, v->bytes, 8);
        add_double(p->out, d, 8);
    }
    return n == 4 || n == 8;
}

static void
add_binary(struct text *out, uint64_t u)
{
    int k = 63;
    while (k > 0 && !(u >> k & 1))
        k--;
    for (; k >= 0; k--)
        text_add(out, "%d", (int)(u >> k & 1));
}

/* Under a letter, of a number or pointer; floats become integers first but for f, as gdb's print
 * has it of old; x shows their value too. */
static bool
add_lettered(struct printer *p, struct value *v)
{
    struct type *t = type_plain(v->type);
    bool is_float = t->kind == TYPE_FLOAT || value_is_half(t);
    int64_t n = 0;
    double d;
    if (is_float && (p->letter == 'f' || p->letter == 's'))
        return value_double(p->w, v, &d, p->err) && (add_double(p->out, d, type_size(t)), true);
    if (p->letter == 'f' && add_as_float(p, v))
        return true;
    if (!value_integer(p->w, v, &n, p->err))
        return false;
    uint64_t u = (uint64_t)n;
    size_t size = type_size(t);
    if (is_float)
        size = 8;
    if (size < 8)
        u &= (1ull << 8 * size) - 1;
    switch (p->letter) {
    case 'x':
    case 'a': text_add(p->out, "0x%llx", (unsigned long long)u); break;
    case 'z': text_add(p->out, "0x%0*llx", (int)(2 * size), (unsigned long long)u); break;
    case 'u': text_add(p->out, "%llu", (unsigned long long)u); break;
    case 'o': text_add(p->out, u ? "0%llo" : "%llo", (unsigned long long)u); break;
    case 't': add_binary(p->out, u); break;
    case 'c':
        text_add(p->out, "%d '", (int)(int8_t)u);
        add_char(p->out, (unsigned)(u & 0xff), '\'');
        text_add(p->out, "'");
        break;
    default: { /* d */
        unsigned shift = 64 - 8 * (unsigned)(size ? size : 8);
        text_add(p->out, "%lld", (long long)((int64_t)(u << shift) >> shift));
    }
    }
    return true;
}

static bool
add_enum(struct printer *p, struct value *v)
{
    struct type *t = type_plain(v->type);
    int64_t n;
    if (!value_integer(p->w, v, &n, p->err))
        return false;
    for (size_t k = 0; k < t->enumerator_count; k++)
        if (t->enumerators[k].value == n) {
            text_add(p->out, "%s", t->enumerators[k].name);
            return true;
        }
    bool flags = n != 0; /* a sum of enumerators */
    struct text sum = {0};
    uint64_t rest = (uint64_t)n;
    for (size_t k = 0; k < t->enumerator_count; k++) {
        uint64_t e = (uint64_t)t->enumerators[k].value;
        if (e && !(e & (e - 1)) && rest & e) {
            text_add(&sum, "%s%s", sum.count ? " | " : "", t->enumerators[k].name);
            rest &= ~e;
        }
    }
    if (flags && !rest)
        text_add(p->out, "(%s)", sum.at);
    else
        text_add(p->out, "%lld", (long long)n);
    text_free(&sum);
    return true;
}

/* Of char *: the text it points to, as far as it can be read. */
static void
add_pointed_text(struct printer *p, const struct value *v)
{
    struct type *t = type_plain(v->type);
    struct ls_error unused;
    if (!type_plain(t->of)->is_char || !bits_of(v) || !p->w->ops)
        return;
    text_add(p->out, " \"");
    for (uint32_t k = 0;; k++) {
        struct value c = value_in_memory(t->of, t->space, bits_of(v) + k);
        bool known = value_fetch(p->w, &c, &unused);
        if (known && !*c.bytes)
            break;
        if (k == p->w->elements) {
            text_add(p->out, "\"...");
            return;
        }
        if (!known) {
            text_add(p->out, "<cannot be read>");
            break;
        }
        add_char(p->out, *c.bytes, '"');
    }
    text_add(p->out, "\"");
}

static void
add_function_name(struct printer *p, uint64_t u)
{
    const struct symbols *s = p->w->symbols;
    uint64_t index = ((u & ~JIT_FUNCTION_TAG) >> 4) - 1;
    if (s && (u & JIT_FUNCTION_TAG) == JIT_FUNCTION_TAG && index < s->function_count)
        text_add(p->out, " <%s>", s->functions[index].name);
}

static bool
show_pointer(struct printer *p, struct value *v)
{
    struct type *t = type_plain(v->type);
    bool plain_text = type_plain(t->of)->is_char;
    if (!p->depth && !plain_text) {
        text_add(p->out, "(");
        type_text(v->type, p->out);
        text_add(p->out, ") ");
    }
    text_add(p->out, "0x%llx", (unsigned long long)bits_of(v));
    if (type_plain(t->of)->kind == TYPE_FUNCTION)
        add_function_name(p, bits_of(v));
    add_pointed_text(p, v);
    return true;
}

static bool
show_scalar(struct printer *p, struct value *v)
{
    struct type *t = type_plain(v->type);
    double d;
    if (p->letter)
        return add_lettered(p, v);
    switch (t->kind) {
    case TYPE_VOID: text_add(p->out, "void"); return true;
    case TYPE_BOOL:
        if (bits_of(v) < 2)
            text_add(p->out, bits_of(v) ? "true" : "false");
        else
            text_add(p->out, "%u", (unsigned)bits_of(v));
        return true;
    case TYPE_FLOAT:
        if (!value_double(p->w, v, &d, p->err))
            return false;
        add_double(p->out, d, type_size(t));
        return true;
    case TYPE_ENUM: return add_enum(p, v);
    case TYPE_POINTER: return show_pointer(p, v);
    default: {
        char letter = t->is_char ? 'c' : t->kind == TYPE_UNSIGNED ? 'u' : 'd';
        if (t->is_char && t->kind == TYPE_UNSIGNED) { /* 200 '\310' */
            text_add(p->out, "%u '", (unsigned)bits_of(v));
            add_char(p->out, (unsigned)bits_of(v), '\'');
            text_add(p->out, "'");
            return true;
        }
        p->letter = letter;
        bool fine = add_lettered(p, v);
        p->letter = 0;
        return fine;
    }
    }
}

static bool
show_text(struct printer *p, const struct value *v, uint64_t count)
{
    uint64_t end = count;
    while (end > 0 && !v->bytes[end - 1])
        end--;
    text_add(p->out, "\"");
    for (uint64_t k = 0; k < end && k < p->w->elements; k++)
        add_char(p->out, v->bytes[k], '"');
    text_add(p->out, end > p->w->elements ? "\"..." : "\"");
    return true;
}

static bool
show_array(struct printer *p, struct value *v)
{
    struct type *t = type_plain(v->type);
    size_t size = type_size(t->of);
    if (type_plain(t->of)->is_char && !p->letter)
        return show_text(p, v, t->count);
    text_add(p->out, "{");
    for (uint64_t k = 0, same; k < t->count; k += same) {
        for (same = 1; k + same < t->count &&
                       !memcmp(v->bytes + k * size, v->bytes + (k + same) * size, size);)
            same++;
        same = same >= REPEATS ? same : 1;
        text_add(p->out, k ? ", " : "");
        if (!p->left) {
            text_add(p->out, "...");
            break;
        }
        struct value e = value_of_bytes(p->w, t->of, v->bytes + k * size);
        if (type_plain(t->of)->kind != TYPE_ARRAY)
            p->left--;
        if (!show(p, &e))
            return false;
        if (same > 1)
            text_add(p->out, " <repeats %llu times>", (unsigned long long)same);
    }
    text_add(p->out, "}");
    return true;
}

static bool
show_members(struct printer *p, struct value *v)
{
    struct type *t = type_plain(v->type);
    bool first = true;
    if (t->incomplete) {
        text_add(p->out, "<incomplete type>");
        return true;
    }
    text_add(p->out, "{");
    for (size_t k = 0; k < t->member_count; k++) {
        const struct type_member *m = &t->members[k];
        if (m->is_static)
            continue;
        struct value part = value_of_bytes(p->w, m->type, v->bytes + m->offset);
        if (m->bit_size) {
            uint64_t bits = bits_of(&part), mask = (1ull << (m->bit_size & 63)) - 1;
            bits = m->bit_size < 64 ? bits >> m->bit_offset & mask : bits;
            if (type_plain(m->type)->kind == TYPE_INT && bits >> (m->bit_size - 1) & 1)
                bits |= ~mask;
            part = value_of_integer(p->w, m->type, (int64_t)bits);
        }
        text_add(p->out, first ? "" : ", ");
        if (m->is_base)
            text_add(p->out, "<%s> = ", m->name);
        else if (*m->name)
            text_add(p->out, "%s = ", m->name);
        first = false;
        if (!show(p, &part))
            return false;
    }
    text_add(p->out, "}");
    return true;
}

static bool
show(struct printer *p, struct value *v)
{
    struct type *t = type_plain(v->type);
    bool fine;
    if (v->gone) {
        text_add(p->out, "<optimized out>");
        return true;
    }
    if (t->kind == TYPE_REFERENCE) {
        struct value meant = *v;
        if (!value_fetch(p->w, v, p->err))
            return false;
        if (!p->depth) {
            text_add(p->out, "(");
            type_text(v->type, p->out);
            text_add(p->out, ") ");
        }
        text_add(p->out, "@0x%llx", (unsigned long long)bits_of(v));
        if (p->depth)
            return true;
        text_add(p->out, ": ");
        p->depth++;
        fine = value_follow(p->w, &meant, p->err) && show(p, &meant);
        p->depth--;
        return fine;
    }
    if (!value_fetch(p->w, v, p->err))
        return false;
    if (value_is_half(t)) {
        double d;
        char letter = p->letter;
        if (letter && letter != 'f')
            return add_lettered(p, v);
        if (!value_double(p->w, v, &d, p->err))
            return false;
        add_double(p->out, d, 2);
        return true;
    }
    if (++p->depth > DEEPEST) {
        text_add(p->out, "{...}");
        p->depth--;
        return true;
    }
    if (t->kind == TYPE_ARRAY || type_is_aggregate(t)) {
        fine = t->kind == TYPE_ARRAY ? show_array(p, v) : show_members(p, v);
        p->depth--;
        return fine;
    }
    p->depth--;
    return show_scalar(p, v);
}

bool
format_value(struct world *w, struct value *v, char letter, struct text *out, struct ls_error *err)
{
    struct printer p = {.w = w, .out = out, .err = err, .letter = letter, .left = w->elements};
    return show(&p, v);
}

bool
format_short(struct world *w, struct value *v, char letter, struct text *out, struct ls_error *err)
{
    struct printer p = {.w = w, .out = out, .err = err, .letter = letter, .left = 8, .depth = 1};
    return show(&p, v);
}
