/* SPDX-License-Identifier: Apache-2.0
 *
 * charts_summary.c: the drawings at a kernel's head: peaks, a warp's time, memory. A phone's width
 * each.
 */
#include "report/charts.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 390 };

void
chart_peaks(struct text *t, const struct report_summary *s)
{
    enum { LEFT = 70, ROW = 19, ROOM = 268 };
    char tip[256];
    html_drawing(t, WIDTH, (int)s->peak_count * ROW + 8, "Share of each resource's peak");
    for (size_t k = 0; k < s->peak_count; k++) {
        const struct report_share *p = &s->peaks[k];
        const char *meaning = report_term(p->name);
        double y = (double)(k * ROW);
        snprintf(tip, sizeof tip, "%s: %.1f %% of its peak. %s", p->name, 100 * p->share,
                 meaning ? meaning : "");
        html_label(t, LEFT - 6, y + 16, 'e', "%s", p->name);
        html_box(t, LEFT, y + 5, ROOM, ROW - 6, "dim", tip);
        html_box(t, LEFT, y + 5, ROOM * p->share, ROW - 6,
                 p->share >= 0.8   ? "bad"
                 : p->share >= 0.5 ? "c"
                                   : "a",
                 tip);
        html_label(t, LEFT + ROOM + 6, y + 16, 's', "%.0f %%", 100 * p->share);
    }
    html_drawing_end(t);
}

void
chart_states(struct text *t, const struct report_summary *s)
{
    enum { ROOM = WIDTH - 8, LINE = 17 };
    static const char *const classes[] = {"a", "b", "good", "c", "dim"};
    char tip[256];
    double x = 4;
    if (!s->state_count)
        return;
    html_drawing(t, WIDTH, 34 + LINE * (int)((s->state_count + 1) / 2), "Where a warp's time goes");
    for (size_t k = 0; k < s->state_count; k++) {
        const struct report_share *p = &s->states[k];
        const char *meaning = report_term(p->name);
        snprintf(tip, sizeof tip, "%s: %.1f %%. %s", p->name, 100 * p->share,
                 meaning ? meaning : "");
        html_box(t, x, 4, ROOM * p->share, 18, classes[k % 5], tip);
        x += ROOM * p->share;
        double left = k % 2 ? WIDTH / 2.0 : 4, y = 38 + (double)(k / 2 * LINE);
        html_box(t, left, y - 9, 10, 10, classes[k % 5], tip);
        html_label(t, left + 16, y, 's', "%s %.0f %%", p->name, 100 * p->share);
    }
    text_add(t, "</svg><figcaption>What a warp waits for, or does, while it is on an "
                "SM.</figcaption></figure>\n");
}

/* -- memory ------------------------------------------------------------------------------------ */

struct traffic {
    struct text *t;
    struct arena arena;
    const json_t *kernel;
    double launches;
};

static double
counter(const struct traffic *f, const char *name)
{
    return report_number(f->kernel, "counters", name, NULL) / f->launches;
}

/* Of loads, stores, atomics: the sum of space_op_what. */
static double
over_operations(const struct traffic *f, const char *space, const char *what)
{
    static const char *const operations[] = {"load", "store", "atomic", "copy"};
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        char name[80];
        snprintf(name, sizeof name, "%s_%s_%s", space, operations[k], what);
        sum += counter(f, name);
    }
    return sum;
}

static char *
bytes(struct traffic *f, double n)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    size_t unit = 0;
    while (n >= 999.5 && unit < 4) {
        n /= 1000;
        unit++;
    }
    return arena_printf(&f->arena, "%.3g %s", n, units[unit]);
}

static void
box(struct traffic *f, double x, double y, double width, const char *name, const char *below,
    const char *meaning)
{
    enum { HEIGHT = 40 };
    html_box(f->t, x, y, width, HEIGHT, "box", meaning);
    html_label(f->t, x + width / 2, y + 17, 'm', "%s", name);
    html_label(f->t, x + width / 2, y + 33, 'm', "%s", below);
}

