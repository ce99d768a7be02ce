/* SPDX-License-Identifier: Apache-2.0
 *
 * What text output knows of the terminal: its width, whether it shows colours, and text broken into
 * lines.
 */
#ifndef LOCKSTEP_CLI_CONSOLE_H
#define LOCKSTEP_CLI_CONSOLE_H

#include "base/base.h"

#include <stdio.h>

/* From now on lines of stdout that are wider than the terminal, if it is one, are broken at blanks
 * and indented. */
void console_fold(void);
/* No longer: data is printed as it is. */
void console_plain(void);

/* Columns of the terminal that `out` is; of a pipe or a file what COLUMNS says, else 0. */
uint32_t console_width(FILE *out);
/* On a terminal, unless NO_COLOR is set to anything (no-color.org). */
bool console_colours(FILE *out);

enum console_colour {
    CONSOLE_PLAIN,
    CONSOLE_BOLD,
    CONSOLE_DIM,
    CONSOLE_RED,
    CONSOLE_YELLOW,
    CONSOLE_GREEN
};
/* Text in a colour, where `on`. */
void console_print(FILE *out, bool on, enum console_colour colour, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Prints words behind what has `used` columns of a line, broken at blanks so that no line has more
 * than `width`; further lines are indented. At most `most` lines, the last one then ends with
 * "..."; 0: as many as there are. Ends the line. Returns how many lines there were. */
uint32_t console_paragraph(FILE *out, uint32_t width, uint32_t used, uint32_t indent, uint32_t most,
                           const char *text);
/* How many lines those would be. */
uint32_t console_lines(uint32_t width, uint32_t used, uint32_t indent, const char *text);

#endif
