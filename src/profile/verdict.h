/* SPDX-License-Identifier: Apache-2.0
 *
 * verdict.h: asking the model what one access costs (sectors.c), for verdict.c.
 */
#ifndef LOCKSTEP_PROFILE_VERDICT_H
#define LOCKSTEP_PROFILE_VERDICT_H

#include "profile/profile_priv.h"

enum { SECTOR = 32, LINE = 128 };

/* A warp's access with addresses as the model wants them. reference: the line that line[] of its
 * verdict counts from. */
struct request {
    uint32_t lanes;
    uint64_t address[JIT_LANES];
    uint64_t reference;
};

/* Sectors of an access by rising number, each once. */
struct sectors {
    uint32_t count;
    uint64_t at[JIT_LANES * 8];
};

/* Does a site have so many patterns that hardly any is met again? */
static inline bool
is_scattered(const struct site *s)
{
    return s->lanes_misses > 2 * LANES_ENTRIES + 4 * s->lanes_hits;
}

/* The sectors of lanes that lie within a megabyte and in no two sectors each, in order; false:
 * others. *lines: lines of 128 bytes. */
bool verdict_order(struct sector_set *set, const struct access *a, struct sectors *out,
                   uint32_t *lines);
/* The lines of an access, as the caches want them, in its verdict. */
void verdict_keep_lines(struct sheet *sheet, const struct site *s, const struct sectors *sectors,
                        uint64_t reference, struct verdict *v);
void verdict_add_cost(struct verdict *v, const struct access_cost *c);
/* The access is kept as the site's example, where it costs more than the one that is. */
void verdict_keep_sample(struct site *s, const struct request *r, const struct verdict *v);
/* Asks the model. Widths that are none of its are several accesses, the widest first. */
void verdict_evaluate(struct sheet *sheet, struct site *s, const struct request *r,
                      struct verdict *v);

#endif
