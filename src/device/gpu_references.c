/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_references.c: texture and surface references for drivers that have none (CUDA 12 and newer
 * refuse modules with a .texref or .surfref). A reference becomes what it is on the virtual GPU, a
 * variable that holds the handle of what is bound to it; whoever uses the reference loads the
 * handle first:
 *
 *     .global .texref picture;                  .visible .global .align 8 .u64 picture;
 *     mov.u64 %rd4, picture;                    mov.u64 %rd4, picture; ld.global.u64 %rd4, [%rd4];
 *     tex.2d... {...}, [picture, {...}];        { .reg .u64 r; ld.global.u64 r, [picture]; tex...
 *                                               [r, {...}]; }
 *
 * Instructions are taken to be one a line, as compilers write them.
 */
#include "device/gpu_priv.h"

#include <ctype.h>
#include <string.h>

static bool
is_reference(const struct ptx_var *v)
{
    return v->type == PTX_TEXREF || v->type == PTX_SURFREF || v->type == PTX_SAMPLERREF;
}

static bool
in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

/* The name as a word of its own between at and end; NULL: not there. */
static const char *
find_word(const char *at, const char *end, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = at; p + n <= end; p++)
        if (!memcmp(p, name, n) && (p == at || !in_name(p[-1])) && (p + n == end || !in_name(p[n])))
            return p;
    return NULL;
}

static const char *
skip_space(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

/* The line uses the reference `name` at `use`. */
static void
add_use(struct text *out, const char *at, const char *end, const char *use, const char *name)
{
    const char *first = skip_space(at, end), *move = find_word(first, end, "mov.u64");
    size_t n = strlen(name);
    if (!move)
        move = find_word(first, end, "mov.b64");
    if (move) { /* a guard in front would leave the register as it was: so load without one, too */
        const char *reg = skip_space(move + 7, end), *comma = memchr(reg, ',', (size_t)(end - reg));
        text_add_bytes(out, at, (size_t)(end - at));
        text_add(out, " ");
        text_add_bytes(out, first, (size_t)(move - first));
        text_add(out, "ld.global.u64 %.*s, [%.*s];", (int)(comma - reg), reg, (int)(comma - reg),
                 reg);
        return;
    }
    text_add(out, "{ .reg .u64 lockstep_handle; ld.global.u64 lockstep_handle, [%s]; ", name);
    text_add_bytes(out, first, (size_t)(use - first));
    text_add(out, "lockstep_handle");
    text_add_bytes(out, use + n, (size_t)(end - use) - n);
    text_add(out, " }");
}

static void
add_line(const struct ptx_module *m, struct text *out, const char *at, const char *end)
{
    for (uint32_t k = 0; k < m->var_count; k++) {
        const struct ptx_var *v = m->vars[k];
        const char *use = is_reference(v) ? find_word(at, end, v->name) : NULL;
        if (!use || (end - at > 1 && !memcmp(at, "//", 2)))
            continue;
        if (find_word(at, end, ".global"))
            text_add(out, "%s.global .align 8 .u64 %s;",
                     v->linkage == PTX_EXTERN ? ".extern " : ".visible ", v->name);
        else
            add_use(out, at, end, use, v->name);
        return;
    }
    text_add_bytes(out, at, (size_t)(end - at));
}

void
gpu_references(const struct ptx_module *m, struct text *text)
{
    struct text out = {0};
    uint32_t references = 0;
    for (uint32_t k = 0; k < m->var_count; k++)
        references += is_reference(m->vars[k]);
    if (!references)
        return;
    for (const char *at = text->at, *end; at < text->at + text->count; at = end + 1) {
        end = memchr(at, '\n', (size_t)(text->at + text->count - at));
        end = end ? end : text->at + text->count;
        add_line(m, &out, at, end);
        text_add(&out, "\n");
    }
    text_free(text);
    *text = out;
}
