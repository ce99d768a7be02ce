/* SPDX-License-Identifier: Apache-2.0
 *
 * What jit/plans decides of accesses to memory, written beside the instructions, in the files of
 * tests/jit/plans. A file's first line gives the version of the code: "// block X Y Z", then of
 * these words
 *
 *     whole          all 32 lanes are active everywhere
 *     blocks         the function runs whole blocks
 *     interleaved 4  so many warps run each instruction together
 *     called         a function that is called
 *     plain          the host has no AVX-512
 *     watched        a tool watches, is
 *     told             told of accesses,
 *     unseen           of those that it has not seen, and
 *     guarded          may keep lanes from them
 *     -pass,-pass    passes that are off
 *
 * What follows "//" behind an access is its plan, as the stage "plans" shows it. UPDATE=1
 * test_jit_plans writes the files anew with what is found; read the difference.
 */
#include "common/unit.h"

#include "common/expectations.h"
#include "common/wir_of.h"
#include "jit/jit.h"
#include "jit/plans/plans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
computes(const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_AND:
    case PTX_OP_SETP:
    case PTX_OP_SELP:
    case PTX_OP_FMA: return true;
    default: return false;
    }
}

/* -- the version of the first line ------------------------------------------------------------ */

struct version {
    struct shape shape;
    struct facts *facts, *converged;
    struct warps *warps;
    struct plan_scope scope;
    struct plans plans; /* of the version: as `plain` */
    uint32_t forms;     /* set of enum plan_form: found so far */
};

static bool
has_word(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    return at && at < strchr(line, '\n');
}

/* The store that interleaved warps keep back, if there is one. */
static const struct wir_insn *
kept_together(struct plan_scope *s)
{
    for (uint32_t n = 0; s->interleaved && n < s->wir->insn_count; n++)
        if (s->wir->insns[n].i.op == PTX_OP_ST &&
            plan_keeps_interleaved(s, &s->wir->insns[n], s->wir->chains.block_of[n]))
            return &s->wir->insns[n];
    return NULL;
}

static void
plan_blocks(struct version *v, bool whole)
{
    struct plan_scope *s = &v->scope;
    plans_set(&v->plans, s->wir, &v->plans.plain, true);
    s->kept = kept_together(s);
    for (s->block = 0; s->block < s->wir->block_count; s->block++) {
        s->full = whole || v->facts->complete[s->block];
        plans_block(&v->plans, s, &v->plans.plain);
    }
}

static void
begin(struct version *v, const char *text, uint64_t off_too, struct wir *f)
{
    struct ls_error err = {0};
    unsigned interleaved = 0;
    *v = (struct version){.shape = {.small_grid = true}};
    if (sscanf(text, "// block %u %u %u", &v->shape.block[0], &v->shape.block[1],
               &v->shape.block[2]) != 3)
        fail_msg("no \"// block X Y Z\" in the first line");
    if (has_word(text, "interleaved"))
        assert_int_equal(sscanf(strstr(text, "interleaved"), "interleaved %u", &interleaved), 1);
    v->facts = facts_new(f, &v->shape, never_uniform, &err);
    assert_non_null(v->facts);
    bool blocks = interleaved || has_word(text, "blocks"), watched = has_word(text, "watched");
    v->shape.converged = true;
    v->converged = blocks ? facts_new(f, &v->shape, never_uniform, &err) : NULL;
    v->warps = blocks ? warps_new(v->facts, computes) : NULL;
    v->scope = (struct plan_scope){
        .wir = f,
        .facts = v->facts,
        .converged = v->converged,
        .warps = v->warps,
        .called = has_word(text, "called"),
        .avx512 = !has_word(text, "plain"),
        .computes = computes,
        .interleaved = interleaved,
    };
    const char *off = strstr(text, " -");
    if (off && off < strchr(text, '\n')) {
        char words[200];
        assert_int_equal(sscanf(off, " %199s", words), 1);
        assert_true(jit_passes_off(words, &v->scope.off, &err));
    }
    v->scope.off |= off_too;
    v->scope.words = jit_on(v->scope.off, PASS_LOCAL_WORDS) && plan_words(f);
    v->scope.streams = jit_on(v->scope.off, PASS_STREAMING_STORES) && plan_streams(f);
    v->scope.combines = jit_on(v->scope.off, PASS_PENDING_SUMS) && plan_combines(f);
    for (uint32_t n = 0; n < f->insn_count; n++)
        f->insns[n].tells =
            (uint8_t)(TELL_ACCESS * has_word(text, "told") | TELL_NEW * has_word(text, "unseen") |
                      TELL_GUARD * has_word(text, "guarded"));
    if (watched)
        v->scope.off |= jit_passes_barred(CODE_CHECK);
    plan_blocks(v, interleaved || has_word(text, "whole"));
}

