/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep suite claims: evaluates every row of suite_claims.def on the devices that it is stated
 * for, judges it, and prints the verdicts as a table, as JSON or as the page docs/claims.md. And
 * lockstep suite figure: one expression on one device, the command that each claim names.
 */
#include "cli/suite/suite_claims.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

const struct claim suite_claim_rows[] = {
#define CLAIM(lecture, slide, words, claimed, unit, devices, expression)                           \
    {lecture, slide, words, claimed, unit, expression, devices},
#include "cli/suite/suite_claims.def"
#undef CLAIM
};
const size_t suite_claim_count = sizeof suite_claim_rows / sizeof *suite_claim_rows;

/* -- judging ----------------------------------------------------------------------------------- */

/* How far a figure may be from the one claimed to be rounded to it:
 * half a unit of its last digit. */
static double
half_unit(const char *claimed)
{
    const char *point = strchr(claimed, '.'), *exponent = strpbrk(claimed, "eE");
    double unit = 1;
    for (const char *at = point ? point + 1 : ""; isdigit((unsigned char)*at); at++)
        unit /= 10;
    if (exponent)
        unit *= pow(10, strtod(exponent + 1, NULL));
    return unit / 2;
}

/* Does `found` agree with what is claimed? */
static bool
claim_agrees(const char *claimed, const struct figure *found)
{
    char *end, first[40];
    const char *dots = strstr(claimed, "..");
    snprintf(first, sizeof first, "%.*s", dots ? (int)(dots - claimed) : 39, claimed);
    int sign = strchr("<>~", *claimed) ? 1 : 0;
    double number = strtod(first + sign, &end);
    bool is_number = end != first + sign && !*end;
    if (found->text || !is_number)
        return found->text && strcmp(found->text, claimed) == 0;
    if (dots)
        return found->number >= number && found->number <= strtod(dots + 2, NULL);
    if (*claimed == '>')
        return found->number > number;
    if (*claimed == '<')
        return found->number < number;
    if (*claimed == '~')
        return fabs(found->number - number) <= 0.2 * fabs(number);
    return fabs(found->number - number) < half_unit(claimed);
}

/* -- devices ----------------------------------------------------------------------------------- */

struct device_list {
    VEC(struct suite_device) at;
};

static const char *
cc_text(struct arena *a, const struct device_profile *d)
{
    return arena_printf(a, "%u.%u", d->cc_major, d->cc_minor);
}

static bool
is_generic(const struct device_profile *d)
{
    return ls_starts_with(d->key, "cc");
}

/* Generic rows from one capability to another. */
static void
add_range(struct arena *a, struct device_list *list, double from, double to)
{
    const struct device_profile *d;
    for (size_t k = 0; (d = model_device_at(k)); k++) {
        double cc = d->cc_major + 0.1 * d->cc_minor;
        if (is_generic(d) && cc > from - 0.01 && cc < to + 0.01)
            VEC_PUSH(&list->at, (struct suite_device){cc_text(a, d), NULL, d});
    }
}

/* "all", "1.0-1.3 2.0", "g80". */
static bool
choose_devices(struct arena *a, const char *text, struct device_list *list, struct ls_error *err)
{
    char *words = arena_strdup(a, text);
    for (char *save, *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        double from, to;
        int used = 0;
        const struct device_profile *d = model_find_cc(w);
        if (strcmp(w, "all") == 0)
            add_range(a, list, 0, 1000);
        else if (sscanf(w, "%lf-%lf%n", &from, &to, &used) == 2 && !w[used])
            add_range(a, list, from, to);
        else if (d)
            VEC_PUSH(&list->at, (struct suite_device){w, NULL, d});
        else if ((d = model_find_device(w)))
            VEC_PUSH(&list->at, (struct suite_device){NULL, w, d});
        else
            return ls_fail(err, LS_ERR_INTERNAL, "no device \"%s\" is known", w);
    }
    return list->at.count || ls_fail(err, LS_ERR_INTERNAL, "\"%s\" names no device", text);
}

