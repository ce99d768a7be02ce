/* SPDX-License-Identifier: Apache-2.0
 *
 * dwarf_priv.h: what dwarf.c and dwarf_types.c share: libdw's functions and the reader.
 */
#ifndef LOCKSTEP_CLI_DWARF_PRIV_H
#define LOCKSTEP_CLI_DWARF_PRIV_H

#include "cli/inspect/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

/* clang-format off */
#define LIBDW(X) \
    X(dwarf_begin_elf) X(dwarf_end) X(dwarf_nextcu) X(dwarf_offdie) X(dwarf_child) \
    X(dwarf_siblingof) X(dwarf_tag) X(dwarf_diename) X(dwarf_attr) X(dwarf_attr_integrate) \
    X(dwarf_formref_die) X(dwarf_formudata) X(dwarf_formsdata) X(dwarf_formflag) X(dwarf_lowpc) \
    X(dwarf_ranges) X(dwarf_getlocation) X(dwarf_dieoffset) X(elf_version) X(elf_memory) X(elf_end)
/* clang-format on */

struct libdw {
#define X(name) __typeof__(name) *name;
    LIBDW(X)
#undef X
};
extern struct libdw dw;

struct known_type {
    Dwarf_Off at;
    struct type *type;
};

struct dwarf_reader {
    struct symbols *s;
    struct debug_image image;
    Dwarf *dwarf;
    VEC(struct known_type) known; /* sorted by nothing: types are few */
};

const char *dwarf_string(struct dwarf_reader *r, Dwarf_Die *die);
bool dwarf_number(Dwarf_Die *die, unsigned attribute, uint64_t *out);
/* The type that a type's entry describes; that of a variable, member, ... (NULL: void). */
struct type *dwarf_type(struct dwarf_reader *r, Dwarf_Die *die);
struct type *dwarf_type_of(struct dwarf_reader *r, Dwarf_Die *die);

#endif