/* Down from a box to the next one, as wide as the traffic is large; label: beside it. */
static void
arrow(struct traffic *f, double x, double y, double amount, double most, const char *label)
{
    enum { LENGTH = 36 };
    double width = most > 0 ? 1.5 + 7 * amount / most : 1.5;
    text_add(f->t, "<path class=\"flow\" stroke-width=\"%.3g\"%s d=\"M%.4g %.4gv%d\"/>\n", width,
             amount > 0 ? "" : " stroke-dasharray=\"2 4\"", x, y, LENGTH);
    html_label(f->t, x + 9, y + LENGTH / 2.0 + 4, 's', "%s", label);
}

void
chart_memory(struct text *t, const struct device_profile *d, const json_t *kernel)
{
    enum {
        HEIGHT = 276,
        TOP = 4,
        STEP = 76,
        LEFT = 8,
        HALF = 180,
        RIGHT = 202,
        WHOLE = WIDTH - 16
    };
    struct traffic f = {
        .t = t, .kernel = kernel, .launches = report_number(kernel, "launches", NULL)};
    f.launches = f.launches > 0 ? f.launches : 1;
    double shared = 128 * over_operations(&f, "shared", "wavefronts"),
           l1 = 32 * counter(&f, "l1_sectors");
    double asked =
        32 * (over_operations(&f, "global", "sectors") + over_operations(&f, "local", "sectors"));
    double l2 = 32 * report_number(kernel, "model", "l2_sectors", NULL),
           read = counter(&f, "bytes_dram_read");
    double written = counter(&f, "bytes_dram_written"), most = shared > asked ? shared : asked;
    if (asked <= 0) /* transactions, before 5.0 */
        asked = l1 > 0 ? l1 : l2;
    most = asked > most ? asked : most;
    html_drawing(t, WIDTH, HEIGHT,
                 "Traffic of one launch between threads, shared memory, L1, L2 and device memory");
    box(&f, LEFT, TOP, WHOLE, "threads",
        arena_printf(&f.arena, "%s requests of warps",
                     report_count(&f.arena, over_operations(&f, "shared", "requests") +
                                                over_operations(&f, "global", "requests") +
                                                over_operations(&f, "local", "requests"))),
        report_term("request"));
    arrow(&f, 60, TOP + 40, shared, most, bytes(&f, shared));
    arrow(&f, RIGHT + 50, TOP + 40, asked, most, bytes(&f, asked));
    box(&f, LEFT, TOP + STEP, HALF, "shared memory",
        arena_printf(&f.arena, "%s wavefronts",
                     report_count(&f.arena, over_operations(&f, "shared", "wavefronts"))),
        report_term("shared"));
    box(&f, RIGHT, TOP + STEP, HALF, "L1",
        d->l1_bytes && l1 > 0
            ? arena_printf(&f.arena, "%.0f %% hits",
                           100 * report_number(kernel, "counters", "l1_hit_rate", NULL))
            : "not used",
        report_term("L1"));
    arrow(&f, RIGHT + 50, TOP + STEP + 40, l2, most, bytes(&f, l2));
    box(&f, LEFT, TOP + 2 * STEP, WHOLE, "L2",
        d->l2_bytes ? arena_printf(&f.arena, "%.0f %% hits",
                                   100 * report_number(kernel, "counters", "l2_hit_rate", NULL))
                    : "this GPU has none",
        report_term("L2"));
    arrow(&f, 60, TOP + 2 * STEP + 40, read, most,
          arena_printf(&f.arena, "%s read", bytes(&f, read)));
    arrow(&f, RIGHT + 50, TOP + 2 * STEP + 40, written, most,
          arena_printf(&f.arena, "%s written", bytes(&f, written)));
    box(&f, LEFT, TOP + 3 * STEP - 2, WHOLE, "device memory",
        arena_printf(&f.arena, "%s a second at most", bytes(&f, (double)d->bandwidth)),
        report_term("DRAM"));
    html_drawing_end(t);
    arena_free(&f.arena);
}