static void
end(struct version *v)
{
    plans_free(&v->plans);
    warps_free(v->warps);
    facts_free(v->converged);
    facts_free(v->facts);
}

/* -- a plan as text --------------------------------------------------------------------------- */

static void
insn_text(struct version *v, uint32_t n, struct text *out)
{
    const struct wir_insn *i = &v->scope.wir->insns[n];
    const struct ptx_insn *p = &i->i;
    const struct plan_sum *sum = v->plans.sum[n];
    const struct plan *plan = v->plans.plain.one[n];
    if (sum) {
        v->forms |= (uint32_t)sum->table << PLAN_TABLE | (uint32_t)sum->pending << PLAN_PENDING;
        plan_print_sum(sum, out);
    } else if (plan && p->space != PTX_SPACE_PARAM) {
        plan_print(plan, out);
        for (unsigned k = 0; k < plan->ways; k++)
            v->forms |= 1u << plan->way[k].form;
    } else if (p->op == PTX_OP_LD && p->operand[1].kind == PTX_O_ADDRESS &&
               p->space != PTX_SPACE_PARAM) {
        text_add(out, "comes with an earlier load");
    }
}

/* Of the access in a line. */
static void
line_text(void *context, uint32_t line, struct text *out)
{
    struct version *v = context;
    for (uint32_t n = 0; n < v->scope.wir->insn_count; n++)
        if (v->scope.wir->insns[n].i.line == line)
            insn_text(v, n, out);
}

/* -- a file ----------------------------------------------------------------------------------- */

/* A form is not chosen where its pass is off. */
static void
check_switches(const char *text, struct wir *f)
{
    for (unsigned form = 0; form < PLAN_FORMS; form++) {
        enum jit_pass pass = plan_forms[form].pass;
        struct text out = {0};
        struct version v;
        if (pass == PASS_NONE)
            continue;
        begin(&v, text, (uint64_t)1 << pass, f);
        for (uint32_t n = 0; n < f->insn_count; n++)
            insn_text(&v, n, &out);
        if (v.forms >> form & 1)
            fail_msg("%s is chosen although %s is off", plan_forms[form].name,
                     jit_passes[pass].name);
        end(&v);
        text_free(&out);
    }
}

static unsigned
check_file(const char *path, void *context)
{
    struct version v;
    uint32_t *forms = context;
    struct wir_file file = wir_file_read(path);
    struct wir *f = file.wir;
    check_switches(file.text, f);
    begin(&v, file.text, 0, f);
    struct expectations x = {
        .path = path, .column = 36, .every = true, .found = line_text, .context = &v};
    unsigned wrong = expectations_check(&x, file.text);
    *forms |= v.forms;
    end(&v);
    wir_file_free(&file);
    return wrong;
}

static void
files(void **state)
{
    uint32_t forms = 0;
    (void)state;
    expectations_folder("jit/plans", 11, check_file, &forms);
    assert_int_equal(forms, (1u << PLAN_FORMS) - 1); /* each is chosen somewhere */
}

