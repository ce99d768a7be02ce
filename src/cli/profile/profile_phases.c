/* SPDX-License-Identifier: Apache-2.0
 *
 * profile_phases: the table of a small launch: a phase is what a block does between two barriers; a
 * row is one thread's loads and stores in it, in order. Blocks and threads beyond what a person
 * reads are left out and counted.
 */
#include "cli/profile/profile_view.h"

#include <stdio.h>
#include <string.h>

enum { MOST_BLOCKS = 4, MOST_ROWS = 64, MOST_ELEMENTS = 24 };

static uint32_t
size_of(const json_t *shape, size_t k)
{
    return (uint32_t)json_integer_value(json_array_get(shape, k));
}

static void
print_thread(const json_t *block, uint32_t thread)
{
    uint32_t x = size_of(block, 0), y = size_of(block, 1);
    if (size_of(block, 2) > 1)
        printf("    thread (%u,%u,%u) ", thread % x, thread / x % y, thread / x / y);
    else if (y > 1)
        printf("    thread (%u,%u) ", thread % x, thread / x);
    else
        printf("    thread %u ", thread);
}

/* The elements that one record has for the thread, after `what` when it differs from the last. */
static void
print_record(const json_t *record, uint32_t thread, char *last, size_t room, uint32_t *shown)
{
    size_t k;
    json_t *e;
    char what[64];
    snprintf(what, sizeof what, "%s %s", report_text(record, "space"), report_text(record, "op"));
    json_array_foreach (json_object_get(record, "elements"), k, e) {
        if ((uint32_t)json_integer_value(json_array_get(e, 0)) != thread)
            continue;
        if (++*shown > MOST_ELEMENTS)
            return;
        if (strcmp(what, last) != 0)
            printf("%s %ss", *last ? ";" : "", what);
        snprintf(last, room, "%s", what);
        printf(" %s[%lld]", json_string_value(json_array_get(e, 1)),
               (long long)json_integer_value(json_array_get(e, 2)));
    }
}

/* One phase: records first..last of the list. */
static void
print_phase(const json_t *kernel, const json_t *records, size_t first, size_t last)
{
    const json_t *block = json_object_get(kernel, "block");
    uint32_t threads = size_of(block, 0) * size_of(block, 1) * size_of(block, 2), rows = 0;
    for (uint32_t t = 0; t < threads && rows < MOST_ROWS; t++, rows++) {
        char what[64] = "";
        uint32_t shown = 0;
        print_thread(block, t);
        for (size_t k = first; k < last; k++)
            print_record(json_array_get(records, k), t, what, sizeof what, &shown);
        if (shown > MOST_ELEMENTS)
            printf(" ... %u more", shown - MOST_ELEMENTS);
        printf(shown ? "\n" : " nothing\n");
    }
    if (rows < threads)
        printf("    ... and %u threads more\n", threads - rows);
}

static void
print_block(const json_t *kernel, const json_t *records, size_t first, size_t last)
{
    const json_t *grid = json_object_get(kernel, "grid");
    uint64_t b = (uint64_t)report_number(json_array_get(records, first), "block", NULL);
    uint32_t x = size_of(grid, 0), y = size_of(grid, 1), phase = 1;
    printf("  block (%llu,%llu,%llu)\n", (unsigned long long)(b % x),
           (unsigned long long)(b / x % y), (unsigned long long)(b / x / y));
    for (size_t k = first, from = first; k <= last; k++) {
        const json_t *r = k < last ? json_array_get(records, k) : NULL;
        if (r && !json_object_get(r, "barrier"))
            continue;
        if (r)
            printf("   phase %u, up to the barrier in line %.0f\n", phase++,
                   report_number(r, "line", NULL));
        else if (from == k)
            break;
        else
            printf("   phase %u, to the end\n", phase++);
        print_phase(kernel, records, from, k);
        from = k + 1;
    }
}

void
view_phases(const json_t *kernel)
{
    const json_t *records = json_object_get(kernel, "phases");
    size_t n = json_array_size(records), blocks = 0;
    if (!records) {
        printf("  phases      the launch has too many threads to show each: 4096 at most\n");
        return;
    }
    for (size_t first = 0, k = 1; k <= n; k++) {
        if (k < n && json_equal(json_object_get(json_array_get(records, k), "block"),
                                json_object_get(json_array_get(records, first), "block")))
            continue;
        if (blocks++ < MOST_BLOCKS)
            print_block(kernel, records, first, k);
        first = k;
    }
    if (blocks > MOST_BLOCKS)
        printf("  ... and %zu blocks more\n", blocks - MOST_BLOCKS);
}
