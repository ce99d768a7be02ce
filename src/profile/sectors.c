/* SPDX-License-Identifier: Apache-2.0
 *
 * sectors.c: what one access of a warp costs by the model, and which sectors and lines it touches.
 */
#include "profile/verdict.h"

#include <string.h>

static void
add_sectors(struct sectors *s, uint64_t address, uint32_t bytes)
{
    for (uint64_t n = address / SECTOR; n <= (address + bytes - 1) / SECTOR; n++) {
        uint32_t k = s->count;
        while (k > 0 && s->at[k - 1] > n)
            k--;
        if ((k > 0 && s->at[k - 1] == n) || s->count == JIT_LANES * 8)
            continue;
        memmove(s->at + k + 1, s->at + k, (s->count - k) * sizeof *s->at);
        s->at[k] = n;
        s->count++;
    }
}

/* The same for lanes that lie within a megabyte and in no two sectors each, found in order by way
 * of a set: lanes' addresses that are no pattern take five times as long one by one. *lines: lines
 * of 128 bytes. */
bool
verdict_order(struct sector_set *set, const struct access *a, struct sectors *out, uint32_t *lines)
{
    enum { PER_LINE = 4 };
    uint64_t low = UINT64_MAX, high = 0, cross = 0;
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t at = a->address[__builtin_ctz(rest)];
        low = at < low ? at : low;
        high = at > high ? at : high;
        cross |= (at ^ (at + a->width - 1)) / SECTOR;
    }
    low = low / SECTOR & ~(uint64_t)(PER_LINE - 1);
    if (cross || high / SECTOR - low >= SECTOR_WORDS * 64)
        return false;
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t n = a->address[__builtin_ctz(rest)] / SECTOR - low;
        set->bits[n / 64] |= 1ull << n % 64;
        set->some[n / 64 / 64] |= 1ull << n / 64 % 64;
    }
    uint64_t line = UINT64_MAX;
    for (uint32_t w = 0; w <= (high / SECTOR - low) / 64 / 64; w++)
        for (; set->some[w]; set->some[w] &= set->some[w] - 1) {
            uint32_t at = w * 64 + (uint32_t)__builtin_ctzll(set->some[w]);
            for (; set->bits[at]; set->bits[at] &= set->bits[at] - 1) {
                uint64_t n = low + at * 64 + (uint32_t)__builtin_ctzll(set->bits[at]);
                *lines += n / PER_LINE != line;
                line = n / PER_LINE;
                out->at[out->count++] = n;
            }
        }
    return true;
}

static void
find_sectors(const struct site *s, const struct access *a, const struct access_cost *cost,
             struct sectors *out)
{
    for (uint32_t k = 0; k < cost->transaction_count; k++) /* before 5.0 whole transactions move */
        add_sectors(out, cost->transactions[k].address, cost->transactions[k].size);
    for (uint32_t l = 0; l < JIT_LANES && !cost->transaction_count; l++) {
        if (!(a->mask >> l & 1))
            continue;
        if (s->space == SPACE_GLOBAL)
            add_sectors(out, a->address[l], a->width);
        for (uint32_t p = 0; s->space == SPACE_LOCAL && p < a->width; p += 4)
            add_sectors(out, model_local_address(0, a->address[l] + p, l), 1);
    }
}

void
verdict_keep_lines(struct sheet *sheet, const struct site *s, const struct sectors *sectors,
                   uint64_t reference, struct verdict *v)
{
    enum { PER_LINE = LINE / SECTOR };
    int64_t flags = (int64_t)s->op << CACHE_OP_SHIFT | (s->bypass_l1 ? CACHE_BYPASS : 0);
    int64_t line[JIT_LANES * 8];
    uint32_t n = 0;
    for (uint32_t k = 0; k < sectors->count; k++) {
        bool on = k && sectors->at[k] == sectors->at[k - 1] + 1;
        uint32_t which = sectors->at[k] % PER_LINE;
        if (on && which)
            line[n - 1] |= 1 << which;
        else
            line[n++] = (int64_t)(sectors->at[k] / PER_LINE - reference) * (1 << CACHE_LINE_SHIFT) +
                        (flags | (on ? LINE_CONTINUES : 0) | 1 << which);
    }
    v->line_count = (uint16_t)n;
    v->shape = is_scattered(s) ? 0 : trace_shape(sheet, line, n);
    if (v->shape || !n)
        return;
    if (v->line_room < n) {
        v->line_room = (uint16_t)(n < JIT_LANES ? JIT_LANES : n);
        v->line = ARENA_ARRAY(&sheet->arena, int64_t, v->line_room);
    }
    memcpy(v->line, line, n * sizeof *line);
}