/* -- lanes ------------------------------------------------------------------------------------ */

static void
runs_of_patterns(void **state)
{
    int32_t pattern[LANES];
    struct fact f = {.kind = FACT_SCALAR, .segment = LANES, .pattern = pattern};
    struct runs r;
    (void)state;
    for (int l = 0; l < LANES; l++)
        pattern[l] = l / 8 * 100 + (l / 8 == 2 ? 0 : l % 8 * 4);
    assert_true(runs_find(&f, 4, &r));
    assert_int_equal(r.run, 8);
    assert_int_equal(r.start[3], 300);
    assert_true(r.broadcast[2] && !r.broadcast[3]);
    runs_cut(&f, 4, &r);
    assert_int_equal(r.run, 4);
    assert_int_equal(r.start[3], 116);
    assert_int_equal(r.start[4], 200);
    assert_true(r.broadcast[4] && r.broadcast[5] && !r.broadcast[6]);
    assert_false(runs_find(&f, 2, &r));
    f.segment = 2; /* too short to be worth it */
    assert_false(runs_find(&f, 4, &r));
}

static void
strides_of_patterns(void **state)
{
    int32_t pattern[LANES], word[LANES];
    struct fact f = {.kind = FACT_SCALAR, .segment = LANES, .pattern = pattern};
    struct strided h;
    (void)state;
    for (int step = 1; step < 8; step++) {
        for (int l = 0; l < LANES; l++)
            pattern[l] = 4 * step * (l % 16) - 20;
        bool fits = step > 1 && (15 * step + 1 + 15) / 16 <= STRIDED_VECTORS;
        assert_int_equal(strided_find(&f, 0, &h), fits);
        assert_true(strided_alike(&f));
        for (int l = 0; fits && l < 16;
             l++) { /* the word that lane l gets, counted from lane 0's */
            int p = h.blend[l] / 16, k = h.pick[p][h.blend[l] % 16];
            word[l] = h.start[2 * p + k / 16] + k % 16;
            assert_int_equal(word[l], l * step);
            assert_true(h.start[2 * p + k / 16] + 16 <=
                        15 * step + 1); /* nothing behind the last is read */
        }
    }
    pattern[3] += 2; /* not a word's */
    assert_false(strided_find(&f, 0, &h));
}

static void
fields_of_patterns(void **state)
{
    int32_t pattern[LANES];
    struct fact f = {.kind = FACT_SCALAR, .segment = LANES, .pattern = pattern};
    struct fields x;
    unsigned found = 0;
    (void)state;
    for (int bytes = 1; bytes <= 8; bytes *= 2)
        for (int step = -70; step <= 70; step++) {
            const int apart = abs(step), low = step < 0 ? 31 * step : 0,
                      end = low + 31 * apart + bytes;
            for (int l = 0; l < LANES; l++)
                pattern[l] = l * step;
            if (!fields_find(&f, (unsigned)bytes, &x))
                continue;
            found++;
            assert_true(apart % bytes == 0 && apart && step != bytes);
            for (int l = 0; l < LANES; l++) { /* where lane l's element is looked for */
                const int32_t start = x.start[x.of[l]];
                assert_true(x.of[l] < x.vectors && x.vectors <= FIELD_VECTORS);
                assert_int_equal(start + x.pick[l] * bytes, pattern[l]);
                assert_true(x.pick[l] >= 0 && (unsigned)((x.pick[l] + 1) * bytes) <= x.bytes);
                assert_true(start >= low && start + (int32_t)x.bytes <= end);
            }
            pattern[7]++; /* one lane elsewhere */
            assert_false(fields_find(&f, (unsigned)bytes, &x));
        }
    assert_true(found > 60);
}

int
main(void)
{
    return UNIT_TESTS(files, runs_of_patterns, strides_of_patterns, fields_of_patterns);
}