static const char *
device_name(struct arena *a, const struct suite_device *d)
{
    return d->cc ? d->cc : arena_printf(a, "%s", d->profile->name);
}

/* -- one claim --------------------------------------------------------------------------------- */

/* Devices from `from` up to, not including, `to`: "2.0 to 3.7". */
static const char *
span_text(struct arena *a, const struct device_list *list, size_t from, size_t to)
{
    const char *first = device_name(a, &list->at.at[from]);
    return to - from == 1
               ? first
               : arena_printf(a, "%s to %s", first, device_name(a, &list->at.at[to - 1]));
}

enum { MOST_GROUPS = 8 };

/* Our figures; neighbours that have the same stand together. More groups than one can read: the
 * least and the most. */
static const char *
figures_text(struct arena *a, const struct device_list *list, const char *const *figures)
{
    const char *text = "";
    size_t n = list->at.count, groups = 0, least = 0, most = 0;
    for (size_t k = 0, end; k < n; k = end, groups++) {
        for (end = k + 1; end < n && strcmp(figures[end], figures[k]) == 0; end++)
            ;
        if (end - k == n)
            return figures[0];
        least = strtod(figures[k], NULL) < strtod(figures[least], NULL) ? k : least;
        most = strtod(figures[k], NULL) > strtod(figures[most], NULL) ? k : most;
        text = arena_printf(a, "%s%s%s (%s)", text, k ? ", " : "", figures[k],
                            span_text(a, list, k, end));
    }
    if (groups <= MOST_GROUPS)
        return text;
    return arena_printf(a, "%s (%s) to %s (%s)", figures[least],
                        device_name(a, &list->at.at[least]), figures[most],
                        device_name(a, &list->at.at[most]));
}

static void
summarise(struct arena *a, const struct device_list *list, const char *const *figures,
          const bool *agree, struct claim_answer *out)
{
    size_t n = list->at.count, agreeing = 0;
    out->generations = "";
    for (size_t k = 0; k < n; k++)
        agreeing += agree[k];
    for (size_t k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && agree[end] == agree[k]; end++)
            ;
        if (agree[k])
            out->generations =
                arena_printf(a, "%s%s%s", out->generations, *out->generations ? ", " : "",
                             span_text(a, list, k, end));
    }
    out->found = figures_text(a, list, figures);
    out->verdict = agreeing == n ? CLAIM_HOLDS : agreeing ? CLAIM_PARTLY : CLAIM_FAILS;
}

static bool
evaluate(struct suite_call *c, struct claim_source *s, const struct claim *claim,
         struct claim_answer *out, struct ls_error *err)
{
    struct arena *a = &c->table->arena;
    struct device_list list = {0};
    struct figure_context context = {.arena = a};
    bool ok = choose_devices(a, claim->devices, &list, err);
    const char **figures = ARENA_ARRAY(a, const char *, list.at.count + 1);
    bool *agree = ARENA_ARRAY(a, bool, list.at.count + 1);
    *out = (struct claim_answer){0};
    for (size_t k = 0; ok && k < list.at.count; k++) {
        struct figure found;
        claim_source_use(s, &list.at.at[k], &context);
        ok = figure_evaluate(&context, claim->expression, &found, err);
        if (!ok)
            break;
        figures[k] = figure_text(a, &found);
        agree[k] = claim_agrees(claim->claimed, &found);
        out->recorded |= found.recorded;
    }
    if (ok) {
        const struct suite_device *d = &list.at.at[list.at.count - 1];
        summarise(a, &list, figures, agree, out);
        out->command = arena_printf(a, "lockstep suite figure %s %s '%s'", d->cc ? "--cc" : "--gpu",
                                    d->cc ? d->cc : d->profile->key, claim->expression);
    }
    VEC_FREE(&list.at);
    return ok;
}

/* -- output ------------------------------------------------------------------------------------ */

