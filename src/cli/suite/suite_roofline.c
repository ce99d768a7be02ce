/* SPDX-License-Identifier: Apache-2.0
 *
 * suite_roofline: where each timed rung stands under the device's roof: bytes a second of device
 * memory for those that report gigabytes_per_second, else flops against the lower of peak and what
 * memory feeds at the flops a byte that the rung reports (least traffic: each input once, each
 * output once).
 */
#include "cli/suite/suite.h"

#include "model/model.h"

#include <stdio.h>
#include <string.h>

struct roofline_point {
    double flops_per_byte; /* 0: not reported */
    double speed, roof;    /* of 1e9 a second */
    bool memory;           /* the roof is the memory's */
};

static double
figure_of(const json_t *row, const char *name)
{
    const json_t *figures = json_object_get(json_object_get(row, "report"), "figures");
    return json_number_value(json_object_get(figures, name));
}

static bool
place_of(const struct device_profile *d, const json_t *row, struct roofline_point *out)
{
    double bytes = figure_of(row, "gigabytes_per_second"), flops = figure_of(row, "gflops");
    double bandwidth = 1e-9 * (double)d->bandwidth, peak = 1e-9 * model_peak_flops(d, false);
    double intensity = figure_of(row, "flops_per_byte");
    *out = (struct roofline_point){
        .flops_per_byte = intensity, .speed = bytes, .roof = bandwidth, .memory = true};
    if (bytes > 0)
        return true;
    out->speed = flops;
    out->memory = intensity > 0 && intensity * bandwidth < peak;
    out->roof = out->memory ? intensity * bandwidth : peak;
    return flops > 0;
}

static void
print_place(const json_t *row, const struct roofline_point *p)
{
    static const char bar[] = "########################################";
    double share = p->speed / p->roof;
    int wide = share >= 1 ? 40 : (int)(40 * share + 0.5);
    char intensity[24] = "-";
    if (p->flops_per_byte > 0)
        snprintf(intensity, sizeof intensity, "%.1f", p->flops_per_byte);
    printf("%-24s %-28s %8s %-7s %9.0f of %6.0f %4.0f %%  %.*s\n",
           json_string_value(json_object_get(row, "rung")),
           json_string_value(json_object_get(row, "entry")), intensity,
           p->memory ? "memory" : "fp32", p->speed, p->roof, 100 * share, wide, bar);
}

void
suite_roofline(const struct suite_call *c, const struct device_profile *chosen, json_t *rows)
{
    size_t i;
    json_t *row;
    bool first = true;
    json_array_foreach (rows, i, row) {
        const char *name =
            json_string_value(json_object_get(json_object_get(row, "report"), "device"));
        const struct device_profile *d = name ? model_find_device(name) : NULL;
        struct roofline_point p;
        d = d ? d : chosen;
        if (!place_of(d, row, &p))
            continue;
        json_object_set_new(row, "roofline",
                            json_pack("{s:s, s:f, s:f, s:f}", "roof", p.memory ? "memory" : "fp32",
                                      "attainable", 1e9 * p.roof, "share", p.speed / p.roof,
                                      "flops_per_byte", p.flops_per_byte));
        if (c->json)
            continue;
        if (first)
            printf("\nroofline of %s: %.1f TFLOP/s fp32, %.0f GB/s; ridge %.1f flops a byte\n%-24s "
                   "%-28s %8s %-7s %s\n",
                   d->name, 1e-12 * model_peak_flops(d, false), 1e-9 * (double)d->bandwidth,
                   model_ridge(d, false), "rung", "size", "flops/B", "roof",
                   "GB/s or GFLOP/s of the roof");
        first = false;
        print_place(row, &p);
    }
}
