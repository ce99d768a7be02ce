/* SPDX-License-Identifier: Apache-2.0
 *
 * roots.h: walks back over a kernel's registers, for places.c.
 */
#ifndef LOCKSTEP_CHECK_ROOTS_H
#define LOCKSTEP_CHECK_ROOTS_H

#include "check/check_priv.h"

enum { MOST_STEPS = 400 };

struct walk {
    const struct wir *wir;
    const struct kernel_facts *kernel;
    uint64_t *matters; /* registers whose value is used for more than being copied, */
    uint64_t *surely;  /*   and that not only if something else is so, too */
    /* one address */
    uint32_t *seen, round, steps;
    struct root root[MOST_ROOTS];
    uint32_t roots;
    bool unknown;
    bool constant; /* a variable and numbers: compilers may load from there early */
};

/* Whether this walk may go on to a register: not been there, and steps are left. */
static inline bool
walk_enters(struct walk *w, uint32_t reg)
{
    if (w->seen[reg] == w->round || ++w->steps > MOST_STEPS)
        return false;
    w->seen[reg] = w->round;
    return true;
}

/* Which registers matter: w->matters, w->surely. */
void roots_uses(struct walk *w);
/* Bytes of what a load loads whose value matters. */
uint32_t roots_used_bytes(const struct walk *w, const struct ptx_insn *i, const uint64_t *matters);
/* What the address o was computed from; again: beside what p says already. */
void roots_find(struct walk *w, const struct ptx_operand *o, struct place_facts *p, bool again);
/* A copy of so many bytes by a thread in the background, whose source is set. */
void roots_copy(struct kernel_facts *k, struct place_facts *p, uint32_t bytes);
/* The loads that a store's value may come from. */
void roots_sources(struct walk *w, struct kernel_facts *k, const struct ptx_insn *i,
                   struct place_facts *p);

#endif
