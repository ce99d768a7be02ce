/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: functions that kernels call and the machine supplies: printf, assert, malloc, free.
 */
#include "exec/exec_priv.h"

#include <stdio.h>
#include <string.h>

/* -- printf: the argument buffer holds each argument at its natural alignment ------------------ */

struct cursor {
    const uint8_t *at;
    size_t offset;
};

static uint64_t
next_bits(struct cursor *c, size_t bytes)
{
    uint64_t v = 0;
    c->offset = (c->offset + bytes - 1) & ~(bytes - 1);
    memcpy(&v, c->at + c->offset, bytes);
    c->offset += bytes;
    return v;
}

struct spec {
    char text[48]; /* "%-8.3" : flags, width, precision */
    size_t count;
    int wide; /* number of l; hh and h are -2 and -1 */
};

static const char *
parse_spec(const char *f, struct spec *s, struct cursor *args)
{
    *s = (struct spec){.text = "%", .count = 1};
    for (f++; *f && strchr("-+ #0123456789.*", *f); f++) {
        if (*f == '*') {
            int n = (int)next_bits(args, 4);
            s->count += (size_t)snprintf(s->text + s->count, 12, "%d", n);
        } else if (s->count < 24) {
            s->text[s->count++] = *f;
        }
        if (s->count > 36)
            s->count = 36;
    }
    for (; *f && strchr("hlLqjzt", *f); f++)
        s->wide += *f == 'h' ? -1 : *f == 'l' ? 1 : 2;
    return f;
}

static void
put(struct text *out, struct spec *s, const char *length, char conversion)
{
    size_t n = strlen(length);
    memcpy(s->text + s->count, length, n);
    s->text[s->count + n] = conversion;
    s->text[s->count + n + 1] = 0;
    (void)out;
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void
format_one(struct text *out, struct spec *s, char conversion, struct cursor *args)
{
    switch (conversion) {
    case 'd':
    case 'i': {
        int64_t v = s->wide >= 1 ? (int64_t)next_bits(args, 8) : (int32_t)next_bits(args, 4);
        v = s->wide == -1 ? (int16_t)v : s->wide <= -2 ? (int8_t)v : v;
        put(out, s, "ll", conversion);
        text_add(out, s->text, (long long)v);
        break;
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
        uint64_t v = s->wide >= 1 ? next_bits(args, 8) : (uint32_t)next_bits(args, 4);
        v = s->wide == -1 ? (uint16_t)v : s->wide <= -2 ? (uint8_t)v : v;
        put(out, s, "ll", conversion);
        text_add(out, s->text, (unsigned long long)v);
        break;
    }
    case 'c':
        put(out, s, "", 'c');
        text_add(out, s->text, (int)next_bits(args, 4));
        break;
    case 'p':
        put(out, s, "", 'p');
        text_add(out, s->text, (void *)(uintptr_t)next_bits(args, 8));
        break;
    case 's': {
        const char *v = (const char *)(uintptr_t)next_bits(args, 8);
        put(out, s, "", 's');
        text_add(out, s->text, v ? v : "(null)");
        break;
    }
    default: {
        uint64_t bits = next_bits(args, 8);
        double v;
        memcpy(&v, &bits, sizeof v);
        put(out, s, "", conversion);
        text_add(out, s->text, v);
    }
    }
}
#pragma GCC diagnostic pop
#pragma clang diagnostic pop

/* Formats like printf in a kernel; returns what the kernel's printf returns. */
static int32_t
exec_format(struct text *out, const char *format, const uint8_t *bytes)
{
    struct cursor args = {bytes, 0};
    int32_t count = 0;
    for (const char *f = format; *f; f++) {
        const char *plain = f;
        while (*f && *f != '%')
            f++;
        text_add_bytes(out, plain, (size_t)(f - plain));
        if (!*f)
            break;
        if (f[1] == '%') {
            text_add_bytes(out, "%", 1);
            f++;
            continue;
        }
        struct spec s;
        const char *start = f;
        f = parse_spec(f, &s, &args);
        if (!*f || !strchr("diuxXocpsaAeEfFgG", *f)) { /* not a conversion: as it stands */
            text_add_bytes(out, start, (size_t)(f - start) + (*f != 0));
            if (!*f)
                break;
            continue;
        }
        format_one(out, &s, *f, &args);
        count++;
    }
    return count;
}

/* -- the calls --------------------------------------------------------------------------------- */

static void
call_printf(struct jit_warp *w, uint32_t lanes, const uint64_t *args, int32_t *result)
{
    struct exec_slot *s = w->owner;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        const char *format = (const char *)(uintptr_t)args[l];
        result[l] = exec_format(&s->out, format, (const uint8_t *)(uintptr_t)args[JIT_LANES + l]);
    }
    exec_output_more(s);
}

