/* SPDX-License-Identifier: Apache-2.0
 *
 * html.c: see html.h. Colours are variables of the style sheet, so that drawings follow the reader's
 * choice of light or dark.
 */
#include "report/html.h"

#include <stdio.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#5b6570;--edge:#d0d7de;--soft:#f3f5f7;"
    "--a:#0b62c4;--b:#7a4fb5;--bad:#c4281b;--good:#1a7f37;--heat:#f7b955}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e4e8ec;--dim:#9aa5b0;--edge:#39424c;"
    "--soft:#1e2329;--a:#6cb0ff;--b:#c3a0f5;--bad:#ff7b6b;--good:#5bd37a;--heat:#8a5a10}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.45 system-ui,sans-serif;"
    "overflow-wrap:anywhere}\n"
    "main,header,footer{max-width:110rem;margin:0 auto;padding:.5rem 1rem}\n"
    "h1{font-size:1.5rem;margin:.5rem 0}h3{font-size:1.05rem;margin:1.2rem 0 .4rem}\n"
    "a{color:var(--a)}nav ul{padding-left:1.2rem}\n"
    ".skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--bg);padding:.3rem}\n"
    "details{border:1px solid var(--edge);border-radius:.5rem;margin:.8rem 0;padding:0 .9rem .4rem}\n"
    "summary{cursor:pointer;font-size:1.15rem;font-weight:600;padding:.5rem 0}\n"
    ":focus-visible{outline:3px solid var(--a);outline-offset:2px}\n"
    ".wide{overflow-x:auto;max-width:100%}\n"
    "table{border-collapse:collapse;font-size:.88rem;overflow-wrap:normal}\n"
    "caption{text-align:left;color:var(--dim);padding:.2rem 0;overflow-wrap:anywhere}\n"
    "th{white-space:nowrap}th,td{border-bottom:1px solid var(--edge);padding:.15rem .5rem;text-align:left;vertical-align:top}\n"
    "td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    "td.code{font-family:ui-monospace,monospace;white-space:pre;tab-size:4}\n"
    "td.facts{min-width:15rem}td.words{min-width:10rem}\n"
    "abbr{text-decoration:underline dotted var(--dim);cursor:help}\n"
    /* Source: columns that stay where they are, long lines wrap; on a phone what belongs to a line stands below it. */
    "table.source{width:100%;table-layout:fixed}table.source td.code,table.source td.facts{white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "table.source td.facts{white-space:normal}table.source td.code{text-indent:-2ch;padding-left:2.5ch}\n"
    "col.line{width:3.6rem}col.part{width:4.4rem}col.facts{width:18%}col.ptx{width:21%}\n"
    "details.ptx{border:0;margin:0;padding:0}details.ptx>summary{font-size:.82rem;font-weight:400;padding:0;color:var(--dim)}\n"
    "details.ptx>pre{font-size:.72rem;padding:.15rem .3rem;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "@media(max-width:56rem){table.source,table.source tbody,table.source caption{display:block}table.source thead{display:none}\n"
    "table.source tr{display:grid;grid-template-columns:2.4rem auto auto minmax(0,1fr);border-bottom:1px solid var(--edge);padding:.15rem 0}\n"
    "table.source td{border:0;padding:.05rem .3rem;grid-row:2}table.source td:empty:not(.code){display:none}\n"
    "table.source td.line{grid-row:1;grid-column:1}table.source td.code{grid-row:1;grid-column:2/-1;min-width:0}\n"
    "table.source td.work{grid-column:2}table.source td.waits{grid-column:3}\n"
    "table.source td.facts{grid-row:3;grid-column:2/-1;min-width:0}table.source td.ptx{grid-row:4;grid-column:2/-1;min-width:0}\n"
    "table.source td.work::before{content:'work '}table.source td.waits::before{content:'waits '}}\n"
    /* A kernel in one screen: what it is on the left, drawings beside it. */
    ".first{display:grid;grid-template-columns:minmax(0,1.25fr) repeat(2,minmax(0,1fr));gap:.2rem 1.4rem;align-items:start}\n"
    "@media(max-width:72rem){.first{grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr))}}\n"
    ".first h3{margin:.5rem 0 .2rem}.first svg{width:100%}.first figure{margin:.1rem 0}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,32rem),1fr));gap:.2rem 1.4rem}\n"
    ".cards>div{min-width:0}.cards figure{overflow-x:auto}.time{font-size:1.5rem;font-weight:600}.verdict{font-weight:600}\n"
    ".gain{display:inline-block;background:var(--good);color:var(--bg);border-radius:.3rem;padding:0 .35rem;margin-right:.35rem;font-size:.85rem}\n"
    ".note{color:var(--dim);font-size:.88rem}tr.worse td.change{color:var(--bad)}tr.better td.change{color:var(--good)}\n"
    "td.heat{background:linear-gradient(90deg,var(--heat) calc(var(--h)*1%),transparent 0)}\n"
    "ul.advice li{margin:.25rem 0}ul.advice{padding-left:1.2rem}\n"
    "figure{margin:.5rem 0}figcaption{color:var(--dim);font-size:.88rem}\n"
    "svg{max-width:max(100%,29rem);height:auto;background:var(--soft);border-radius:.4rem}\n"
    "svg.small{max-width:100%}\n"
    ".side{display:flex;flex-wrap:wrap;gap:1rem}.side figure{flex:1 1 20rem;min-width:0}\n"
    "svg text{font:12px system-ui,sans-serif;fill:var(--fg)}\n"
    "svg text.light{fill:var(--bg)}.c{fill:var(--heat)}.box{fill:var(--bg);stroke:var(--dim)}path.flow{fill:none;stroke:var(--a)}\n"
    ".a{fill:var(--a)}.b{fill:var(--b)}.bad{fill:var(--bad)}.good{fill:var(--good)}\n"
    ".dim{fill:var(--edge)}.frame{fill:none;stroke:var(--dim)}.grid{fill:none;stroke:var(--edge)}\n"
    "line.a,path.a{stroke:var(--a);stroke-width:2}line.dim{stroke:var(--edge)}line.bad{stroke:var(--bad);stroke-width:2}\n"
    "line.gap{stroke:var(--bad);stroke-width:2;stroke-dasharray:6 5}\n"
    "pre{margin:0;padding:.5rem;background:var(--soft);border-radius:.4rem;overflow-x:auto;tab-size:4;"
    "font:.85rem/1.4 ui-monospace,monospace}\n"
    ".hit{display:inline-block;min-width:100%;background:var(--heat);color:var(--fg)}\n"
    ".yes{color:var(--good);font-weight:600}.no{color:var(--bad);font-weight:600}\n"
    "@media print{details{break-inside:avoid}}\n";

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

void
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
    text_add(t, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n<title>");
    html_escape(t, title);
    text_add(t, "</title>\n<style>\n%s</style>\n</head>\n<body>\n"
                "<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n<header><h1>",
             style);
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

/* -- drawings --------------------------------------------------------------------------------------------- */

void
html_drawing(struct text *t, int width, int height, const char *description)
{
    enum { PHONE = 400 }; /* narrower ones are shrunk to a phone's screen, wider ones scroll */
    text_add(t, "<figure><svg%s viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"",
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
    "<style>text{font:12px sans-serif;fill:#1b1f24}.a{fill:#0b62c4}.b{fill:#7a4fb5}.c{fill:#f7b955}.bad{fill:#c4281b}"
    ".good{fill:#1a7f37}.dim{fill:#d0d7de}.frame{fill:none;stroke:#5b6570}.grid{fill:none;stroke:#d0d7de}</style>\n";

void
html_svg_file(struct text *t, const char *figures)
{
    const char *begin = strstr(figures, "<svg"), *end = begin ? strstr(begin, "</svg>") : NULL;
    const char *body = end ? strchr(begin, '>') : NULL;
    if (!body)
        return;
    text_add(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"");
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
    text_add(t, "<rect x=\"%.4g\" y=\"%.4g\" width=\"%.4g\" height=\"%.4g\" class=\"%s\"", x, y, width,
             height, class);
    tip_end(t, "rect", tip);
}

void
html_line(struct text *t, double x1, double y1, double x2, double y2, const char *class)
{
    text_add(t, "<line x1=\"%.4g\" y1=\"%.4g\" x2=\"%.4g\" y2=\"%.4g\" class=\"%s\" />\n", x1, y1, x2, y2,
             class);
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
             anchor == 's' ? "start" : anchor == 'm' ? "middle" : "end");
    va_start(list, format);
    html_print_list(t, format, list);
    va_end(list);
    text_add(t, "</text>\n");
}
