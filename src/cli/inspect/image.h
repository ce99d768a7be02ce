/* SPDX-License-Identifier: Apache-2.0
 *
 * image: the debug sections of PTX text as an ELF image in memory, which libdw reads.
 *
 * PTX holds DWARF as lists of numbers in .section blocks. What is an address in them becomes a
 * number that means something here: a label of code is the place of the instruction behind it
 * (jit.h), a variable is IMAGE_SYMBOL | its index in names << 32.
 */
#ifndef LOCKSTEP_CLI_IMAGE_H
#define LOCKSTEP_CLI_IMAGE_H

#include "base/base.h"
#include "ptx/ptx.h"

#define IMAGE_SYMBOL 0xf000000000000000ull

struct debug_image {
    char *at; /* NULL: the text has no variables and types in it */
    size_t size;
    VEC(const char *) names; /* of variables */
};

/* Describes the module m, which was parsed from the text, for the debugger. Places are instruction
 * numbers of `in`: m itself, or the module that m was linked into. Names live in the arena. */
void image_make(struct arena *a, const struct ptx_module *m, const struct ptx_module *in,
                const char *text, size_t size, struct debug_image *out);
void image_free(struct debug_image *image);
/* The variable of an address, and what is added to it; NULL: none. */
const char *image_symbol(const struct debug_image *image, uint64_t address, uint64_t *offset);

#endif
