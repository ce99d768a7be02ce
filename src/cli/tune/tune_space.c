/* SPDX-License-Identifier: Apache-2.0
 *
 * tune_space.c: parameters and their combinations. The last parameter changes fastest. A condition
 * of
 * --where that does not hold leaves a combination out before anything is compiled.
 */
#include "cli/tune/tune.h"

#include "cli/access/expression.h"
#include "model/model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 10000, MOST_JOBS = 1000000 };

/* -- values ------------------------------------------------------------------------------------ */

static bool
is_name(const char *s, size_t n)
{
    if (!n || isdigit((unsigned char)*s))
        return false;
    for (size_t k = 0; k < n; k++)
        if (!isalnum((unsigned char)s[k]) && s[k] != '_')
            return false;
    return true;
}

/* Each value counts once. */
static void
add_value(struct tune_parameter *p, const char *value)
{
    for (size_t k = 0; k < p->values.count; k++)
        if (strcmp(p->values.at[k], value) == 0)
            return;
    VEC_PUSH(&p->values, value);
}

/* "4..64*2", "0..32+8", "1..8": true when text is one; the values are added. */
static bool
take_range(struct tune_call *c, struct tune_parameter *p, const char *text, struct ls_error *err)
{
    const char *dots = strstr(text, "..");
    char *end;
    if (!dots || !isdigit((unsigned char)*text) || !isdigit((unsigned char)dots[2]))
        return false;
    uint64_t from = strtoull(text, &end, 10), to, step = 1;
    if (end != dots)
        return false;
    to = strtoull(dots + 2, &end, 10);
    char how = *end ? *end : '+';
    if (*end && (!strchr("*+", *end) || !ls_parse_u64(end + 1, &step)))
        return false;
    if (step < (how == '*' ? 2 : 1) || from > to || (how == '*' && !from)) {
        ls_fail(err, LS_ERR_USAGE, "%s: the range %s has no end", p->name, text);
        return true;
    }
    for (uint64_t v = from; v <= to && p->values.count <= MOST_VALUES;
         v = how == '*' ? v * step : v + step) {
        add_value(p, arena_printf(c->arena, "%llu", (unsigned long long)v));
        if (v > UINT64_MAX / 2 / step)
            break;
    }
    return true;
}

/* Up to the next comma that has no backslash before it; *at is left behind it, NULL at the end. */
static char *
next_value(struct arena *a, const char **at)
{
    char *out = arena_alloc(a, strlen(*at) + 1), *to = out;
    const char *s = *at;
    for (; *s && *s != ','; s++) {
        if (s[0] == '\\' && s[1] == ',')
            s++;
        *to++ = *s;
    }
    *at = *s ? s + 1 : NULL;
    return out;
}

bool
tune_take_parameter(struct tune_call *c, const char *text, bool argument, struct ls_error *err)
{
    struct tune_parameter p = {.argument = argument};
    size_t n = strcspn(text, "=");
    struct ls_error range = {0};
    const char *option = argument ? "--arg" : "--param";
    if (!text[n] || !is_name(text, n))
        return ls_fail(err, LS_ERR_USAGE, "%s takes NAME=value,value,..., not \"%s\"", option,
                       text);
    p.name = arena_strndup(c->arena, text, n);
    for (size_t k = 0; k < c->parameters.count; k++)
        if (strcmp(c->parameters.at[k].name, p.name) == 0)
            return ls_fail(err, LS_ERR_USAGE, "%s is given twice", p.name);
    for (const char *at = text + n + 1; at;) {
        const char *value = next_value(c->arena, &at);
        if (!take_range(c, &p, value, &range))
            add_value(&p, value);
    }
    VEC_PUSH(&c->parameters, p);
    if (range.text[0])
        return ls_fail(err, LS_ERR_USAGE, "%s", range.text);
    return p.values.count <= MOST_VALUES ||
           ls_fail(err, LS_ERR_USAGE, "%s has more than %d values", p.name, MOST_VALUES);
}

/* -- conditions -------------------------------------------------------------------------------- */

/* Values that are no whole numbers are not known to conditions. */
static bool
holds(const struct tune_call *c, const char *const *value, const char *const *where, size_t count,
      bool *out, struct ls_error *err)
{
    struct arena a = {0};
    struct expression_variable *v =
        ARENA_ARRAY(&a, struct expression_variable, c->parameters.count + 1);
    size_t known = 0;
    bool fine = true;
    for (size_t k = 0; k < c->parameters.count; k++) {
        v[known].name = c->parameters.at[k].name;
        known += ls_parse_i64(value[k], &v[known].value);
    }
    *out = true;
    for (size_t k = 0; fine && k < count; k++) {
        struct ls_error why = {0};
        int64_t result = 0;
        fine = expression_evaluate(where[k], v, known, &result, &why) ||
               ls_fail(err, LS_ERR_USAGE,
                       "--where '%s': %s; it may use the parameters whose values are whole numbers",
                       where[k], why.text);
        *out = *out && result;
    }
    arena_free(&a);
    return fine;
}

