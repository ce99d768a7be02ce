/* SPDX-License-Identifier: Apache-2.0
 *
 * charts.c: see charts.h. Everything drawn is also said in the description of the drawing, or in
 * the tables beside it.
 */
#include "report/charts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- banks ------------------------------------------------------------------------------------- */

/* What a bank serves at once: a word; on 3.x 64 bits, in 4-byte mode the words i and i + 32. */
static uint64_t
served(const struct device_profile *d, uint64_t address)
{
    return d->cc_major == 3 ? address / 256 : address / 4;
}

/* Does a lane of the same part ask the bank of this word for another one? Atomics: or for the same;
 * 1.x has a request for each word of a wide access. */
static bool
conflicting(const struct device_profile *d, const struct access *a, uint32_t lane, uint32_t byte)
{
    uint32_t part[8], count = model_shared_parts(d, a, part), together = 0;
    uint64_t word = a->address[lane] + byte;
    uint32_t bank = model_shared_bank(d, a->bank8, word);
    for (uint32_t p = 0; p < count; p++)
        together |= part[p] >> lane & 1 ? part[p] : 0;
    for (uint32_t l = 0; l < 32; l++)
        for (uint32_t b = 0; (together >> l & 1) && b < a->width; b += 4) {
            uint64_t other = a->address[l] + b;
            if ((d->cc_major == 1 && b != byte) || model_shared_bank(d, a->bank8, other) != bank)
                continue;
            if (served(d, other) != served(d, word) || (a->op == ACCESS_ATOMIC && l != lane))
                return true;
        }
    return false;
}

void
chart_banks(struct text *t, const struct device_profile *d, const struct access *access,
            uint64_t row, uint32_t pad)
{
    enum { CELL = 11, LEFT = 34, TOP = 30 };
    struct access a = *access;
    struct access_cost cost;
    char text[160];
    uint32_t banks = d->shared_banks;
    bool any_bad = false;
    for (uint32_t l = 0; l < 32 && pad; l++)
        a.address[l] += a.address[l] / row * pad;
    model_access(d, &a, &cost);
    snprintf(text, sizeof text,
             "Bank map%s: %u lanes, %u banks, %u wavefronts, %u of them in excess",
             pad ? " with padding" : "", __builtin_popcount(a.mask), banks, cost.wavefronts,
             cost.bank_conflicts);
    html_drawing(t, (int)(LEFT + banks * CELL + 8), TOP + 32 * CELL + 8, text);
    html_label(t, LEFT + banks * CELL / 2.0, 12, 'm', "bank");
    for (uint32_t b = 0; b < banks; b += 8)
        html_label(t, LEFT + b * CELL, 26, 's', "%u", b);
    for (uint32_t l = 0; l < 32; l += 8)
        html_label(t, LEFT - 6, TOP + l * CELL + 9, 'e', "%u", l);
    html_box(t, LEFT, TOP, banks * CELL, 32 * CELL, "frame", NULL);
    for (uint32_t l = 0; l < 32; l++) {
        if (!(a.mask >> l & 1))
            continue;
        for (uint32_t byte = 0; byte < a.width; byte += 4) {
            uint32_t bank = model_shared_bank(d, a.bank8, a.address[l] + byte);
            bool bad = conflicting(d, &a, l, byte);
            any_bad = any_bad || bad;
            snprintf(text, sizeof text, "lane %u: byte %llu, bank %u%s", l,
                     (unsigned long long)(a.address[l] + byte), bank, bad ? ", conflict" : "");
            html_box(t, LEFT + bank * CELL + 1, TOP + l * CELL + 1, CELL - 2, CELL - 2,
                     bad ? "bad" : "good", text);
        }
    }
    text_add(t, "</svg><figcaption>");
    if (pad)
        html_print(t, "Rows of %llu bytes: %u wavefront%s, %u in excess.",
                   (unsigned long long)(row + pad), cost.wavefronts,
                   cost.wavefronts == 1 ? "" : "s", cost.bank_conflicts);
    else
        html_print(t,
                   "As it is: %u wavefront%s, %u in excess. A row is a lane, red where other lanes "
                   "ask the same bank for %s.",
                   cost.wavefronts, cost.wavefronts == 1 ? "" : "s", cost.bank_conflicts,
                   a.op == ACCESS_ATOMIC ? "a word" : "another word");
    if (cost.bank_conflicts && !any_bad && d->cc_major == 1)
        html_print(t, " No bank is asked for two words, but here only one word a pass goes to "
                      "several lanes.");
    text_add(t, "</figcaption></figure>\n");
}