static const char *const verdicts[] = {
    [CLAIM_FAILS] = "fails", [CLAIM_PARTLY] = "partly", [CLAIM_HOLDS] = "holds"};

enum { LECTURES = 5 };

struct counts {
    unsigned of[LECTURES][3], unknown;
};

static json_t *
claim_row(const struct claim *c, const struct claim_answer *a)
{
    char lecture[8];
    snprintf(lecture, sizeof lecture, "%03u", c->lecture);
    return json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:b,s:s}", "lecture", lecture, "slide",
                     c->slide, "claim", c->words, "claimed", c->claimed, "unit", c->unit, "found",
                     a->found, "verdict", verdicts[a->verdict], "generations", a->generations,
                     "recorded", a->recorded, "command", a->command);
}

static void
print_text(const struct claim *c, const struct claim_answer *a, bool first)
{
    if (first)
        printf("%s\nLecture %03u\n", c->lecture ? "" : "", c->lecture);
    printf("%-6s  %s: claimed %s%s%s, found %s", verdicts[a->verdict], c->words, c->claimed,
           *c->unit ? " " : "", c->unit, a->found);
    if (a->verdict == CLAIM_PARTLY)
        printf("; holds for %s", a->generations);
    printf(a->recorded ? " (reading)\n" : "\n");
}

/* A cell of a table in Markdown: bars would end it. */
static const char *
cell(struct arena *a, const char *text)
{
    char *out = arena_alloc(a, 2 * strlen(text) + 1), *to = out;
    for (; *text; text++) {
        if (*text == '|' || *text == '*' || *text == '<')
            *to++ = '\\';
        *to++ = *text;
    }
    *to = '\0';
    return out;
}

static void
print_page_row(struct arena *a, const struct claim *c, const struct claim_answer *r, bool first)
{
    if (first)
        printf("\n## Lecture %03u\n\n| slide | claim | claimed | found | verdict |\n"
               "| --- | --- | --- | --- | --- |\n",
               c->lecture);
    printf("| %s | %s | %s%s%s | %s | ", cell(a, c->slide), cell(a, c->words), cell(a, c->claimed),
           *c->unit ? " " : "", c->unit, cell(a, r->found));
    if (r->verdict == CLAIM_PARTLY)
        printf("partly: %s |\n", r->generations);
    else
        printf("%s%s |\n", r->verdict == CLAIM_FAILS ? "**fails**" : "holds",
               r->recorded ? " (reading)" : "");
}

static void
print_counts(const struct counts *n, bool page)
{
    static const char *const line[] = {"%-8s %7u %7u %7u %7u\n", "| %s | %u | %u | %u | %u |\n"};
    unsigned sum[3] = {0, 0, 0};
    printf(page ? "\n## Counts\n\n| lecture | claims | hold | partly | fail |\n"
                  "| --- | --- | --- | --- | --- |\n"
                : "\nlecture   claims    hold  partly    fail\n");
    for (unsigned l = 0; l < LECTURES; l++) {
        char name[8];
        const unsigned *of = n->of[l];
        snprintf(name, sizeof name, "%03u", l);
        printf(line[page], name, of[0] + of[1] + of[2], of[CLAIM_HOLDS], of[CLAIM_PARTLY],
               of[CLAIM_FAILS]);
        for (int v = 0; v < 3; v++)
            sum[v] += of[v];
    }
    printf(line[page], "all", sum[0] + sum[1] + sum[2], sum[CLAIM_HOLDS], sum[CLAIM_PARTLY],
           sum[CLAIM_FAILS]);
}

static void
print_page_head(void)
{
    printf(
        "# What the lectures claim\n\n"
        "Every number that the five lectures state, recomputed: by the device model, by running\n"
        "the suite's programs, by `lockstep profile`, or from readings of a real GPU (marked).\n"
        "The claimed figure is the only one that is written down; the others are the answers of\n"
        "`lockstep suite claims --page`, which made this page (`--json` names the command behind\n"
        "each). A claim about all generations is tried on all of them, from 1.0 on; *partly*\n"
        "says for which it holds.\n");
}

