/* SPDX-License-Identifier: Apache-2.0
 *
 * html_access: what an access pattern costs, as a page and as a drawing: those of a profile's
 * report, without a kernel.
 */
#include "report/charts.h"

#include <stdio.h>

enum { MOST_WARPS = 32 };

static bool
has_banks(const struct access *a)
{
    return a->space == ACCESS_SHARED;
}

static bool
has_sectors(const struct access *a)
{
    return a->space == ACCESS_GLOBAL || a->space == ACCESS_LOCAL;
}

static void
draw(struct text *t, const struct device_profile *d, const struct access *a)
{
    if (has_banks(a))
        chart_banks(t, d, a, 0, 0);
    else if (has_sectors(a))
        chart_sectors(t, d, a);
}

bool
report_access_svg(const struct device_profile *d, const struct access *a, struct text *out)
{
    struct text figure = {0};
    draw(&figure, d, a);
    if (figure.count)
        html_svg_file(out, figure.at);
    text_free(&figure);
    return out->count > 0;
}

static void
say_cost(struct text *t, const struct device_profile *d, const struct access *a,
         const struct access_cost *cost)
{
    if (has_banks(a))
        html_paragraph(t, "%u wavefront%s where %u suffice%s: %u bank conflict%s, %u-way.",
                       cost->wavefronts, cost->wavefronts == 1 ? "" : "s", cost->wavefronts_ideal,
                       cost->wavefronts_ideal == 1 ? "s" : "", cost->bank_conflicts,
                       cost->bank_conflicts == 1 ? "" : "s", cost->degree);
    else if (!has_sectors(a))
        html_paragraph(t, "%u distinct addresses, served one after the other.", cost->wavefronts);
    else if (!model_has_transactions(d))
        html_paragraph(t, "%u sectors of 32 bytes where %u suffice.", cost->sectors,
                       cost->sectors_ideal);
}

static void
list_lanes(struct text *t, const struct device_profile *d, const struct access *a)
{
    bool banks = has_banks(a);
    html_part(t, "Lane by lane");
    html_table(t, "Addresses are bytes", "lane", "address", banks ? "bank" : "sector", NULL);
    for (uint32_t l = 0; l < 32; l++) {
        if (!(a->mask >> l & 1))
            continue;
        text_add(t, "<tr>");
        html_cell(t, "n", "%u", l);
        html_cell(t, "n", "%llu", (unsigned long long)a->address[l]);
        html_cell(t, "n", "%llu",
                  banks ? (unsigned long long)model_shared_bank(d, a->bank8, a->address[l])
                        : (unsigned long long)a->address[l] / 32);
        text_add(t, "</tr>\n");
    }
    html_table_end(t);
    html_part_end(t);
}

/* The same with padding behind rows, where that helps. */
static void
draw_remedy(struct text *t, const struct device_profile *d, const struct access *a,
            const struct access_cost *cost)
{
    uint64_t row = 0;
    uint32_t pad =
        has_banks(a) && cost->bank_conflicts && !a->bank8 ? report_padding(d, a, &row) : 0;
    if (pad)
        chart_banks(t, d, a, row, pad);
}

void
report_access_html(const struct report_pattern *p, struct text *out)
{
    html_begin(out, p->title);
    html_paragraph(out, "%s, compute capability %u.%u", p->device->name, p->device->cc_major,
                   p->device->cc_minor);
    for (size_t k = 0; p->notes[k]; k++)
        html_paragraph(out, "What removes the conflict: %s", p->notes[k]);
    for (size_t w = 0; w < p->warps && w < MOST_WARPS && !html_is_full(out); w++) {
        const struct access *a = &p->warp[w];
        struct access_cost cost;
        char name[32], id[32];
        snprintf(name, sizeof name, "Warp %zu", w);
        snprintf(id, sizeof id, "warp%zu", w);
        model_access(p->device, a, &cost);
        html_section(out, id, name, w == 0);
        say_cost(out, p->device, a, &cost);
        text_add(out, "<div class=\"side\">");
        draw(out, p->device, a);
        draw_remedy(out, p->device, a, &cost);
        text_add(out, "</div>");
        list_lanes(out, p->device, a);
        html_section_end(out);
    }
    if (p->warps > MOST_WARPS)
        html_paragraph(out, "... and %zu warps more", p->warps - MOST_WARPS);
    html_end(out);
}