/* -- sectors ----------------------------------------------------------------------------------- */

static uint32_t
bytes_used(const struct access *a, uint64_t sector)
{
    bool used[32] = {false};
    uint32_t n = 0;
    for (uint32_t l = 0; l < 32; l++)
        for (uint32_t b = 0; (a->mask >> l & 1) && b < a->width; b++)
            if ((a->address[l] + b) / 32 == sector)
                used[(a->address[l] + b) % 32] = true;
    for (int b = 0; b < 32; b++)
        n += used[b];
    return n;
}

static int
rising(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

/* "2 transactions (64 bytes, 32 bytes)" */
static void
transactions(struct text *t, const struct device_profile *d, const struct access *a)
{
    struct access_cost cost;
    uint32_t all = 0;
    model_access(d, a, &cost);
    for (uint32_t k = 0; k < cost.transaction_count; k++)
        all += cost.transactions[k].count;
    html_print(t, "One request: %u transaction%s (", all, all == 1 ? "" : "s");
    for (uint32_t k = 0; k < cost.transaction_count; k++)
        html_print(t, "%s%u of %u bytes", k ? ", " : "", cost.transactions[k].count,
                   cost.transactions[k].size);
    html_print(
        t, "). Drawn are the pieces of 32 bytes that it asks for, below each how many of them.");
}

void
chart_sectors(struct text *t, const struct device_profile *d, const struct access *a)
{
    enum { CELL = 34, PER_ROW = 16, LEAST = 4, HEIGHT = 44 };
    uint64_t sector[64];
    size_t n = 0, kept = 0;
    char tip[96];
    for (uint32_t l = 0; l < 32; l++) {
        if (!(a->mask >> l & 1))
            continue;
        sector[n++] = a->address[l] / 32;
        sector[n++] = (a->address[l] + a->width - 1) / 32;
    }
    qsort(sector, n, sizeof *sector, rising);
    for (size_t k = 0; k < n; k++)
        if (!kept || sector[kept - 1] != sector[k])
            sector[kept++] = sector[k];
    snprintf(tip, sizeof tip, "%zu sectors of 32 bytes of one request", kept);
    int columns = kept >= PER_ROW ? PER_ROW : kept > LEAST ? (int)kept : LEAST;
    html_drawing(t, columns * CELL + 8, (int)((kept + PER_ROW - 1) / PER_ROW) * HEIGHT + 8, tip);
    for (size_t k = 0; k < kept; k++) {
        double x = 4 + (double)(k % PER_ROW) * CELL, y = 4 + (double)(k / PER_ROW) * HEIGHT;
        uint32_t used = bytes_used(a, sector[k]);
        snprintf(tip, sizeof tip, "sector at byte %llu: %u of 32 bytes asked for",
                 (unsigned long long)sector[k] * 32, used);
        html_box(t, x, y, CELL - 3, 24, "dim", tip);
        html_box(t, x, y, (CELL - 3) * used / 32.0, 24, used == 32 ? "good" : "bad", tip);
        html_label(t, x + CELL / 2.0 - 1, y + 36, 'm', "%u", used);
    }
    text_add(t, "</svg><figcaption>");
    if (model_has_transactions(d))
        transactions(t, d, a);
    else
        html_print(t,
                   "One request: %zu sector%s; below each the bytes of its 32 that are asked for.",
                   kept, kept == 1 ? "" : "s");
    text_add(t, "</figcaption></figure>\n");
}

/* -- occupancy --------------------------------------------------------------------------------- */

void
chart_occupancy(struct text *t, const struct device_profile *d, const json_t *kernel)
{
    enum { WIDTH = 560, HEIGHT = 200, LEFT = 48, BOTTOM = 160, TOP = 14 };
    const json_t *block = json_object_get(kernel, "block");
    uint32_t threads = 1, most = d->max_threads_per_block;
    char tip[96];
    for (size_t k = 0; k < 3; k++)
        threads *= (uint32_t)json_integer_value(json_array_get(block, k));
    struct occupancy_query q = {
        .registers_per_thread =
            (uint32_t)report_number(kernel, "occupancy", "registers_per_thread", NULL),
        .dynamic_shared = (uint32_t)report_number(kernel, "occupancy", "shared_bytes", NULL)};
    struct occupancy o;
    double wide = (double)(WIDTH - LEFT - 10) / (most / 32);
    html_drawing(t, WIDTH, HEIGHT, "Occupancy over threads per block");
    for (int p = 0; p <= 100; p += 25) {
        double y = BOTTOM - (BOTTOM - TOP) * p / 100.0;
        html_line(t, LEFT, y, WIDTH - 10, y, "dim");
        html_label(t, LEFT - 5, y + 4, 'e', "%d %%", p);
    }
    for (q.threads_per_block = 32; q.threads_per_block <= most; q.threads_per_block += 32) {
        bool here = (threads + 31) / 32 * 32 == q.threads_per_block;
        model_occupancy(d, &q, &o);
        double height = o.occupancy * (BOTTOM - TOP),
               x = LEFT + (q.threads_per_block / 32 - 1) * wide;
        snprintf(tip, sizeof tip, "%u threads: %u blocks, %.0f %%, limited by %s",
                 q.threads_per_block, o.blocks_per_sm, 100 * o.occupancy, o.limited_by);
        html_box(t, x, BOTTOM - height, wide - 1, height, here ? "bad" : "a", tip);
    }
    for (uint32_t n = 128; n <= most; n += most / 8)
        html_label(t, LEFT + (n / 32 - 0.5) * wide, BOTTOM + 14, 'm', "%u", n);
    html_label(t, (LEFT + WIDTH) / 2.0, BOTTOM + 32, 'm',
               "threads per block; this launch is marked");
    html_drawing_end(t);
}

/* -- blocks over SMs --------------------------------------------------------------------------- */

void
chart_timeline(struct text *t, const struct device_profile *d, const json_t *kernel)
{
    enum { WIDTH = 720, LEFT = 50, ROW = 14, MOST_SMS = 24, MOST_BLOCKS = 4096, MOST_SHOWN = 1000 };
    const json_t *grid = json_object_get(kernel, "grid");
    uint32_t per = (uint32_t)report_number(kernel, "occupancy", "blocks_per_sm", NULL);
    double blocks = 1;
    char tip[96];
    for (size_t k = 0; k < 3; k++)
        blocks *= json_number_value(json_array_get(grid, k));
    if (!per || blocks > MOST_BLOCKS) {
        html_paragraph(t, "%.0f blocks: too many to draw.", blocks);
        return;
    }
    struct placement *p = ls_alloc((size_t)blocks * sizeof *p);
    double end = model_schedule(d->sm_count, per, (size_t)blocks, NULL, NULL, p);
    uint32_t shown = d->sm_count < MOST_SMS ? d->sm_count : MOST_SMS;
    shown = blocks < shown ? (uint32_t)blocks : shown;
    while (shown > 1 && blocks / d->sm_count * shown > MOST_SHOWN)
        shown--;
    double unit = (WIDTH - LEFT - 10) / (end * per);
    html_drawing(t, WIDTH, (int)(shown * ROW + 30), "Blocks over SMs in waves");
    for (uint32_t sm = 0; sm < shown; sm++)
        html_label(t, LEFT - 5, sm * ROW + 14, 'e', "SM %u", sm);
    for (size_t b = 0; b < (size_t)blocks; b++) {
        if (p[b].sm >= shown)
            continue;
        snprintf(tip, sizeof tip, "block %zu on SM %u, wave %u", b, p[b].sm, p[b].wave);
        html_box(t, LEFT + (p[b].start * per + p[b].slot) * unit, p[b].sm * ROW + 4,
                 unit > 2 ? unit - 1 : unit, ROW - 3, p[b].wave % 2 ? "b" : "a", tip);
    }
    text_add(t, "</svg><figcaption>");
    html_print(t,
               "%.0f blocks on %u SMs, %u at once on each, in %.0f wave%s (alternating colours)%s.",
               blocks, d->sm_count, per, end, end == 1 ? "" : "s",
               shown < d->sm_count ? "; the first SMs are shown" : "");
    text_add(t, "</figcaption></figure>\n");
    ls_release(p);
}
