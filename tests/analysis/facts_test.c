/* SPDX-License-Identifier: Apache-2.0
 *
 * What facts.c says of registers, written beside the instructions that write them, in the files of tests/analysis/facts. A
 * file's first line gives the shape: "// block X Y Z", then perhaps "partial" or "together". What follows "//" in
 * a line is what is known of the first register that the line writes (of a move behind it nothing):
 *
 *     uniform            the same in all lanes             affine 4         4 more from lane to lane
 *     tiled 16: 1 64     1 more from lane to lane in rows of 16 lanes, 64 from row to row
 *     pattern ...        any other distances               varying          nothing is known
 *     segments 8: 1      in each segment of 8 lanes 1 more from lane to lane (0: the same)
 *     speculated 8       it holds unless 32-bit arithmetic wrapped; in segments of 8 lanes they are the same even then
 *     = 12               the first lane's value            in 0..255        bounds of all lanes, as a signed number
 *     align 4            the first lane's value (each segment's) is a multiple of 1 << 4
 *     by 1 16 0          the same in all lanes + 1 * tid.x + 16 * tid.y + 0 * tid.z
 *     merged             a masked write keeps other lanes' values
 *
 * UPDATE=1 test_analysis_facts writes the files anew with what is found; read the difference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/analysis.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
nothing_known(const char *name)
{
    (void)name;
    return false;
}

/* vote and the like give all lanes one value. */
static bool
is_vote(const struct ptx_insn *i, unsigned result)
{
    return i->op == PTX_OP_VOTE && result == 0;
}

/* -- a fact as text ------------------------------------------------------------------------------------ */

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

/* -- a file -------------------------------------------------------------------------------------------- */

/* What is known of what the line writes; empty: it writes nothing. */
static void
line_text(const struct facts *f, uint32_t line, struct text *out)
{
    out->count = 0;
    text_add(out, "");
    for (uint32_t n = 0; n < f->flow->insn_count; n++)
        if (f->flow->insns[n].i.line == line && flow_defs(f->flow, n).count) {
            fact_text(f, flow_defs(f->flow, n).at[0], out);
            return;
        }
}

static unsigned
check_line(const char *path, uint32_t line, const char *code, const char *expected, const struct text *found)
{
    if (!expected)
        return 0;
    while (*expected == ' ')
        expected++;
    if (!strcmp(expected, found->at))
        return 0;
    print_error("%s:%u: %s\n    is:       %s\n    expected: %s\n", path, line, code, found->at, expected);
    return 1;
}

/* Every line of the text: compared with what is found, and written to out with it. */
static unsigned
check_lines(const char *path, char *text, const struct facts *f, struct text *out, unsigned *expectations)
{
    struct text found = {0};
    unsigned wrong = 0;
    uint32_t line = 1;
    for (char *at = text, *next; *at; at = next, line++) {
        next = at + strcspn(at, "\n");
        if (*next)
            *next++ = 0;
        char *comment = strncmp(at, "//", 2) ? strstr(at, "//") : NULL;
        if (comment) {
            *comment = 0;
            comment += 2;
            ++*expectations;
        }
        size_t code = strlen(at);
        while (code && at[code - 1] == ' ')
            at[--code] = 0;
        line_text(f, line, &found);
        wrong += check_line(path, line, at, comment, &found);
        text_add(out, *found.at ? "%-44s // %s\n" : "%s\n", at, found.at);
    }
    text_free(&found);
    return wrong;
}

static unsigned
check_file(const char *path)
{
    struct ls_error err = {0};
    size_t size;
    unsigned wrong, expectations = 0;
    struct shape shape = {.small_grid = true};
    struct text out = {0};
    char *text = ls_read_file(path, &size, &err);
    struct ptx_module *m = text ? ptx_parse(text, size, path, &err) : NULL;
    struct flow *f = m ? flow_new(m, m->funcs[0], nothing_known, &err) : NULL;
    if (!f)
        fail_msg("%s", err.text);
    if (sscanf(text, "// block %u %u %u", &shape.block[0], &shape.block[1], &shape.block[2]) != 3)
        fail_msg("%s: no \"// block X Y Z\" in the first line", path);
    const char *end = strchr(text, '\n'), *word = strstr(text, "partial");
    shape.partial = word && word < end;
    word = strstr(text, "together");
    shape.together = word && word < end;
    struct facts *facts = facts_new(f, &shape, is_vote, &err);
    wrong = check_lines(path, text, facts, &out, &expectations);
    if (getenv("UPDATE"))
        assert_true(ls_write_file(path, out.at, out.count, &err));
    else
        assert_true(expectations > 0);
    text_free(&out);
    facts_free(facts);
    flow_free(f);
    ptx_free(m);
    ls_release(text);
    return wrong;
}

static void
files(void **state)
{
    char folder[4096], path[4600];
    const char *source = getenv("SOURCE_DIR");
    unsigned wrong = 0, count = 0;
    (void)state;
    snprintf(folder, sizeof folder, "%s/tests/analysis/facts", source ? source : ".");
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (strlen(e->d_name) > 4 && !strcmp(e->d_name + strlen(e->d_name) - 4, ".ptx")) {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            wrong += check_file(path);
            count++;
        }
    closedir(d);
    assert_true(count > 5);
    assert_true(!wrong || getenv("UPDATE"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
