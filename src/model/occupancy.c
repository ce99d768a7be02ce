/* SPDX-License-Identifier: Apache-2.0
 *
 * How many blocks fit on one SM and what stops the next one. The arithmetic is that of NVIDIA's
 * published occupancy calculator, with its allocation units per generation in
 * model_generations.h. docs/model.md, "Occupancy".
 */
#include <string.h>

#include "model/model.h"

static uint32_t
round_up(uint32_t n, uint32_t unit)
{
    return unit ? (uint32_t)(((uint64_t)n + unit - 1) / unit * unit) : n;
}

static uint32_t
largest_carveout(const struct device_profile *d)
{
    return d->shared_per_sm;
}

uint32_t
model_carveout(const struct device_profile *d, uint32_t bytes)
{
    for (uint32_t i = 0; i < MODEL_CARVEOUTS && d->shared_carveouts[i] != UINT32_MAX; i++)
        if (d->shared_carveouts[i] >= bytes)
            return d->shared_carveouts[i];
    return largest_carveout(d);
}

uint32_t
model_l1_bytes(const struct device_profile *d, uint32_t shared_per_sm)
{
    if (!d->unified_bytes)
        return d->l1_bytes;
    uint32_t left = d->unified_bytes > shared_per_sm ? d->unified_bytes - shared_per_sm : 0;
    return left < d->l1_bytes ? left : d->l1_bytes;
}

/* 1.x gives a block its registers in one piece; later each warp has its own, and the warps are
 * spread over the SM's schedulers, each with its share of the register file. */
static uint32_t
register_limit(const struct device_profile *d, const struct occupancy_query *q,
               struct occupancy *out)
{
    uint32_t warps = round_up(out->warps_per_block, d->warp_allocation_granularity);
    uint32_t per_warp = q->registers_per_thread * d->warp_size;
    if (!q->registers_per_thread)
        return d->max_blocks_per_sm;
    if (!d->registers_per_warp) {
        out->registers_per_block = round_up(warps * per_warp, d->register_unit);
        return d->registers_per_sm / out->registers_per_block;
    }
    per_warp = round_up(per_warp, d->register_unit);
    out->registers_per_block = warps * per_warp;
    if (out->registers_per_block > d->registers_per_block)
        return 0;
    uint32_t schedulers = d->warp_allocation_granularity;
    uint32_t warps_per_sm = d->registers_per_sm / schedulers / per_warp * schedulers;
    return warps_per_sm / out->warps_per_block;
}

static uint32_t
shared_limit(const struct device_profile *d, const struct occupancy_query *q, struct occupancy *out)
{
    uint64_t asked = (uint64_t)q->static_shared + q->dynamic_shared;
    out->shared_per_sm =
        q->shared_carveout ? model_carveout(d, q->shared_carveout) : largest_carveout(d);
    if (asked > d->shared_per_block_optin)
        return 0;
    out->shared_per_block = round_up((uint32_t)asked + d->shared_reserved, d->shared_unit);
    if (!out->shared_per_block)
        return d->max_blocks_per_sm;
    if (out->shared_per_block > out->shared_per_sm) /* a wish gives way to the kernel's need */
        out->shared_per_sm = model_carveout(d, out->shared_per_block);
    return out->shared_per_sm / out->shared_per_block;
}

void
model_occupancy(const struct device_profile *d, const struct occupancy_query *q,
                struct occupancy *out)
{
    memset(out, 0, sizeof *out);
    out->limit_blocks = d->max_blocks_per_sm;
    if (!q->threads_per_block || q->threads_per_block > d->max_threads_per_block) {
        out->limited_by = "threads";
        return;
    }
    out->warps_per_block = (q->threads_per_block + d->warp_size - 1) / d->warp_size;
    out->limit_warps = d->max_warps_per_sm / out->warps_per_block;
    out->limit_shared = shared_limit(d, q, out);
    if (q->registers_per_thread > d->max_registers_per_thread) {
        out->limited_by = "registers";
        return;
    }
    out->limit_registers = register_limit(d, q, out);

    const struct {
        uint32_t blocks;
        const char *name;
    } limits[] = {{out->limit_warps, "warps"},
                  {out->limit_blocks, "blocks"},
                  {out->limit_registers, "registers"},
                  {out->limit_shared, "shared"}};
    out->blocks_per_sm = UINT32_MAX;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].blocks < out->blocks_per_sm) {
            out->blocks_per_sm = limits[i].blocks;
            out->limited_by = limits[i].name;
        }
    out->warps_per_sm = out->blocks_per_sm * out->warps_per_block;
    out->occupancy = (double)out->warps_per_sm / d->max_warps_per_sm;
}

/* Groups of SMs whose blocks reach each other's shared memory (GPCs), and those that no group has.
 * Of the H200 as cudaOccupancyMaxActiveClusters answered for clusters of 1 to 32 blocks
 * (tests/data/h200_cluster_launches.csv); which SMs of a chip are switched off differs from card to
 * card. Of others it is taken to be groups of 16. */
static const uint8_t h200_groups[] = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};

uint32_t
model_clusters(const struct device_profile *d, uint32_t blocks_per_sm, uint32_t blocks)
{
    enum { GROUP = 16, MOST_BLOCKS = 8 }; /* of clusters an SM holds 8 blocks */
    uint32_t clusters = 0, each = blocks_per_sm < MOST_BLOCKS ? blocks_per_sm : MOST_BLOCKS;
    if (!blocks || !d->clusters)
        return 0;
    if (blocks == 1)
        return d->sm_count * each;
    if (d->key && !strcmp(d->key, "h200")) {
        for (size_t k = 0; k < sizeof h200_groups; k++)
            clusters += h200_groups[k] >= blocks ? h200_groups[k] * each / blocks : 0;
        return clusters;
    }
    for (uint32_t left = d->sm_count; left; left -= left < GROUP ? left : GROUP) {
        uint32_t group = left < GROUP ? left : GROUP;
        clusters += group >= blocks ? group * each / blocks : 0;
    }
    return clusters;
}
