/* SPDX-License-Identifier: Apache-2.0
 *
 * launch_args: text to the bytes of a kernel's parameter block.
 */
#include "cli/launch/launch_args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* kind: u unsigned, s signed, b either, f float, x hexadecimal digits, m device memory. */
static const struct arg_type {
    const char *name;
    unsigned bytes;
    char kind;
} types[] = {
    {"u8", 1, 'u'},  {"u16", 2, 'u'}, {"u32", 4, 'u'},    {"u64", 8, 'u'}, {"s8", 1, 's'},
    {"s16", 2, 's'}, {"s32", 4, 's'}, {"s64", 8, 's'},    {"b8", 1, 'b'},  {"b16", 2, 'b'},
    {"b32", 4, 'b'}, {"b64", 8, 'b'}, {"f16", 2, 'f'},    {"f32", 4, 'f'}, {"f64", 8, 'f'},
    {"ptr", 8, 'u'}, {"hex", 0, 'x'}, {"buffer", 8, 'm'},
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

static bool
parse_integer(const struct arg_type *t, const char *value, struct launch_arg *out,
              struct ls_error *err)
{
    unsigned bits = 8 * t->bytes;
    uint64_t u = 0;
    int64_t s = 0;
    bool is_u = t->kind != 's' && ls_parse_u64(value, &u);
    bool is_s = t->kind != 'u' && ls_parse_i64(value, &s);
    bool fits = (is_u && (bits == 64 || u >> bits == 0)) ||
                (is_s && (bits == 64 ||
                          (s >= -((int64_t)1 << (bits - 1)) && s < (int64_t)1 << (bits - 1))));
    if (!is_u && !is_s)
        return ls_fail(err, LS_ERR_USAGE, "--arg %s: \"%s\" is no %s number that fits 64 bits",
                       out->text, value, t->kind == 'u' ? "unsigned whole" : "whole");
    if (!fits)
        return ls_fail(err, LS_ERR_USAGE, "--arg %s: %s does not fit %u bits", out->text, value,
                       bits);
    if (!is_u)
        u = (uint64_t)s;
    memcpy(out->bytes, &u, t->bytes); /* little-endian, like the device */
    return true;
}

static bool
parse_float(const struct arg_type *t, const char *value, struct launch_arg *out,
            struct ls_error *err)
{
    double d;
    if (!ls_parse_f64(value, &d))
        return ls_fail(err, LS_ERR_USAGE, "--arg %s: \"%s\" is no number", out->text, value);
    float f = (float)d;
    _Float16 h = (_Float16)d;
    if (isfinite(d) && !(t->bytes == 8 || isfinite(t->bytes == 4 ? f : (float)h)))
        return ls_fail(err, LS_ERR_USAGE, "--arg %s: %s does not fit %s", out->text, value,
                       t->name);
    memcpy(out->bytes,
           t->bytes == 8   ? (void *)&d
           : t->bytes == 4 ? (void *)&f
                           : (void *)&h,
           t->bytes);
    return true;
}

static bool
parse_hex(const char *value, struct launch_arg *out, struct arena *arena, struct ls_error *err)
{
    size_t digits = strlen(value);
    if (digits == 0 || digits % 2 || strspn(value, "0123456789abcdefABCDEF") != digits)
        return ls_fail(err, LS_ERR_USAGE, "--arg %s: hex takes two hexadecimal digits a byte",
                       out->text);
    out->size = digits / 2;
    out->bytes = arena_alloc(arena, out->size);
    for (size_t i = 0; i < out->size; i++)
        out->bytes[i] = (uint8_t)strtoul((char[]){value[2 * i], value[2 * i + 1], 0}, NULL, 16);
    return true;
}

static bool
parse_buffer(const char *value, struct launch_arg *out, struct ls_error *err)
{
    size_t size;
    out->is_buffer = true;
    if (value[0] == '@') {
        out->content = ls_read_file(value + 1, &size, err);
        out->buffer_size = size;
        return out->content;
    }
    if (!ls_parse_u64(value, &out->buffer_size) || out->buffer_size == 0)
        return ls_fail(err, LS_ERR_USAGE,
                       "--arg %s: buffer takes a size in bytes or @FILE, not \"%s\"", out->text,
                       value);
    return true;
}

bool
launch_arg_parse(const char *text, struct launch_arg *out, struct arena *arena,
                 struct ls_error *err)
{
    size_t length = strcspn(text, ":");
    *out = (struct launch_arg){.text = text};
    if (!text[length])
        return ls_fail(err, LS_ERR_USAGE, "--arg %s: takes TYPE:VALUE, such as u32:7", text);
    for (int i = 0; i < TYPE_COUNT; i++) {
        const struct arg_type *t = &types[i];
        const char *value = text + length + 1;
        if (strlen(t->name) != length || strncmp(t->name, text, length) != 0)
            continue;
        out->size = t->bytes;
        out->bytes = arena_alloc(arena, sizeof(uint64_t));
        switch (t->kind) {
        case 'f': return parse_float(t, value, out, err);
        case 'x': return parse_hex(value, out, arena, err);
        case 'm': return parse_buffer(value, out, err);
        default: return parse_integer(t, value, out, err);
        }
    }
    return ls_fail(
        err, LS_ERR_USAGE,
        "--arg %s: no type \"%.*s\" (u8..u64, s8..s64, b8..b64, f16, f32, f64, ptr, hex, "
        "buffer)",
        text, (int)length, text);
}

void
launch_arg_fini(struct launch_arg *arg)
{
    ls_release(arg->content);
    arg->content = NULL;
}

static bool
place_buffer(struct launch_arg *arg, size_t number, struct memory *memory, struct ls_error *err)
{
    uint64_t used, total, allocations;
    arg->address =
        memory_alloc(memory, arg->buffer_size ? arg->buffer_size : 1, 512, ALLOCATION_DEVICE, NULL);
    if (!arg->address) {
        memory_usage(memory, &used, &total, &allocations);
        return ls_fail(err, LS_ERR_USAGE,
                       "argument %zu (%s): out of device memory: %llu of %llu bytes are in use",
                       number, arg->text, (unsigned long long)used, (unsigned long long)total);
    }
    if (arg->content) /* fresh pages of a fresh device are zero already */
        memcpy((void *)(uintptr_t)arg->address, arg->content, arg->buffer_size);
    memcpy(arg->bytes, &arg->address, sizeof arg->address);
    return true;
}

bool
launch_args_place(struct launch_arg *args, size_t count, const struct ptx_func *kernel,
                  struct memory *memory, uint8_t *params, struct ls_error *err)
{
    if (count != kernel->param_count)
        return ls_fail(err, LS_ERR_USAGE, "kernel %s takes %u argument%s, not %zu", kernel->name,
                       kernel->param_count, kernel->param_count == 1 ? "" : "s", count);
    for (size_t i = 0; i < count; i++) {
        const struct ptx_var *p = kernel->params[i];
        if (args[i].size != p->size)
            return ls_fail(err, LS_ERR_USAGE,
                           "argument %zu (%s) has %zu bytes, but parameter %s of kernel %s has "
                           "%llu (.%s)",
                           i, args[i].text, args[i].size, p->name, kernel->name,
                           (unsigned long long)p->size, ptx_type_name((enum ptx_type)p->type));
        if (args[i].is_buffer && !place_buffer(&args[i], i, memory, err))
            return false;
        memcpy(params + p->param_offset, args[i].bytes, args[i].size);
    }
    return true;
}

bool
launch_parse_dim3(const char *option, const char *text, const uint32_t most[3], uint32_t out[3],
                  struct ls_error *err)
{
    const char *at = text;
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        char number[24];
        uint64_t n;
        size_t length = strcspn(at, ",");
        snprintf(number, sizeof number, "%.*s", (int)(length < 23 ? length : 23), at);
        if (!ls_parse_u64(number, &n))
            return ls_fail(err, LS_ERR_USAGE, "%s takes X,Y,Z, not \"%s\"", option, text);
        if (n < 1 || n > most[i])
            return ls_fail(err, LS_ERR_USAGE, "%s %s: %c is %llu, must be from 1 to %u", option,
                           text, "xyz"[i], (unsigned long long)n, most[i]);
        out[i] = (uint32_t)n;
        at += length;
        if (!*at)
            return true;
        at++;
    }
    return ls_fail(err, LS_ERR_USAGE, "%s takes at most three numbers, not \"%s\"", option, text);
}
