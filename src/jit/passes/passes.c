/* SPDX-License-Identifier: Apache-2.0
 *
 * passes/passes.c: the table of passes, the text that switches them, and their remarks. No LLVM.
 */
#include "jit/passes/passes.h"
#include "jit/jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct pass_row jit_passes[PASS_COUNT] = {
#define PASS(id, name, stage, tools, needs, file, text)                                            \
    [PASS_##id] = {name, STAGE_##stage, TOOLS_##tools, PASS_##needs, file, text},
#include "jit/passes/passes.def"
#undef PASS
};

enum jit_pass
jit_pass_named(const char *name)
{
    for (unsigned k = 0; k < PASS_COUNT; k++)
        if (!strcmp(jit_passes[k].name, name))
            return (enum jit_pass)k;
    return PASS_NONE;
}

const char *
jit_pass_name(unsigned number, const char **text)
{
    if (number >= PASS_COUNT)
        return NULL;
    if (text)
        *text = jit_passes[number].text;
    return jit_passes[number].name;
}

uint64_t
jit_passes_barred(unsigned code)
{
    uint64_t barred = 0;
    for (unsigned k = 0; k < PASS_COUNT; k++)
        if (!(jit_passes[k].tools & code))
            barred |= (uint64_t)1 << k;
    return barred;
}

/* -- switches ---------------------------------------------------------------------------------- */

static bool
unknown_pass(const char *name, struct ls_error *err)
{
    const char *names[PASS_COUNT];
    for (unsigned k = 0; k < PASS_COUNT; k++)
        names[k] = jit_passes[k].name;
    const char *near = ls_nearest(name, names, PASS_COUNT);
    if (near)
        return ls_fail(err, LS_ERR_USAGE, "no pass \"%s\"; did you mean \"%s\"?", name, near);
    return ls_fail(err, LS_ERR_USAGE, "no pass \"%s\"; docs/passes.md lists them", name);
}

/* One word: "-name", "+name", "-all", "+all". */
static bool
switch_one(const char *word, uint64_t *off, struct ls_error *err)
{
    bool minus = *word == '-';
    if (!minus && *word != '+')
        return ls_fail(err, LS_ERR_USAGE, "\"%s\" switches no pass: -NAME is off, +NAME on again",
                       word);
    enum jit_pass pass = jit_pass_named(word + 1);
    if (pass == PASS_NONE && strcmp(word + 1, "all"))
        return unknown_pass(word + 1, err);
    if (pass != PASS_NONE && minus && jit_passes[pass].stage == STAGE_REPORT)
        return ls_fail(err, LS_ERR_USAGE, "%s only reports and cannot be switched off", word + 1);
    for (unsigned k = 0; k < PASS_COUNT; k++) {
        uint64_t bit = (uint64_t)1 << k;
        if ((pass == PASS_NONE || pass == k) && jit_passes[k].stage != STAGE_REPORT)
            *off = minus ? *off | bit : *off & ~bit;
    }
    return true;
}

bool
jit_passes_off(const char *text, uint64_t *off, struct ls_error *err)
{
    bool ok = true;
    char *words = strdup(text), *rest = NULL;
    for (char *w = strtok_r(words, ", ", &rest); ok && w; w = strtok_r(NULL, ", ", &rest))
        ok = switch_one(w, off, err);
    free(words);
    return ok;
}

/* -- remarks ----------------------------------------------------------------------------------- */

void
jit_remark(struct jit_remarks *r, enum jit_pass pass, bool fired, uint32_t place,
           const char *format, va_list args)
{
    char text[400];
    if (!r)
        return;
    vsnprintf(text, sizeof text, format, args);
    VEC_PUSH(&r->at, ((struct jit_remark){(uint8_t)pass, fired, place, 1, strdup(text)}));
}

void
jit_remark_kernel(struct jit_remarks *r, enum jit_pass pass, bool fired, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    jit_remark(r, pass, fired, REMARK_KERNEL, format, args);
    va_end(args);
}

/* The kernel's own first, then by place, then by pass. */
static int
compare(const void *a, const void *b)
{
    const struct jit_remark *x = a, *y = b;
    uint32_t p = x->place + 1, q = y->place + 1; /* REMARK_KERNEL: 0 */
    if (p != q)
        return p < q ? -1 : 1;
    if (x->pass != y->pass)
        return x->pass < y->pass ? -1 : 1;
    if (x->fired != y->fired)
        return x->fired ? -1 : 1;
    return strcmp(x->text, y->text);
}

void
jit_remarks_sort(struct jit_remarks *r)
{
    size_t kept = 0;
    if (r->at.count)
        qsort(r->at.at, r->at.count, sizeof *r->at.at, compare);
    for (size_t k = 0; k < r->at.count; k++) {
        struct jit_remark *x = &r->at.at[k];
        if (kept && !compare(&r->at.at[kept - 1], x)) {
            r->at.at[kept - 1].times += x->times;
            free(x->text);
        } else {
            r->at.at[kept++] = *x;
        }
    }
    r->at.count = kept;
}

/* Of passes that did not run. In plain code nobody expects what only works under a tool. */
static void
print_absent(const char *kernel, uint64_t off, unsigned code, struct text *out)
{
    const char *where = code & CODE_CHECK     ? "under check"
                        : code & CODE_PROFILE ? "under profile"
                        : code & CODE_STEPS   ? "where warps take turns"
                                              : "where the place of a fault is looked for";
    uint64_t barred = code == CODE_PLAIN ? 0 : jit_passes_barred(code);
    for (unsigned k = 0; k < PASS_COUNT; k++) {
        if (!jit_on(off, (enum jit_pass)k))
            text_add(out, "%s: %s: switched off\n", kernel, jit_passes[k].name);
        else if (!jit_on(barred, (enum jit_pass)k))
            text_add(out, "%s: %s: not %s\n", kernel, jit_passes[k].name, where);
    }
}

void
jit_remarks_print(const struct jit_remarks *r, const struct ptx_module *m, const char *kernel,
                  uint64_t off, unsigned code, struct text *out)
{
    struct arena arena = {0};
    kernel = ls_readable_name(&arena, kernel);
    for (size_t k = 0; k < r->at.count; k++) {
        const struct jit_remark *x = &r->at.at[k];
        char place[512];
        if (x->place == REMARK_KERNEL)
            snprintf(place, sizeof place, "%s", kernel);
        else
            jit_place_text(m, x->place, place, sizeof place);
        text_add(out, "%s: %s: %s: %s", place, jit_passes[x->pass].name,
                 x->fired ? "fired" : "missed", x->text);
        text_add(out, x->times > 1 ? " (in %u versions)\n" : "\n", x->times);
    }
    print_absent(kernel, off, code, out);
    arena_free(&arena);
}

void
jit_remarks_free(struct jit_remarks *r)
{
    for (size_t k = 0; k < r->at.count; k++)
        free(r->at.at[k].text);
    VEC_FREE(&r->at);
}