/* -- the verbs --------------------------------------------------------------------------------- */

/* Filters: lectures ("2", "002") and verdicts. */
static bool
wanted(const struct suite_call *c, const struct claim *claim, const struct claim_answer *a)
{
    bool lecture = true, verdict = true, any_lecture = false, any_verdict = false;
    for (int w = 1; w < c->line->word_count; w++) {
        const char *word = c->line->words[w];
        if (isdigit((unsigned char)*word)) {
            any_lecture |= strtoul(word, NULL, 10) == claim->lecture;
            lecture = false;
        } else {
            any_verdict |= a && strcmp(word, verdicts[a->verdict]) == 0;
            verdict = false;
        }
    }
    return (lecture || any_lecture) && (verdict || any_verdict || !a);
}

static bool
words_are_known(const struct suite_call *c)
{
    for (int w = 1; w < c->line->word_count; w++) {
        const char *word = c->line->words[w];
        uint64_t lecture;
        bool known = ls_parse_u64(word, &lecture) && lecture < LECTURES;
        for (int v = 0; v < 3; v++)
            known |= strcmp(word, verdicts[v]) == 0;
        if (!known) {
            cli_usage_error(c->usage,
                            "claims takes lectures (0 to 4), holds, partly and fails, not \"%s\"",
                            word);
            return false;
        }
    }
    return true;
}

int
suite_claims(struct suite_call *c)
{
    struct claim_source *s = claim_source_new(c);
    struct counts n = {0};
    json_t *rows = json_array();
    unsigned last = LECTURES;
    bool known = words_are_known(c);
    if (known && c->page)
        print_page_head();
    for (size_t k = 0; known && k < suite_claim_count; k++) {
        const struct claim *claim = &suite_claim_rows[k];
        struct claim_answer answer;
        struct ls_error err = {0};
        if (!wanted(c, claim, NULL))
            continue;
        if (!evaluate(c, s, claim, &answer, &err)) {
            columns_say("lockstep suite: claim \"%s\" of lecture %03u: %s\n", claim->words,
                        claim->lecture, err.text);
            n.unknown++;
            continue;
        }
        if (!wanted(c, claim, &answer))
            continue;
        n.of[claim->lecture][answer.verdict]++;
        if (c->json)
            json_array_append_new(rows, claim_row(claim, &answer));
        else if (c->page)
            print_page_row(&c->table->arena, claim, &answer, claim->lecture != last);
        else
            print_text(claim, &answer, claim->lecture != last);
        last = claim->lecture;
    }
    claim_source_free(s);
    int status = !known             ? CLI_USAGE
                 : n.unknown        ? CLI_FINDINGS
                 : last == LECTURES ? CLI_NOTHING
                                    : CLI_OK;
    if (known && c->json)
        return suite_write(c, rows, status);
    json_decref(rows);
    if (known)
        print_counts(&n, c->page);
    return status;
}

int
suite_figure(struct suite_call *c)
{
    struct figure found;
    struct ls_error err = {0};
    struct text help = {0};
    if (c->line->word_count != 2) {
        figure_help(&help);
        printf("lockstep suite figure 'EXPRESSION': + - * / ( ) over\n\n%s", help.at);
        text_free(&help);
        return c->line->word_count == 1 ? CLI_OK : CLI_USAGE;
    }
    struct suite_device d = {c->line->common.cc, c->line->common.gpu, cli_device(&c->line->common)};
    struct claim_source *s = claim_source_new(c);
    struct figure_context context = {.arena = &c->table->arena};
    claim_source_use(s, &d, &context);
    bool ok = figure_evaluate(&context, c->line->words[1], &found, &err);
    claim_source_free(s);
    if (!ok)
        return cli_error(c->usage->name, &err);
    printf("%s\n", figure_text(&c->table->arena, &found));
    return CLI_OK;
}
