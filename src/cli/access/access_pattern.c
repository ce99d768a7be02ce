/* SPDX-License-Identifier: Apache-2.0
 *
 * One access pattern for a block of threads: its addresses, its worst warp, the picture of the
 * banks, and which padding or swizzle takes its conflicts away.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/access/access_pattern.h"
#include "cli/access/expression.h"

/* -- addresses --------------------------------------------------------------------------------- */

static bool
fill_stride(struct access_pattern *p, const char *text, struct ls_error *err)
{
    double stride;
    if (!ls_parse_f64(text, &stride) || !isfinite(stride) || fabs(stride) > 1e9)
        return ls_fail(err, LS_ERR_USAGE, "--stride takes a number, not '%s'", text);
    for (uint32_t t = 0; t < p->threads; t++)
        p->index[t] = (int64_t)floor(stride * t);
    return true;
}

static bool
fill_expression(struct access_pattern *p, const char *text, struct ls_error *err)
{
    for (uint32_t t = 0; t < p->threads; t++) {
        const struct expression_variable variables[] = {
            {"tid", t},
            {"lane", t % 32},
            {"warp", t / 32},
            {"x", t % p->block[0]},
            {"y", t / p->block[0] % p->block[1]},
            {"z", t / p->block[0] / p->block[1]},
        };
        if (!expression_evaluate(text, variables, sizeof variables / sizeof *variables,
                                 &p->index[t], err))
            return false;
    }
    return true;
}

static bool
fill_list(struct access_pattern *p, const char *text, struct ls_error *err)
{
    uint32_t count = 0;
    for (const char *at = text; count < p->threads;) {
        char *end;
        p->index[count] = strtoll(at, &end, 0);
        if (end == at || (*end && *end != ','))
            return ls_fail(err, LS_ERR_USAGE, "--list takes numbers with commas between, not '%s'",
                           text);
        count++;
        if (!*end)
            break;
        at = end + 1;
    }
    for (uint32_t t = count; t < p->threads; t++)
        p->index[t] = p->index[t % count];
    return true;
}

static int64_t
padded(const struct access_pattern *p, int64_t index)
{
    return p->pad ? index + index / (int64_t)p->pad : index;
}

bool
pattern_fill(struct access_pattern *p, const char *stride, const char *expression, const char *list,
             struct ls_error *err)
{
    bool fine = stride       ? fill_stride(p, stride, err)
                : expression ? fill_expression(p, expression, err)
                             : fill_list(p, list, err);
    for (uint32_t t = 0; fine && t < p->threads; t++) {
        int64_t index = padded(p, p->index[t]);
        if (index < 0 && (uint64_t)-index * p->width > p->base)
            fine = ls_fail(err, LS_ERR_USAGE,
                           "thread %u accesses element %lld, before the start (--base moves it)", t,
                           (long long)index);
        if (index > (int64_t)1 << 40)
            fine = ls_fail(err, LS_ERR_USAGE, "thread %u accesses element %lld: too far", t,
                           (long long)index);
    }
    if (fine && p->base % p->width)
        return ls_fail(err, LS_ERR_USAGE, "--base is not a multiple of the width, %u", p->width);
    return fine;
}

void
pattern_warp(const struct access_pattern *p, uint32_t warp, struct access *out)
{
    memset(out, 0, sizeof *out);
    out->space = p->space;
    out->op = p->op;
    out->width = p->width;
    out->bank8 = p->bank8;
    out->bypass_l1 = p->bypass_l1;
    out->use_l1 = p->use_l1;
    for (uint32_t lane = 0; lane < 32 && warp * 32 + lane < p->threads; lane++) {
        out->mask |= 1u << lane;
        out->address[lane] = p->base + (uint64_t)padded(p, p->index[warp * 32 + lane]) * p->width;
    }
}

/* -- the worst warp ---------------------------------------------------------------------------- */

static uint32_t
warp_weight(const struct access_pattern *p, uint32_t warp)
{
    struct access a;
    struct access_cost cost;
    pattern_warp(p, warp, &a);
    model_access(p->device, &a, &cost);
    uint32_t transactions = 0;
    for (uint32_t i = 0; i < cost.transaction_count; i++)
        transactions += cost.transactions[i].count;
    return cost.wavefronts + cost.sectors + transactions;
}

uint32_t
pattern_worst_warp(const struct access_pattern *p)
{
    uint32_t worst = 0, most = 0;
    for (uint32_t w = 0; w < p->warps; w++) {
        uint32_t weight = warp_weight(p, w);
        if (weight > most) {
            most = weight;
            worst = w;
        }
    }
    return worst;
}

/* How many times what it need be: 1 is free of conflicts. Wide accesses take several wavefronts by
 * their size, so that the degree is that of the worst part. */
