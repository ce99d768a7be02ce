/* SPDX-License-Identifier: Apache-2.0
 *
 * What facts.c says of registers, written beside the instructions that write them, in the files of
 * tests/analysis/facts. A file's first line gives the shape: "// block X Y Z", then perhaps
 * "partial" or "together". What follows "//" in a line is what is known of the first register that
 * the line writes (of a move behind it nothing):
 *
 *     uniform            the same in all lanes affine 4 4 more from lane to lane
 *     tiled 16: 1 64     1 more from lane to lane in rows of 16 lanes, 64 from row to row
 *     pattern ...        any other distances varying nothing is known
 *     segments 8: 1      in each segment of 8 lanes 1 more from lane to lane (0: the same)
 *     speculated 8       it holds unless 32-bit arithmetic wrapped; in segments of 8 lanes they are
 *                        the same even then
 *     = 12               the first lane's value in 0..255 bounds of all lanes, as a signed number
 *     align 4            the first lane's value (each segment's) is a multiple of 1 << 4
 *     by 1 16 0          the same in all lanes + 1 * tid.x + 16 * tid.y + 0 * tid.z
 *     merged             a masked write keeps other lanes' values
 *
 * UPDATE=1 test_analysis_facts writes the files anew with what is found; read the difference.
 */
#include "common/unit.h"

#include "common/expectations.h"
#include "common/wir_of.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* vote and the like give all lanes one value. */
static bool
is_vote(const struct ptx_insn *i, unsigned result)
{
    return i->op == PTX_OP_VOTE && result == 0;
}

/* -- a fact as text ---------------------------------------------------------------------------- */

static int32_t
pattern_at(const struct fact *f, unsigned l)
{
    return f->pattern ? f->pattern[l] : 0;
}

/* Whether lanes are `step` apart within rows of `row` lanes, and rows `next` apart. */
static bool
is_tiled(const struct fact *f, unsigned row, int32_t step, int32_t next)
{
    for (unsigned l = 0; l < LANES; l++)
        if (pattern_at(f, l) != (int32_t)(l % row) * step + (int32_t)(l / row) * next)
            return false;
    return true;
}

static void
lanes_text(const struct fact *f, struct text *out)
{
    unsigned row = 16;
    if (f->kind == FACT_NONE || f->segment == 1) {
        text_add(out, f->kind == FACT_NONE ? "none" : "varying");
    } else if (f->segment < LANES) {
        text_add(out, "segments %u:", f->segment);
        if (is_tiled(f, f->segment, pattern_at(f, 1), 0))
            text_add(out, " %d", pattern_at(f, 1));
        for (unsigned l = 0; !is_tiled(f, f->segment, pattern_at(f, 1), 0) && l < LANES; l++)
            text_add(out, " %d", pattern_at(f, l));
    } else if (!f->pattern) {
        text_add(out, "uniform");
    } else if (is_tiled(f, LANES, f->pattern[1], 0)) {
        text_add(out, "affine %d", f->pattern[1]);
    } else {
        while (row > 1 && !is_tiled(f, row, f->pattern[1], f->pattern[row]))
            row /= 2;
        if (row > 1)
            text_add(out, "tiled %u: %d %d", row, f->pattern[1], f->pattern[row]);
        text_add(out, row > 1 ? "" : "pattern");
        for (unsigned l = 0; row == 1 && l < LANES; l++)
            text_add(out, " %d", f->pattern[l]);
    }
}

static void
fact_text(const struct facts *facts, uint32_t reg, struct text *out)
{
    const struct fact *f = &facts->reg[reg];
    lanes_text(f, out);
    if (f->guess)
        text_add(out, " speculated %u", f->sure);
    if (f->known)
        text_add(out, " = %lld", (long long)f->base);
    if (f->bounded && !(f->known && !f->pattern))
        text_add(out, " in %lld..%lld", (long long)f->low, (long long)f->high);
    if (f->align && !f->known)
        text_add(out, " align %u", f->align);
    if (f->threads)
        text_add(out, " by %d %d %d", f->by[0], f->by[1], f->by[2]);
    if (facts->merge[reg])
        text_add(out, " merged");
}

/* -- a file ------------------------------------------------------------------------------------ */

/* What is known of the register that the line writes. */
static void
line_text(void *context, uint32_t line, struct text *out)
{
    const struct facts *f = context;
    for (uint32_t n = 0; n < f->wir->insn_count; n++)
        if (f->wir->insns[n].i.line == line && wir_defs(f->wir, n).count) {
            fact_text(f, wir_defs(f->wir, n).at[0], out);
            return;
        }
}

static unsigned
check_file(const char *path, void *context)
{
    struct ls_error err = {0};
    struct shape shape = {.small_grid = true};
    struct wir_file file = wir_file_read(path);
    struct wir *f = file.wir;
    (void)context;
    if (sscanf(file.text, "// block %u %u %u", &shape.block[0], &shape.block[1], &shape.block[2]) !=
        3)
        fail_msg("%s: no \"// block X Y Z\" in the first line", path);
    const char *end = strchr(file.text, '\n'), *word = strstr(file.text, "partial");
    shape.partial = word && word < end;
    word = strstr(file.text, "together");
    shape.converged = word && word < end;
    struct facts *facts = facts_new(f, &shape, is_vote, &err);
    struct expectations x = {.path = path, .column = 44, .found = line_text, .context = facts};
    unsigned wrong = expectations_check(&x, file.text);
    facts_free(facts);
    wir_file_free(&file);
    return wrong;
}

static void
files(void **state)
{
    (void)state;
    expectations_folder("analysis/facts", 6, check_file, NULL);
}

int
main(void)
{
    return UNIT_TESTS(files);
}
