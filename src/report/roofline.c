/* SPDX-License-Identifier: Apache-2.0
 *
 * roofline.c: the roof of a device and the kernels below it, by floating-point operations, or by
 * instructions of warps where there are none (copies, transposes, integer work). Both axes are
 * logarithmic; labels that would cover each other are moved apart.
 */
#include "report/charts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 560,
    HEIGHT = 300,
    LEFT = 60,
    RIGHT = WIDTH - 20,
    BOTTOM = 260,
    TOP = 20,
    MOST_POINTS = 64
};

enum kind { BY_F32, BY_F64, BY_INSTRUCTIONS };

struct point {
    const json_t *kernel;
    double intensity, rate, x, y; /* x, y: of its label */
};

struct roof {
    const struct device_profile *d;
    enum kind kind;
    double peak, ridge;
    double x0, x1, y0, y1; /* powers of ten */
    struct point points[MOST_POINTS];
    size_t count;
};

static double
at_x(const struct roof *r, double intensity)
{
    double at = (log10(intensity) - r->x0) / (r->x1 - r->x0);
    return LEFT + (at < 0 ? 0 : at > 1 ? 1 : at) * (RIGHT - LEFT);
}

static double
at_y(const struct roof *r, double rate)
{
    double at = (log10(rate) - r->y0) / (r->y1 - r->y0);
    return BOTTOM - (at < 0 ? 0 : at > 1 ? 1 : at) * (BOTTOM - TOP);
}

static enum kind
kind_of(const json_t *kernel)
{
    const json_t *r = json_object_get(kernel, "roofline");
    if (report_number(r, "flops", NULL) <= 0)
        return BY_INSTRUCTIONS;
    return strcmp(report_text(r, "precision"), "f64") == 0 ? BY_F64 : BY_F32;
}

/* Work of one launch, in what the axis counts. */
static double
work_of(const struct roof *r, const json_t *kernel)
{
    if (r->kind != BY_INSTRUCTIONS)
        return report_number(kernel, "roofline", "flops", NULL);
    double launches = report_number(kernel, "launches", NULL);
    return report_number(kernel, "counters", "instructions", NULL) / (launches > 0 ? launches : 1);
}

static void
add_points(struct roof *r, const json_t *kernels)
{
    size_t k;
    json_t *kernel;
    json_array_foreach (kernels, k, kernel) {
        double seconds = report_number(kernel, "roofline", "seconds", NULL);
        double bytes = report_number(kernel, "roofline", "bytes", NULL), work = work_of(r, kernel);
        if (kind_of(kernel) != r->kind || seconds <= 0 || bytes <= 0 || work <= 0 ||
            r->count == MOST_POINTS)
            continue;
        r->points[r->count++] =
            (struct point){.kernel = kernel, .intensity = work / bytes, .rate = work / seconds};
    }
}

static void
peak_of(struct roof *r)
{
    struct work one = {.warp_instructions = 1000000};
    struct time_bound bound;
    model_time_bound(r->d, &one, &bound);
    r->peak = r->kind == BY_INSTRUCTIONS ? (double)one.warp_instructions / bound.each[BOUND_ISSUE]
                                         : model_peak_flops(r->d, r->kind == BY_F64);
    r->ridge = r->peak / (double)r->d->bandwidth;
}

/* Half decades around the ridge and every point, at least three decades each way. */
static void
span(struct roof *r)
{
    double least = r->ridge / 3, most = r->ridge * 3, low = r->peak / 1e2;
    for (size_t k = 0; k < r->count; k++) {
        least = fmin(least, r->points[k].intensity / 1.5);
        most = fmax(most, r->points[k].intensity * 1.5);
        low = fmin(low, r->points[k].rate / 1.5);
    }
    r->x0 = floor(2 * log10(least)) / 2;
    r->x1 = fmax(ceil(2 * log10(most)) / 2, r->x0 + 3);
    r->y1 = ceil(2 * log10(r->peak * 1.2)) / 2;
    r->y0 = fmin(fmax(floor(2 * log10(low)) / 2, r->y1 - 9), r->y1 - 3);
}

static void
axes(struct text *t, const struct roof *r)
{
    struct arena a = {0};
    for (double x = ceil(r->x0); x <= r->x1; x++) {
        html_line(t, at_x(r, pow(10, x)), TOP, at_x(r, pow(10, x)), BOTTOM, "dim");
        char anchor = x > r->x0 ? 'm' : 's'; /* in the corner: beside the label of the other axis */
        html_label(t, at_x(r, pow(10, x)), BOTTOM + 14, anchor, "%g", pow(10, x));
    }
    for (double y = ceil(r->y0); y <= r->y1; y++) {
        html_line(t, LEFT, at_y(r, pow(10, y)), RIGHT, at_y(r, pow(10, y)), "dim");
        html_label(t, LEFT - 6, at_y(r, pow(10, y)) + 4, 'e', "%s/s", report_count(&a, pow(10, y)));
    }
    html_label(t, (LEFT + RIGHT) / 2.0, BOTTOM + 32, 'm', "%s per byte of device memory",
               r->kind == BY_INSTRUCTIONS ? "instructions of warps" : "operations");
    arena_free(&a);
}

