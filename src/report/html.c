/* SPDX-License-Identifier: Apache-2.0
 *
 * html.c: see html.h.
 */
#include "report/html.h"

#include <stdio.h>
#include <string.h>

void
html_escape(struct text *t, const char *s)
{
    for (; *s; s++) {
        switch (*s) {
        case '<': text_add(t, "&lt;"); break;
        case '>': text_add(t, "&gt;"); break;
        case '&': text_add(t, "&amp;"); break;
        case '"': text_add(t, "&quot;"); break;
        default:
            if ((unsigned char)*s >= 0x20 || *s == '\t' || *s == '\n')
                text_add_bytes(t, s, 1);
            else
                text_add(t, "?");
        }
    }
}

static void
html_print_list(struct text *t, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *s = ls_alloc((size_t)(length > 0 ? length : 0) + 1);
    vsnprintf(s, (size_t)(length > 0 ? length : 0) + 1, format, list);
    html_escape(t, s);
    ls_release(s);
}

void
html_print(struct text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    html_print_list(t, format, list);
    va_end(list);
}

void
html_begin(struct text *t, const char *title)
{
    text_add(t,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n<title>");
    html_escape(t, title);
    text_add(t,
             "</title>\n<style>\n%s</style>\n</head>\n<body>\n"
             "<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n<header><h1>",
             html_style);
    html_escape(t, title);
    text_add(t, "</h1></header>\n<main id=\"main\">\n");
}

void
html_end(struct text *t)
{
    text_add(t, "</main>\n<footer><p>Made by lockstep.</p></footer>\n</body>\n</html>\n");
}

void
html_section(struct text *t, const char *id, const char *title, bool open)
{
    text_add(t, "<details");
    if (id)
        text_add(t, " id=\"%s\"", id);
    text_add(t, "%s><summary>", open ? " open=\"open\"" : "");
    html_escape(t, title);
    text_add(t, "</summary>\n");
}

void
html_section_end(struct text *t)
{
    text_add(t, "</details>\n");
}

void
html_part(struct text *t, const char *title)
{
    text_add(t, "<h3>");
    html_escape(t, title);
    text_add(t, "</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
    html_escape(t, title);
    text_add(t, "\">\n");
}

void
html_part_end(struct text *t)
{
    text_add(t, "</div>\n");
}

void
html_card(struct text *t, const char *title)
{
    text_add(t, "<div><h3>");
    html_escape(t, title);
    text_add(t, "</h3>\n");
}

void
html_card_end(struct text *t)
{
    text_add(t, "</div>\n");
}

void
html_term(struct text *t, const char *word, const char *meaning)
{
    text_add(t, meaning ? "<abbr title=\"" : "<span");
    if (meaning)
        html_escape(t, meaning);
    text_add(t, meaning ? "\">" : ">");
    html_escape(t, word);
    text_add(t, meaning ? "</abbr>" : "</span>");
}

void
html_paragraph(struct text *t, const char *format, ...)
{
    va_list list;
    text_add(t, "<p>");
    va_start(list, format);
    html_print_list(t, format, list);
    va_end(list);
    text_add(t, "</p>\n");
}

void
html_table(struct text *t, const char *caption, ...)
{
    va_list titles;
    const char *title;
    text_add(t, "<table><caption>");
    html_escape(t, caption);
    text_add(t, "</caption><thead><tr>");
    va_start(titles, caption);
    while ((title = va_arg(titles, const char *))) {
        text_add(t, "<th scope=\"col\">");
        html_escape(t, title);
        text_add(t, "</th>");
    }
    va_end(titles);
    text_add(t, "</tr></thead>\n<tbody>\n");
}

void
html_table_end(struct text *t)
{
    text_add(t, "</tbody></table>\n");
}

void
html_cell(struct text *t, const char *class, const char *format, ...)
{
    va_list list;
    text_add(t, "<td%s%s%s>", class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
    va_start(list, format);
    html_print_list(t, format, list);
    va_end(list);
    text_add(t, "</td>");
}

bool
html_is_full(const struct text *t)
{
    return t->count > 3 << 19; /* 1.5 MiB: the largest part takes less than the rest */
}

void
html_targets(struct text *t, const char *prefix, size_t first, size_t last)
{
    text_add(t, "<p>");
    for (size_t k = first; k < last; k++)
        text_add(t, "<span id=\"%s%zu\"></span>", prefix, k);
    text_add(t, "</p>\n");
}

/* -- drawings ---------------------------------------------------------------------------------- */

void
html_drawing(struct text *t, int width, int height, const char *description)
{
    enum { PHONE = 400 }; /* narrower ones are shrunk to a phone's screen, wider ones scroll */
    text_add(t,
             "<figure><svg%s viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
             "aria-label=\"",
             width <= PHONE ? " class=\"small\"" : "", width, height, width, height);
    html_escape(t, description);
    text_add(t, "\">\n");
}

void
html_drawing_end(struct text *t)
{
    text_add(t, "</svg></figure>\n");
}

/* Without variables, which browsers know and programs for slides do not. */
static const char svg_style[] =
    "<style>text{font:12px "
    "sans-serif;fill:#1b1f24}.a{fill:#0b62c4}.b{fill:#7a4fb5}.c{fill:#f7b955}.bad{fill:#c4281b}"
    ".good{fill:#1a7f37}.dim{fill:#d0d7de}.frame{fill:none;stroke:#5b6570}.grid{fill:none;stroke:#"
    "d0d7de}</style>\n";

void
html_svg_file(struct text *t, const char *figures)
{
    const char *begin = strstr(figures, "<svg"), *end = begin ? strstr(begin, "</svg>") : NULL;
    const char *body = end ? strchr(begin, '>') : NULL;
    if (!body)
        return;
    text_add(
        t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"");
    text_add_bytes(t, begin + 4, (size_t)(body + 1 - begin - 4));
    text_add(t, "\n%s<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\" />", svg_style);
    text_add_bytes(t, body + 1, (size_t)(end - body - 1));
    text_add(t, "</svg>\n");
}

static void
tip_end(struct text *t, const char *tag, const char *tip)
{
    if (!tip) {
        text_add(t, " />\n");
        return;
    }
    text_add(t, "><title>");
    html_escape(t, tip);
    text_add(t, "</title></%s>\n", tag);
}

void
html_box(struct text *t, double x, double y, double width, double height, const char *class,
         const char *tip)
{
    text_add(t, "<rect x=\"%.4g\" y=\"%.4g\" width=\"%.4g\" height=\"%.4g\" class=\"%s\"", x, y,
             width, height, class);
    tip_end(t, "rect", tip);
}

void
html_line(struct text *t, double x1, double y1, double x2, double y2, const char *class)
{
    text_add(t, "<line x1=\"%.4g\" y1=\"%.4g\" x2=\"%.4g\" y2=\"%.4g\" class=\"%s\" />\n", x1, y1,
             x2, y2, class);
}

void
html_dot(struct text *t, double x, double y, double radius, const char *class, const char *tip)
{
    text_add(t, "<circle cx=\"%.4g\" cy=\"%.4g\" r=\"%.4g\" class=\"%s\"", x, y, radius, class);
    tip_end(t, "circle", tip);
}

void
html_label(struct text *t, double x, double y, char anchor, const char *format, ...)
{
    va_list list;
    text_add(t, "<text x=\"%.4g\" y=\"%.4g\" text-anchor=\"%s\">", x, y,
             anchor == 's'   ? "start"
             : anchor == 'm' ? "middle"
                             : "end");
    va_start(list, format);
    html_print_list(t, format, list);
    va_end(list);
    text_add(t, "</text>\n");
}