static void
call_assert(struct jit_warp *w, uint32_t lanes, uint32_t place, const uint8_t *args)
{
    struct exec_slot *s = w->owner;
    uint32_t l = (uint32_t)__builtin_ctz(lanes), thread[3], line;
    uint64_t message, file, function;
    memcpy(&message, args + 8 * l, 8);
    memcpy(&file, args + 8 * (JIT_LANES + l), 8);
    memcpy(&line, args + 16 * JIT_LANES + 4 * l, 4);
    memcpy(&function, args + 20 * JIT_LANES + 8 * l, 8);
    exec_thread_coordinates(s->block.launch->block, w->warp * JIT_LANES + l, thread);
    char what[160], detail[600];
    snprintf(what, sizeof what, "assertion failed");
    snprintf(detail, sizeof detail,
             "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
             (const char *)(uintptr_t)file, line, (const char *)(uintptr_t)function,
             s->block.ctaid[0], s->block.ctaid[1], s->block.ctaid[2], thread[0], thread[1],
             thread[2], (const char *)(uintptr_t)message);
    exec_escape(s, w->warp, 1u << l, place, true, EXEC_ASSERT, what, detail);
}

/* What a kernel may free: the start of what a kernel's malloc gave. */
static bool
release(struct memory *m, uint64_t address)
{
    struct allocation a;
    return memory_find(m, address, &a, NULL) && a.kind == ALLOCATION_HEAP && a.base == address &&
           memory_release(m, address);
}

void
exec_external(struct jit_warp *w, uint32_t lanes, uint32_t external, uint32_t place, void *args,
              void *result)
{
    struct exec_slot *s = w->owner;
    struct memory *m = s->run->request->memory;
    struct jit_tool *tool = s->run->tool;
    uint64_t *in = args, *out = result;
    switch (external) {
    case JIT_EXT_VPRINTF: call_printf(w, lanes, in, result); break;
    case JIT_EXT_ASSERTFAIL: call_assert(w, lanes, place, args); break;
    case JIT_EXT_CONFIGURE:
        exec_configure(w, lanes, args);
        memset(result, 0, 4 * JIT_LANES);
        break;
    case JIT_EXT_MALLOC:
        for (; lanes; lanes &= lanes - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(lanes);
            out[l] = m && in[l] ? memory_alloc(m, in[l], 16, ALLOCATION_HEAP, NULL) : 0;
            if (out[l] && tool && tool->heap)
                tool->heap(w, l, out[l], in[l], place);
        }
        break;
    case JIT_EXT_FREE:
        for (; lanes; lanes &= lanes - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(lanes);
            if (in[l] && tool && tool->heap && !tool->heap(w, l, in[l], 0, place))
                continue;
            if (in[l] && m && !release(m, in[l]))
                exec_escape(s, w->warp, 1u << l, place, true, EXEC_ILLEGAL_ADDRESS,
                            "free of an address that malloc did not give", NULL);
        }
        break;
    default:
        exec_escape(s, w->warp, lanes, place, true, EXEC_FAILED, "unknown external function", NULL);
    }
}
