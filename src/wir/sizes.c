/* SPDX-License-Identifier: Apache-2.0
 *
 * sizes.c: which functions stay functions because inlining would repeat them too often. A module
 * with a language's run-time library in it (GCC's OpenMP) has functions that call each other many
 * levels deep; with each call inlined a kernel of 20 lines has millions of instructions.
 */
#include "wir/wir_priv.h"

#include <string.h>

const struct ptx_func *
wir_with_body(const struct ptx_module *m, const struct ptx_func *f)
{
    for (uint32_t k = 0; !f->has_body && f->name && k < m->func_count; k++) {
        const struct ptx_func *g = m->funcs[k];
        if (g->has_body && g->name && !strcmp(g->name, f->name))
            return g;
    }
    return f;
}

/* A kernel, or a function that stayed one, of more instructions, with its calls inlined, is too
 * large, and one of a quarter of them that is mostly text repeated. */
enum { LARGE_KERNEL = 1 << 15, REPEATING_KERNEL = LARGE_KERNEL / 4, REPEATS = 4 };
/* Then those it calls stay that have more instructions and are called from several places. Not with
 * more bytes of local memory: a call's lie on the stack, which is as large as the program has asked
 * for. */
enum { LARGE_FUNCTION = 128, LARGE_LOCALS = 256 };
enum { UNKNOWN = 0, OPEN = 1 }; /* sizes begin at 2 */

struct sizes {
    const struct ptx_module *m;
    uint64_t *size;  /* per function, with its calls inlined, 2 more */
    uint32_t *sites; /* per function, calls in the text */
};

static const struct ptx_func *
callee(const struct sizes *s, const struct ptx_insn *i)
{
    for (uint32_t k = 0; i->op == PTX_OP_CALL && k < i->operand_count; k++)
        if (i->operand[k].kind == PTX_O_FUNC)
            return wir_with_body(s->m, i->operand[k].func);
    return NULL;
}

static uint64_t
size_of(struct sizes *s, const struct ptx_func *f)
{
    uint64_t *size = &s->size[f->index];
    if (*size == OPEN) /* recursion stays a call */
        return 1;
    if (*size != UNKNOWN)
        return *size;
    *size = OPEN;
    uint64_t sum = f->insn_count + 2ull;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const struct ptx_func *g = callee(s, &f->insns[n]);
        if (!g)
            continue;
        s->sites[g->index]++;
        sum += size_of(s, g);
    }
    return *size = sum < UINT32_MAX ? sum : UINT32_MAX;
}

/* The instructions of a kernel of that size are mostly repetitions of its functions' text. */
static bool
is_repeated(const struct sizes *s, uint64_t size)
{
    uint64_t text = 0;
    for (uint32_t k = 0; k < s->m->func_count; k++)
        text += s->size[k] == UNKNOWN ? 0 : s->m->funcs[k]->insn_count;
    return size > REPEATS * text;
}

static uint64_t
local_bytes(const struct ptx_func *f)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < f->var_count; k++)
        sum += f->vars[k]->space == PTX_SPACE_LOCAL ? f->vars[k]->size : 0;
    return sum;
}

void
wir_choose_calls(struct flat *b)
{
    const struct ptx_module *m = b->wir->module;
    struct sizes s = {.m = m,
                      .size = ls_alloc(sizeof *s.size * (m->func_count + 1)),
                      .sites = ls_alloc(sizeof *s.sites * (m->func_count + 1))};
    uint64_t size = size_of(&s, b->wir->kernel);
    bool large = size > LARGE_KERNEL || (size > REPEATING_KERNEL && is_repeated(&s, size));
    if (large)
        b->stays = ARENA_ARRAY(&b->wir->arena, bool, m->func_count + 1);
    for (uint32_t k = 0; large && k < m->func_count; k++)
        b->stays[k] = s.size[k] > LARGE_FUNCTION && s.sites[k] > 1 &&
                      local_bytes(m->funcs[k]) <= LARGE_LOCALS;
    ls_release(s.size);
    ls_release(s.sites);
}
