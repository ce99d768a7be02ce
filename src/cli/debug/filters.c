/* SPDX-License-Identifier: Apache-2.0
 *
 * filters.c: what a breakpoint's condition says of the blocks and threads that it is for, as the
 * tool can decide it (struct debug_filter): comparisons of threadIdx, blockIdx, blockDim, gridDim
 * and numbers, and what &&, || and ! make of them. Any other part of it is one of which nothing is
 * known; the condition itself is evaluated where the launch has stopped, as ever.
 *
 *     blockIdx.x == 3 && threadIdx.x < 4 && sum > 0.5
 *     blockIdx.x  3  ==  threadIdx.x  4  <  &&  ?  &&
 */
#include "cli/debug/session.h"

#include <ctype.h>
#include <string.h>

/* The text of a condition while it is read, and the filter that it becomes. */
struct reading {
    const char *at, *end;
    struct debug_filter *out;
    bool full; /* no room for what is read */
};

static void
put(struct reading *r, enum debug_filter_op op, uint32_t what)
{
    if (r->out->count == DEBUG_FILTER_CODE)
        r->full = true;
    else
        r->out->code[r->out->count++] = (uint32_t)op << 24 | what;
}

static void
skip_blanks(struct reading *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

static bool
accept(struct reading *r, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(r);
    if ((size_t)(r->end - r->at) < n || strncmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* -- arithmetic ---------------------------------------------------------------------------------
 */

/* Of 32 bits without a sign, which a number alone has; so a difference, whose left side is one,
 * begins with a variable. */
static bool
read_variable(struct reading *r)
{
    static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    for (uint32_t k = 0; k < 4; k++) {
        const char *before = r->at;
        if (accept(r, names[k]) && accept(r, ".") && r->at < r->end && *r->at >= 'x' &&
            *r->at <= 'z' &&
            !(r->at + 1 < r->end && (isalnum((unsigned char)r->at[1]) || r->at[1] == '_'))) {
            put(r, DEBUG_F_VARIABLE, 3 * k + (uint32_t)(*r->at++ - 'x'));
            return true;
        }
        r->at = before;
    }
    return false;
}

static bool
read_number(struct reading *r)
{
    uint32_t n = 0;
    skip_blanks(r);
    const char *begin = r->at;
    for (; r->at < r->end && isdigit((unsigned char)*r->at) && n < DEBUG_FILTER_CONSTANT / 16;
         r->at++)
        n = 10 * n + (uint32_t)(*r->at - '0');
    bool ends =
        r->at == r->end || !(isalnum((unsigned char)*r->at) || *r->at == '.' || *r->at == '_');
    bool octal = *begin == '0' && r->at > begin + 1;
    put(r, DEBUG_F_CONSTANT, n);
    return r->at > begin && ends && !octal;
}

static bool read_sum(struct reading *r, bool *variable);

static bool
read_factor(struct reading *r, bool *variable)
{
    if (accept(r, "("))
        return read_sum(r, variable) && accept(r, ")");
    *variable = read_variable(r);
    return *variable || read_number(r);
}

static bool
read_product(struct reading *r, bool *variable)
{
    static const struct {
        const char *word;
        enum debug_filter_op op;
    } ops[] = {{"*", DEBUG_F_MUL}, {"/", DEBUG_F_DIV}, {"%", DEBUG_F_MOD}};
    if (!read_factor(r, variable))
        return false;
    for (unsigned k = 0; k < 3;) {
        bool right;
        if (!accept(r, ops[k].word)) {
            k++;
            continue;
        }
        if (!read_factor(r, &right))
            return false;
        *variable |= right;
        put(r, ops[k].op, 0);
        k = 0;
    }
    return true;
}

static bool
read_sum(struct reading *r, bool *variable)
{
    if (!read_product(r, variable))
        return false;
    for (;;) {
        bool right, plus = accept(r, "+");
        if (!plus && !accept(r, "-"))
            return true;
        if (!read_product(r, &right) || (!plus && !*variable && !right))
            return false;
        *variable |= right;
        put(r, plus ? DEBUG_F_ADD : DEBUG_F_SUB, 0);
    }
}

static bool
read_comparison(struct reading *r)
{
    static const struct {
        const char *word;
        enum debug_filter_op op;
    } ops[] = {{"==", DEBUG_F_EQ}, {"!=", DEBUG_F_NE}, {"<=", DEBUG_F_LE},
               {">=", DEBUG_F_GE}, {"<", DEBUG_F_LT},  {">", DEBUG_F_GT}};
    bool left, right;
    if (!read_sum(r, &left))
        return false;
    for (unsigned k = 0; k < sizeof ops / sizeof *ops; k++) {
        if (!accept(r, ops[k].word))
            continue;
        if (!read_sum(r, &right) || !(left || right))
            return false;
        put(r, ops[k].op, 0);
        skip_blanks(r);
        return r->at == r->end;
    }
    return false;
}

/* -- conditions ---------------------------------------------------------------------------------
 */

static void
trim(struct reading *r)
{
    skip_blanks(r);
    while (r->end > r->at && isspace((unsigned char)r->end[-1]))
        r->end--;
}

/* Where the operator stands outside of all brackets and texts; NULL: nowhere. */
static const char *
outside(const struct reading *r, const char *word)
{
    int depth = 0;
    char quote = 0;
    for (const char *p = r->at; p + 1 < r->end; p++) {
        if (quote) {
            p += *p == '\\';
            quote = *p == quote ? 0 : quote;
        } else if (*p == '"' || *p == '\'') {
            quote = *p;
        } else if (*p == '(' || *p == '[' || *p == '{') {
            depth++;
        } else if (*p == ')' || *p == ']' || *p == '}') {
            depth--;
        } else if (!depth && p[0] == word[0] && p[1] == word[1]) {
            return p;
        }
    }
    return NULL;
}

/* The bracket that ends the first one's is the last character. */
static bool
is_in_brackets(const struct reading *r)
{
    int depth = 0;
    for (const char *p = r->at; p < r->end; p++) {
        depth += (*p == '(') - (*p == ')');
        if (!depth)
            return p + 1 == r->end && p > r->at;
    }
    return false;
}

static void read_condition(struct reading *r);

static void
read_part(struct reading *r, const char *at, const char *end)
{
    struct reading part = {.at = at, .end = end, .out = r->out};
    read_condition(&part);
    r->full |= part.full;
}

static void
read_condition(struct reading *r)
{
    trim(r);
    const char * or = outside(r, "||"), *p = or ? or : outside(r, "&&");
    if (p) {
        read_part(r, r->at, p);
        read_part(r, p + 2, r->end);
        put(r, or ? DEBUG_F_OR : DEBUG_F_AND, 0);
        return;
    }
    bool negated = r->at < r->end && *r->at == '!';
    struct reading inner = {.at = r->at + negated, .end = r->end, .out = r->out};
    trim(&inner);
    if (is_in_brackets(&inner)) {
        read_part(r, inner.at + 1, inner.end - 1);
        if (negated)
            put(r, DEBUG_F_NOT, 0);
        return;
    }
    uint32_t count = r->out->count;
    if (read_comparison(r))
        return;
    r->out->count = count;
    put(r, DEBUG_F_UNKNOWN, 0);
}

/* What binds less than || or changes something when it is evaluated: `,' `?:' `=' `++' `$n'. */
static bool
is_plain(const char *text)
{
    for (const char *p = text; *p; p++) {
        bool assigns = *p == '=' && p[1] != '=' && (p == text || !strchr("=!<>", p[-1]));
        bool shifts = *p == '=' && p > text + 1 && (p[-1] == '<' || p[-1] == '>') && p[-2] == p[-1];
        bool steps = (*p == '+' || *p == '-') && p[1] == *p;
        if (assigns || shifts || steps || strchr(",?$", *p))
            return false;
    }
    return true;
}

/* -- what is sent -------------------------------------------------------------------------------
 */

/* Of one of several breakpoints at a place; a filter without code: it is for all threads. */
static void
add_condition(struct debug_filter *f, const char *condition, bool first)
{
    struct reading r = {.at = condition, .end = condition ? strchr(condition, 0) : NULL, .out = f};
    if ((!first && !f->count) || !condition || !is_plain(condition)) {
        f->count = 0;
        return;
    }
    read_condition(&r);
    if (!first)
        put(&r, DEBUG_F_OR, 0);
    f->count = r.full ? 0 : f->count;
}

bool
breakpoints_send_filters(struct session *s, struct ls_error *err)
{
    VEC(struct debug_filter) all = {0};
    VEC_PUSH(&all, ((struct debug_filter){.place = NO_PLACE}));
    for (size_t k = 0; k < s->breaks.all.count; k++) {
        const struct breakpoint *b = s->breaks.all.at[k];
        for (size_t n = 0; n < b->at.count && b->enabled && b->kind == BREAKPOINT && !s->muted;
             n++) {
            const struct module *m = &s->modules.at[b->at.at[n].module];
            struct debug_filter *f = NULL;
            for (size_t j = 1; j < all.count; j++)
                if (all.at[j].module == m->number && all.at[j].place == b->at.at[n].place)
                    f = &all.at[j];
            bool first = !f;
            if (!m->loaded)
                continue;
            if (first) {
                VEC_PUSH(&all,
                         ((struct debug_filter){.module = m->number, .place = b->at.at[n].place}));
                f = &all.at[all.count - 1];
            }
            add_condition(f, b->condition, first);
        }
    }
    bool fine = target_filters(&s->target, all.at, s->all_blocks ? 0 : all.count, err);
    VEC_FREE(&all);
    return fine;
}