void
verdict_add_cost(struct verdict *v, const struct access_cost *c)
{
    v->metric[METRIC_WAVEFRONTS] += c->wavefronts;
    v->metric[METRIC_WAVEFRONTS_IDEAL] += c->wavefronts_ideal;
    v->metric[METRIC_CONFLICTS] += c->bank_conflicts;
    v->metric[METRIC_SECTORS] += c->sectors;
    v->metric[METRIC_SECTORS_IDEAL] += c->sectors_ideal;
    for (uint32_t k = 0; k < c->transaction_count; k++) {
        v->metric[METRIC_TRANSACTIONS] += c->transactions[k].count;
        v->metric[METRIC_SECTORS] += c->transactions[k].count * c->transactions[k].size / SECTOR;
    }
    if (c->degree > v->degree)
        v->degree = (uint16_t)c->degree;
}

void
verdict_keep_sample(struct site *s, const struct request *r, const struct verdict *v)
{
    uint32_t excess = v->metric[METRIC_CONFLICTS];
    if (s->space == SPACE_GLOBAL || s->space == SPACE_LOCAL)
        excess = v->metric[METRIC_SECTORS] - v->metric[METRIC_SECTORS_IDEAL];
    if (s->sample.lanes && excess <= s->sample.excess)
        return;
    s->sample = (struct sample){
        .lanes = r->lanes, .bytes = s->bytes, .excess = excess, .degree = v->degree};
    uint64_t lowest = UINT64_MAX;
    for (uint32_t rest = r->lanes; rest; rest &= rest - 1)
        if (r->address[__builtin_ctz(rest)] < lowest)
            lowest = r->address[__builtin_ctz(rest)];
    bool absolute = s->space == SPACE_GLOBAL || s->space == SPACE_CONSTANT;
    uint64_t page = absolute ? lowest & ~(uint64_t)4095 : 0;
    for (uint32_t l = 0; l < JIT_LANES; l++)
        s->sample.address[l] = r->address[l] - page;
}

/* Lines of 128 bytes among the lanes' words. */
static uint32_t
count_lines(const struct sheet *sheet, const struct access *a)
{
    uint64_t line[JIT_LANES];
    for (uint32_t l = 0; l < JIT_LANES; l++)
        line[l] = a->address[l] / LINE;
    return lanes_different(sheet->wide, a->mask, line);
}

/* Widths that are none of the model's are several accesses, the widest first. */
void
verdict_evaluate(struct sheet *sheet, struct site *s, const struct request *r, struct verdict *v)
{
    static const enum access_space spaces[] = {ACCESS_SHARED, ACCESS_GLOBAL, ACCESS_LOCAL,
                                               ACCESS_CONSTANT};
    struct access a = {
        .space = spaces[s->space], .op = s->op, .mask = r->lanes, .bypass_l1 = s->bypass_l1};
    struct access_cost cost;
    struct sectors sectors;
    uint32_t lanes = (uint32_t)__builtin_popcount(r->lanes);
    sectors.count = 0;
    v->degree = 0;
    memset(v->metric, 0, sizeof v->metric);
    for (uint32_t done = 0; done < s->bytes; done += a.width) {
        a.width = 16;
        while (a.width > s->bytes - done)
            a.width /= 2;
        for (uint32_t l = 0; l < JIT_LANES; l++)
            a.address[l] = r->address[l] + done;
        model_access(sheet->watch->profile->device, &a, &cost);
        verdict_add_cost(v, &cost);
        if (s->space == SPACE_GLOBAL && s->traced && a.width == s->bytes &&
            !cost.transaction_count &&
            verdict_order(&sheet->set, &a, &sectors, &v->metric[METRIC_LINES]))
            break;
        if (s->space == SPACE_GLOBAL)
            v->metric[METRIC_LINES] += count_lines(sheet, &a);
        if (s->traced)
            find_sectors(s, &a, &cost, &sectors);
    }
    v->metric[METRIC_REQUESTS] = 1;
    v->metric[METRIC_THREADS] = lanes;
    v->metric[METRIC_BYTES] = lanes * s->bytes;
    if (s->operation == OPERATION_ATOMIC && s->space == SPACE_GLOBAL)
        v->metric[METRIC_WORDS] = lanes_different(sheet->wide, r->lanes, r->address);
    if (s->space == SPACE_LOCAL) /* words of the lanes lie side by side */
        v->metric[METRIC_LINES] = (v->metric[METRIC_SECTORS] + 3) / 4;
    if (s->traced)
        verdict_keep_lines(sheet, s, &sectors, r->reference, v);
    verdict_keep_sample(s, r, v);
}