/* -- jobs -------------------------------------------------------------------------------------- */

static const char *
describe(const struct tune_call *c, const char *const *value, bool flags)
{
    struct text t = {0};
    for (size_t k = 0; k < c->parameters.count; k++) {
        const struct tune_parameter *p = &c->parameters.at[k];
        if (p->argument && !flags)
            continue;
        text_add(&t, "%s%s%s=%s", t.count ? " " : "", flags && !p->argument ? "-D" : "", p->name,
                 value[k]);
    }
    const char *out = arena_strdup(c->arena, t.at ? t.at : "");
    text_free(&t);
    return out;
}

static void
add_job(struct tune_call *c, const struct suite_device *d, const char **value)
{
    VEC_PUSH(&c->jobs, (struct tune_job){.value = value,
                                         .device = d,
                                         .flags = describe(c, value, true),
                                         .macros = describe(c, value, false)});
}

/* Combination `number` in mixed radix. */
static const char **
combination(const struct tune_call *c, uint64_t number)
{
    const char **value = ARENA_ARRAY(c->arena, const char *, c->parameters.count + 1);
    for (size_t k = c->parameters.count; k-- > 0;) {
        const suite_words *v = &c->parameters.at[k].values;
        value[k] = v->at[number % v->count];
        number /= v->count;
    }
    return value;
}

bool
tune_make_jobs(struct tune_call *c, const char *const *where, size_t count, struct ls_error *err)
{
    uint64_t all = 1;
    for (size_t k = 0; k < c->parameters.count && all <= MOST_JOBS; k++)
        all *= c->parameters.at[k].values.count;
    if (all * c->devices.count > MOST_JOBS)
        return ls_fail(err, LS_ERR_USAGE, "more than %d combinations", MOST_JOBS);
    for (size_t d = 0; d < c->devices.count; d++)
        for (uint64_t n = 0; n < all; n++) {
            const char **value = combination(c, n);
            bool wanted;
            if (!holds(c, value, where, count, &wanted, err))
                return false;
            if (wanted)
                add_job(c, &c->devices.at[d], value);
            else if (d == 0)
                c->excluded++;
        }
    return c->jobs.count > 0 ||
           ls_fail(err, LS_ERR_USAGE, "--where leaves none of the %llu combinations",
                   (unsigned long long)all);
}

/* -- what a job is started with ---------------------------------------------------------------- */

/* Every {NAME} of an argument parameter replaced. */
static char *
substitute(const struct tune_call *c, const struct tune_job *j, const char *word, struct arena *a)
{
    struct text t = {0};
    while (*word) {
        size_t taken = 0;
        for (size_t k = 0; k < c->parameters.count && !taken; k++) {
            const struct tune_parameter *p = &c->parameters.at[k];
            size_t n = strlen(p->name);
            if (!p->argument || word[0] != '{' || strncmp(word + 1, p->name, n) != 0 ||
                word[n + 1] != '}')
                continue;
            text_add(&t, "%s", j->value[k]);
            taken = n + 2;
        }
        if (!taken)
            text_add_bytes(&t, word, taken = 1);
        word += taken;
    }
    char *out = arena_strdup(a, t.at ? t.at : "");
    text_free(&t);
    return out;
}

char **
tune_arguments(const struct tune_call *c, const struct tune_job *j, struct arena *a)
{
    size_t n = 0;
    while (c->arguments[n])
        n++;
    char **out = ARENA_ARRAY(a, char *, n + 1);
    for (size_t k = 0; k < n; k++)
        out[k] = substitute(c, j, c->arguments[k], a);
    return out;
}

size_t
tune_definitions(const struct tune_call *c, const struct tune_job *j, struct arena *a,
                 const char ***out)
{
    size_t n = 0;
    *out = ARENA_ARRAY(a, const char *, c->parameters.count + c->options.count + 1);
    for (size_t k = 0; k < c->parameters.count; k++)
        if (!c->parameters.at[k].argument)
            (*out)[n++] = arena_printf(a, "-D%s=%s", c->parameters.at[k].name, j->value[k]);
    for (size_t k = 0; k < c->options.count; k++)
        (*out)[n++] = c->options.at[k];
    return n;
}
