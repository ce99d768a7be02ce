/* SPDX-License-Identifier: Apache-2.0
 *
 * html: the writer that all reports share: one self-contained page without scripts and without
 * anything fetched from elsewhere, light and dark, readable on a phone and by keyboard. Text given
 * to these functions is escaped by them, except where "markup" is said.
 *
 *     html_begin(&t, "profile of transpose.cu");
 *     html_section(&t, "k1", "naive", true);
 *     ...
 *     html_section_end(&t);
 *     html_end(&t);
 */
#ifndef LOCKSTEP_REPORT_HTML_H
#define LOCKSTEP_REPORT_HTML_H

#include "base/base.h"

/* The page up to its main part, with a heading. */
void html_begin(struct text *t, const char *title);
void html_end(struct text *t);
void html_escape(struct text *t, const char *s);
/* Printed, then escaped. */
void html_print(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A part that can be folded away. id: for links; NULL: none. */
void html_section(struct text *t, const char *id, const char *title, bool open);
void html_section_end(struct text *t);
/* A part of a section, wide content scrolls within it. */
void html_part(struct text *t, const char *title);
void html_part_end(struct text *t);
/* A part beside others, without a scroll bar of its own. */
void html_card(struct text *t, const char *title);
void html_card_end(struct text *t);
/* A word that shows its meaning where the reader points at it; NULL: it has none. */
void html_term(struct text *t, const char *word, const char *meaning);
/* <p> */
void html_paragraph(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A table's head from column titles, ended by NULL; a row's cells are the caller's. */
void html_table(struct text *t, const char *caption, ...) __attribute__((sentinel));
void html_table_end(struct text *t);
/* A cell; class "n": a number. NULL: none. */
void html_cell(struct text *t, const char *class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Pages stay below 2 MiB: true once there is no room for more large parts. */
bool html_is_full(const struct text *t);
/* What links to "PREFIXfirst" up to before "PREFIXlast" find when those parts are left out. */
void html_targets(struct text *t, const char *prefix, size_t first, size_t last);

/* The style sheet of all pages. */
extern const char html_style[];

/* Begins an SVG drawing, width times height in its own units; description: for screen readers. */
void html_drawing(struct text *t, int width, int height, const char *description);
void html_drawing_end(struct text *t);
/* The first drawing in `figures` as an SVG file. */
void html_svg_file(struct text *t, const char *figures);
/* Classes of shapes: "a" accent, "b" second, "bad", "good", "dim", "frame", "grid", "gap"
 * (html_style.c). */
void html_box(struct text *t, double x, double y, double width, double height, const char *class,
              const char *tip);
void html_line(struct text *t, double x1, double y1, double x2, double y2, const char *class);
void html_dot(struct text *t, double x, double y, double radius, const char *class,
              const char *tip);
/* anchor: 's' start, 'm' middle, 'e' end */
void html_label(struct text *t, double x, double y, char anchor, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