static void
lines(struct text *t, const struct roof *r)
{
    double start = pow(10, r->x0), low = pow(10, r->y0), bandwidth = (double)r->d->bandwidth;
    if (start * bandwidth < low) /* where the slope comes in at the bottom */
        start = low / bandwidth;
    html_line(t, at_x(r, start), at_y(r, start * bandwidth), at_x(r, r->ridge), at_y(r, r->peak),
              "a");
    html_line(t, at_x(r, r->ridge), at_y(r, r->peak), RIGHT, at_y(r, r->peak), "a");
}

static int
higher(const void *x, const void *y)
{
    double a = ((const struct point *)x)->rate, b = ((const struct point *)y)->rate;
    return a < b ? 1 : a > b ? -1 : 0;
}

static const char *
label_of(struct arena *a, const json_t *kernel)
{
    const char *label = report_text(kernel, "label");
    return *label ? label : ls_readable_name(a, report_text(kernel, "name"));
}

/* The first x right of a point at which its label, 7 units a letter, covers no other point. */
static double
free_of_points(const struct roof *r, const struct point *p, size_t letters)
{
    double x = at_x(r, p->intensity) + 12;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t k = 0; k < r->count; k++) {
            double px = at_x(r, r->points[k].intensity), py = at_y(r, r->points[k].rate);
            if (py < p->y - 14 || py > p->y + 5 || px < x - 5 || px > x + 7.0 * (double)letters)
                continue;
            x = px + 12;
            moved = true;
        }
    }
    return x;
}

/* Labels downward in the order of their points, none above its point and none over another. */
static void
place_labels(struct roof *r)
{
    enum { LABEL = 13 };
    double next = TOP;
    qsort(r->points, r->count, sizeof *r->points, higher);
    for (size_t k = 0; k < r->count; k++) {
        double y = at_y(r, r->points[k].rate) + 4;
        r->points[k].y = y < next ? next : y;
        next = r->points[k].y + LABEL;
    }
    next = BOTTOM - 2;
    for (size_t k = r->count; k-- > 0 && r->points[k].y > next; next -= LABEL)
        r->points[k].y = next;
    for (size_t k = 0; k < r->count; k++) {
        struct arena a = {0};
        r->points[k].x =
            free_of_points(r, &r->points[k], strlen(label_of(&a, r->points[k].kernel)));
        arena_free(&a);
    }
}

static void
point(struct text *t, const struct roof *r, const struct point *p, const json_t *marked)
{
    struct arena a = {0};
    bool here = p->kernel == marked;
    double x = at_x(r, p->intensity), y = at_y(r, p->rate);
    bool left = x > (LEFT + 2 * RIGHT) / 3.0; /* no room for the label on the right */
    double from = left ? x - 12 : marked ? x + 12 : p->x;
    const char *name = label_of(&a, p->kernel);
    html_dot(t, x, y, here ? 6 : 4, here ? "bad" : "b",
             arena_printf(&a, "%s: %.3g %s per byte, at most %s a second", name, p->intensity,
                          r->kind == BY_INSTRUCTIONS ? "instructions" : "operations",
                          report_count(&a, p->rate)));
    if (here || !marked) {
        double label = marked ? y + 4 : p->y;
        html_line(t, x, y, left ? from + 2 : from - 2, label - 4, "dim");
        html_label(t, from, label, left ? 'e' : 's', "%s", name);
    }
    arena_free(&a);
}

bool
chart_roofline(struct text *t, const struct device_profile *d, const json_t *kernels,
               const json_t *marked)
{
    static const char *const counted[] = {"Single precision", "Double precision",
                                          "No floating-point operations: instructions of warps"};
    struct roof r = {.d = d, .kind = kind_of(marked ? marked : json_array_get(kernels, 0))};
    struct arena a = {0};
    bool found = !marked;
    add_points(&r, kernels);
    for (size_t k = 0; k < r.count; k++)
        found = found || r.points[k].kernel == marked;
    if (!r.count || !found)
        return false;
    peak_of(&r);
    span(&r);
    place_labels(&r);
    html_drawing(t, WIDTH, HEIGHT,
                 r.kind == BY_INSTRUCTIONS
                     ? "Roofline: reachable instructions a second by instructions per byte"
                     : "Roofline: reachable operations a second by operations per byte");
    axes(t, &r);
    lines(t, &r);
    for (size_t k = 0; k < r.count; k++)
        point(t, &r, &r.points[k], marked);
    text_add(t, "</svg><figcaption>");
    html_print(t,
               "%s: peak %s a second, ridge at %.3g per byte. A point is what the busiest resource "
               "allows%s.",
               counted[r.kind], report_count(&a, r.peak), r.ridge,
               marked && r.count > 1 ? "; other kernels are small points" : "");
    text_add(t, "</figcaption></figure>\n");
    arena_free(&a);
    return true;
}
