/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside `lockstep access`: one pattern for a block of threads, what would remove its conflicts,
 * and the CSV of many patterns.
 */
#ifndef LOCKSTEP_CLI_ACCESS_PATTERN_H
#define LOCKSTEP_CLI_ACCESS_PATTERN_H

#include "cli/devices/model_cli.h"

enum { PATTERN_THREADS = 1024, REMEDIES = 4 };

struct access_pattern {
    const struct device_profile *device;
    enum access_space space;
    enum access_op op;
    uint32_t width, block[3], threads, warps;
    uint64_t base, pad; /* pad: 0 none */
    bool bank8, bypass_l1, use_l1;
    int64_t index[PATTERN_THREADS]; /* in elements of `width` bytes, padding not yet applied */
};

/* Exactly one of the three texts is given. */
bool pattern_fill(struct access_pattern *p, const char *stride, const char *expression,
                  const char *list, struct ls_error *err);
/* The addresses of warp `warp` of the pattern, with padding applied. */
void pattern_warp(const struct access_pattern *p, uint32_t warp, struct access *out);
/* The worst degree of conflict over all warps, and the first warp that has it (global: the one
 * with most sectors or transactions). */
uint32_t pattern_degree(const struct access_pattern *p);
uint32_t pattern_worst_warp(const struct access_pattern *p);

struct remedy {
    char text[96];
    uint32_t degree;
    int64_t extra_bytes;
};
/* Changes of the layout that take away conflicts, tried out on every warp; returns how many. */
size_t pattern_remedies(const struct access_pattern *p, struct remedy out[REMEDIES]);

/* Which lanes a part's banks serve. */
struct bank_picture {
    uint32_t rows, count[32];
    uint8_t lane[32][32];
    bool several[32][32];
    uint64_t word[32][32];
};
void bank_picture_of(const struct access_pattern *p, const struct access *a, uint32_t lanes,
                     struct bank_picture *out);

bool access_space_by_name(const char *name, enum access_space *out);
bool access_op_by_name(const char *name, enum access_op *out);
void access_cost_json(json_t *j, const struct device_profile *d, const struct access *a,
                      const struct access_cost *cost);
/* access --csv: returns the exit status. */
int access_csv(const struct command_line *c, const struct device_profile *d, const char *path);

#endif
