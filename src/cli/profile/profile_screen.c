/* SPDX-License-Identifier: Apache-2.0
 *
 * profile_screen.c: what `lockstep profile` shows of a kernel first, in at most SCREEN lines of 80
 * columns: its time, the share of each peak, what binds it, what to do. The figures are those of
 * the page's first part (report_summarise).
 */
#include "cli/text/console.h"
#include "cli/profile/profile_view.h"

#include <math.h>
#include <string.h>

enum { SCREEN = 15, LABEL = 14, USUAL = 80, ADVISED = 3, INDENT = 4 };

struct screen {
    uint32_t width, left; /* columns; lines that are left */
    bool colours;
    struct arena arena;
};

static void
label(struct screen *s, const char *word)
{
    console_print(stdout, s->colours, CONSOLE_DIM, "  %-*s", LABEL - 2, word);
}

static void
paragraph(struct screen *s, const char *word, uint32_t most, const char *text)
{
    label(s, word);
    s->left -= console_paragraph(stdout, s->width, LABEL, LABEL, most, text);
}

/* A long name is cut in its middle. */
static void
head(struct screen *s, const struct device_profile *d, const struct report_summary *k)
{
    char *rest =
        arena_printf(&s->arena, "  %s  (%s, %u.%u)", k->shape, d->name, d->cc_major, d->cc_minor);
    size_t name = strlen(k->name),
           room = s->width > strlen(rest) + 24 ? s->width - strlen(rest) : 24;
    if (name > room)
        console_print(stdout, s->colours, CONSOLE_BOLD, "%.*s...%s", (int)(room / 2 - 1), k->name,
                      k->name + name - (room - room / 2 - 2));
    else
        console_print(stdout, s->colours, CONSOLE_BOLD, "%s", k->name);
    s->left -=
        console_paragraph(stdout, s->width, (uint32_t)(name < room ? name : room), LABEL, 2, rest);
}

static void
times(struct screen *s, const struct report_summary *k)
{
    char *text = arena_printf(&s->arena, "%s a launch; %s", report_seconds(&s->arena, k->seconds),
                              k->certainty);
    paragraph(s, "time", 2, text);
    if (k->sampled)
        paragraph(s, "sampled", 2, k->sampled);
}

static void
peaks(struct screen *s, const struct report_summary *k)
{
    uint32_t used = LABEL;
    label(s, "of peak");
    for (size_t n = 0; n < k->peak_count; n++) {
        const struct report_share *p = &k->peaks[n];
        char *text = arena_printf(&s->arena, "%s%s %.0f%%", n ? "  " : "", p->name, 100 * p->share);
        if (used + strlen(text) > s->width) {
            printf("\n%*s", LABEL, "");
            text += strspn(text, " ");
            used = LABEL;
            s->left--;
        }
        console_print(stdout, s->colours,
                      p->share >= 0.8   ? CONSOLE_RED
                      : p->share >= 0.5 ? CONSOLE_YELLOW
                                        : CONSOLE_PLAIN,
                      "%s", text);
        used += (uint32_t)strlen(text);
    }
    printf("\n");
    s->left--;
}

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static char *
advice_text(struct screen *s, const struct report_advice *x)
{
    return x->file ? arena_printf(&s->arena, "%s:%d: %s", base_name(x->file), x->line, x->text)
                   : arena_strdup(&s->arena, x->text);
}

/* "saves 62 %: file.cu:12: text"; false: no gain is known. */
static void
advice(struct screen *s, const struct report_advice *x, uint32_t most)
{
    char *gain = report_gain(&s->arena, x), *text = advice_text(s, x);
    console_print(stdout, s->colours, CONSOLE_YELLOW, "  ! ");
    console_print(stdout, s->colours, CONSOLE_GREEN, "%s", gain);
    fputs(*gain ? ": " : "", stdout);
    uint32_t used = INDENT + (uint32_t)strlen(gain) + (*gain ? 2 : 0);
    s->left -= console_paragraph(stdout, s->width, used, INDENT, most, text);
}

/* How many of the first pieces of advice there is room for as a whole; one is shown all the same.
 */
static size_t
that_fit(struct screen *s, const struct report_summary *k)
{
    uint32_t lines = 0;
    size_t n = 0, most = k->worthwhile < ADVISED ? k->worthwhile : ADVISED;
    for (; n < most; n++) {
        const struct report_advice *x = &k->advice.list.at[n];
        uint32_t gain = (uint32_t)strlen(report_gain(&s->arena, x));
        lines += console_lines(s->width, INDENT + gain + (gain ? 2 : 0), INDENT, advice_text(s, x));
        if (n && lines > s->left)
            break;
    }
    return n;
}

void
view_screen(const struct device_profile *d, const struct report_summary *k)
{
    struct screen s = {
        .width = console_width(stdout), .left = SCREEN, .colours = console_colours(stdout)};
    if (!s.width)
        s.width = USUAL;
    head(&s, d, k);
    times(&s, k);
    peaks(&s, k);
    paragraph(&s, "verdict", 4, k->verdict);
    paragraph(&s, "occupancy", 1, k->residency);
    size_t shown = that_fit(&s, k);
    for (size_t n = 0; n < shown; n++)
        advice(&s, &k->advice.list.at[n], s.left);
    if (!k->advice.list.count)
        paragraph(&s, "advice", 1, "nothing stands out");
    else if (!shown)
        paragraph(&s, "advice", 1, "nothing that would save 2 % of the time");
    arena_free(&s.arena);
}

void
view_all_advice(const struct report_summary *k)
{
    struct screen s = {
        .width = console_width(stdout), .left = UINT32_MAX, .colours = console_colours(stdout)};
    for (size_t n = 0; n < k->advice.list.count; n++)
        advice(&s, &k->advice.list.at[n], 0);
    arena_free(&s.arena);
}