uint32_t
pattern_degree(const struct access_pattern *p)
{
    uint32_t worst = 0;
    for (uint32_t w = 0; w < p->warps; w++) {
        struct access a;
        struct access_cost cost;
        pattern_warp(p, w, &a);
        model_access(p->device, &a, &cost);
        uint32_t degree = cost.bank_conflicts ? cost.degree : 1;
        if (degree > worst)
            worst = degree;
    }
    return worst;
}

/* -- remedies ---------------------------------------------------------------------------------- */

static int64_t
highest(const struct access_pattern *p)
{
    int64_t most = 0;
    for (uint32_t t = 0; t < p->threads; t++)
        if (padded(p, p->index[t]) > most)
            most = padded(p, p->index[t]);
    return most;
}

/* Changes each index; true and *r filled when that is better. */
static bool
try_change(const struct access_pattern *p, int64_t (*change)(int64_t index, int64_t by), int64_t by,
           struct remedy *r)
{
    struct access_pattern *q = ls_alloc(sizeof *q);
    *q = *p;
    q->pad = 0;
    for (uint32_t t = 0; t < p->threads; t++)
        q->index[t] = change(padded(p, p->index[t]), by);
    r->degree = pattern_degree(q);
    r->extra_bytes = (highest(q) - highest(p)) * p->width;
    ls_release(q);
    return r->degree < pattern_degree(p);
}

static int64_t
pad_every(int64_t index, int64_t row)
{
    return index + index / row;
}

static int64_t
swizzle_row(int64_t index, int64_t row)
{
    return index ^ index / row % row;
}

static int64_t
spread_words(int64_t index, int64_t by)
{
    return index * by;
}

static void
keep(struct remedy *out, size_t *count, const struct remedy *r)
{
    if (*count < REMEDIES)
        out[(*count)++] = *r;
}

/* Padding: the longest row (the least memory) that reaches the best degree. */
static void
padding_remedy(const struct access_pattern *p, struct remedy *out, size_t *count)
{
    struct remedy best = {.degree = UINT32_MAX}, r;
    for (int64_t row = 1024; row >= 4; row /= 2)
        if (try_change(p, pad_every, row, &r) && r.degree < best.degree) {
            best = r;
            snprintf(best.text, sizeof best.text,
                     "one element of padding behind every %d: [i + i / %d]", (int)row, (int)row);
        }
    if (best.degree != UINT32_MAX)
        keep(out, count, &best);
}

static void
swizzle_remedy(const struct access_pattern *p, struct remedy *out, size_t *count)
{
    struct remedy best = {.degree = UINT32_MAX}, r;
    for (int64_t row = 4; row <= 64; row *= 2)
        if (try_change(p, swizzle_row, row, &r) && r.degree < best.degree) {
            best = r;
            best.extra_bytes = 0; /* indices stay within their row */
            snprintf(best.text, sizeof best.text, "swizzle in rows of %d: [i ^ i / %d %% %d]",
                     (int)row, (int)row, (int)row);
        }
    if (best.degree != UINT32_MAX)
        keep(out, count, &best);
}

/* Elements smaller than a bank's word, on the generations where they share it at a price. */
static void
spread_remedy(const struct access_pattern *p, struct remedy *out, size_t *count)
{
    struct remedy r;
    if (p->width >= 4 || !try_change(p, spread_words, 4 / p->width, &r))
        return;
    snprintf(r.text, sizeof r.text, "one element per 4-byte word: [i * %u]", 4 / p->width);
    keep(out, count, &r);
}

size_t
pattern_remedies(const struct access_pattern *p, struct remedy out[REMEDIES])
{
    size_t count = 0;
    if (pattern_degree(p) <= 1)
        return 0;
    padding_remedy(p, out, &count);
    swizzle_remedy(p, out, &count);
    spread_remedy(p, out, &count);
    return count;
}

/* -- picture ----------------------------------------------------------------------------------- */

static void
picture_add(struct bank_picture *out, uint32_t bank, uint64_t word, uint32_t lane, bool atomic)
{
    for (uint32_t i = 0; i < out->count[bank] && !atomic; i++)
        if (out->word[bank][i] == word) {
            out->several[bank][i] = true;
            return;
        }
    if (out->count[bank] == 32)
        return;
    out->word[bank][out->count[bank]] = word;
    out->lane[bank][out->count[bank]++] = (uint8_t)lane;
    if (out->count[bank] > out->rows)
        out->rows = out->count[bank];
}

void
bank_picture_of(const struct access_pattern *p, const struct access *a, uint32_t lanes,
                struct bank_picture *out)
{
    bool atomic = a->op == ACCESS_ATOMIC || a->op == ACCESS_REDUCE;
    uint32_t unit = p->device->cc_major == 3 && p->bank8 ? 8 : 4;
    memset(out, 0, sizeof *out);
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        uint64_t last = (a->address[lane] + a->width - 1) / unit;
        for (uint64_t word = a->address[lane] / unit; word <= last; word++)
            picture_add(out, (uint32_t)(word % p->device->shared_banks), word, lane, atomic);
    }
}
