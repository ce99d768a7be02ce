/* SPDX-License-Identifier: Apache-2.0
 *
 * Text that fits the terminal: lines that are too long are broken between words. Files and pipes get them whole.
 */
#ifndef LOCKSTEP_CLI_COLUMNS_H
#define LOCKSTEP_CLI_COLUMNS_H

#include "base/base.h"

#include <stdio.h>

/* The width of the terminal behind `out`; 0: it is none, or too narrow to break lines for. */
uint32_t columns_of(FILE *out);

/* How many columns UTF-8 text takes; what sets colours takes none. */
uint32_t columns_count(const char *s, size_t n);

/* Prints the text, each line broken where it is wider than the terminal. What is broken off stands under the line's
 * second column (options and what they mean), else four blanks further in; behind "=========", behind that again.
 * joined: lines that begin with no blank are put together first, as far as paragraphs go. */
void columns_print(FILE *out, const char *text, bool joined);
/* The same for a width (0: without end), into *out. */
void columns_fold(struct text *out, const char *text, uint32_t columns, bool joined);

#endif
