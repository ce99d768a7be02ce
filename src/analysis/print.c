/* SPDX-License-Identifier: Apache-2.0
 *
 * print.c: the shapes of values as text, and behind the instructions of the warp IR:
 *
 *     b1:                                          // loop b1..b2, its branch may part lanes
 *         ld.global.f32 %f1, [%rd4];               // varying
 */
#include "analysis/analysis.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* -- shapes ------------------------------------------------------------------------------------ */

/* Distance of neighbouring lanes where it is one number within every run of `run` lanes. */
static bool
is_linear(const int32_t *pattern, unsigned run, int32_t *step)
{
    *step = pattern[1] - pattern[0];
    for (unsigned l = 0; l < LANES; l++)
        if (l % run && pattern[l] - pattern[l - 1] != *step)
            return false;
    return true;
}

static void
print_pattern(const int32_t *pattern, unsigned segment, struct text *out)
{
    int32_t step;
    for (unsigned run = segment; run >= 2; run /= 2) {
        if (!is_linear(pattern, run, &step))
            continue;
        text_add(out, "affine %" PRId32, step);
        if (run == segment)
            return;
        text_add(out, " in runs of %u, which begin at", run);
        for (unsigned l = 0; l < segment; l += run)
            text_add(out, " %" PRId32, pattern[l]);
        return;
    }
    text_add(out, "affine with lanes at");
    for (unsigned l = 0; l < segment; l++)
        text_add(out, " %" PRId32, pattern[l]);
}

/* One value's shape in words: "uniform", "affine 4", "varying, segments of 16: affine 4, in [0,
 * 255]". */
static void
fact_print(const struct fact *x, struct text *out)
{
    if (x->kind == FACT_NONE) {
        text_add(out, "never made");
        return;
    }
    if (x->kind == FACT_VECTOR && x->segment > 1)
        text_add(out, "varying, segments of %u%s: ", x->segment,
                 x->guess ? " if nothing wraps" : "");
    if (x->pattern)
        print_pattern(x->pattern, x->segment, out);
    else
        text_add(out, x->kind == FACT_SCALAR || x->segment > 1 ? "uniform" : "varying");
    if (x->kind == FACT_SCALAR && x->guess)
        text_add(out, " if nothing wraps");
    if (x->known)
        text_add(out, " from %" PRId64, x->base);
    else if (x->bounded)
        text_add(out, ", in [%" PRId64 ", %" PRId64 "]", x->low, x->high);
}

/* -- behind instructions ----------------------------------------------------------------------- */

struct shapes {
    const struct facts *facts;
    void (*note)(void *context, uint32_t place, struct text *out);
    void *context;
};

static void
print_shape(void *shapes, struct text *out)
{
    const struct facts *facts = ((struct shapes *)shapes)->facts;
    const uint32_t *dim = facts->shape.block;
    text_add(out, "%s: blocks of %u x %u x %u%s", facts->wir->kernel->name, dim[0], dim[1], dim[2],
             facts->shape.partial ? ", the last warp" : "");
}

static void
print_results(void *shapes, uint32_t n, struct text *out)
{
    const struct facts *facts = ((struct shapes *)shapes)->facts;
    struct span defs = wir_defs(facts->wir, n);
    for (uint32_t k = 0; k < defs.count; k++) {
        text_add(out, k ? "; " : "");
        fact_print(&facts->reg[defs.at[k]], out);
        text_add(out, "%s", facts->merge[defs.at[k]] ? ", merged" : "");
    }
}

static void
print_block(void *shapes, uint32_t b, struct text *out)
{
    const struct facts *facts = ((struct shapes *)shapes)->facts;
    const struct wir *f = facts->wir;
    const struct wir_block *blk = &f->blocks[b];
    if (blk->loop != UINT32_MAX && f->loops[blk->loop].head == b)
        text_add(out, "loop b%u..b%u%s, ", b, f->loops[blk->loop].last,
                 f->loops[blk->loop].waits ? " that may wait for other warps" : "");
    text_add(out, facts->complete[b] ? "all lanes" : "under a mask");
    if (facts->divergent[b])
        text_add(out, ", its branch may part lanes");
    if (facts->parks[b])
        text_add(out, ", lanes may wait here");
}

static void
print_note(void *shapes, uint32_t n, struct text *out)
{
    const struct shapes *s = shapes;
    if (s->note)
        s->note(s->context, s->facts->wir->insns[n].place, out);
}

void
facts_print_wir(const struct facts *facts,
                void (*note)(void *context, uint32_t place, struct text *out), void *context,
                struct text *out)
{
    struct shapes shapes = {facts, note, context};
    wir_print(facts->wir,
              &(struct wir_notes){print_shape, print_block, print_results, print_note, &shapes},
              out);
}
