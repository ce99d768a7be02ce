/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: object code becomes code in memory. engine/link.c does it itself; what it does not
 * know goes to LLVM's linker (engine/orc.c).
 */
#ifndef LOCKSTEP_JIT_LINK_H
#define LOCKSTEP_JIT_LINK_H

#include "jit/jit.h"

/* A function that is asked for. */
struct jit_wanted {
    char name[96];
    void *at; /* filled in */
};

/* Code in memory: jit_unlink. */
struct jit_code {
    void *at;
    size_t size;
    const struct jit_debugger *debugger; /* that knows of it; NULL: none */
    void *known;                         /* what its tell() returned */
};

/* False: the object is damaged, or has something that this linker does not know; nothing is kept.
 * debugger: it is told to, as code of the kernel of that name; NULL: nobody is. */
bool jit_link(const void *object, size_t size, struct jit_wanted *wanted, size_t count,
              const struct jit_debugger *debugger, const char *name, struct jit_code *out);
void jit_unlink(struct jit_code *code);

/* The address of a function that generated code calls by its name, or NULL. */
void *jit_symbol(const char *name);
/* The ones of our own: fills *name and *address for i = 0, 1, ...; false past the end. What else is
 * called is the system's: memcpy, fmodf, ... */
bool jit_own_symbol(size_t i, const char **name, void **address);

#endif
