/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep occupancy: how many blocks fit on an SM, every limit, which one it is, and the curve
 * over block sizes.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/devices/model_cli.h"

static const struct option_row rows[] = {
    {"--threads", 't', NULL, "N", "threads per block (256)"},
    {"--regs", 'r', NULL, "N", "registers per thread (32)"},
    {"--smem", 's', NULL, "BYTES", "shared memory per block, static and dynamic (0)"},
    {"--carveout", 0, NULL, "BYTES", "shared memory per SM asked for (the most there is)"},
    DEVICE_OPTIONS,
};

static json_t *
limits_json(const struct occupancy *o)
{
    return json_pack("{s:i,s:i,s:i,s:i}", "blocks", (int)o->limit_blocks, "warps",
                     (int)o->limit_warps, "registers", (int)o->limit_registers, "shared",
                     (int)o->limit_shared);
}

static json_t *
curve_json(const struct device_profile *d, struct occupancy_query q)
{
    json_t *curve = json_array();
    struct occupancy o;
    for (q.threads_per_block = 32; q.threads_per_block <= d->max_threads_per_block;
         q.threads_per_block += 32) {
        model_occupancy(d, &q, &o);
        json_array_append_new(curve,
                              json_pack("{s:i,s:i,s:f,s:s}", "threads", (int)q.threads_per_block,
                                        "blocks_per_sm", (int)o.blocks_per_sm, "occupancy",
                                        o.occupancy, "limited_by", o.limited_by));
    }
    return curve;
}

static int
print_json(const struct command_line *c, const struct device_profile *d,
           const struct occupancy_query *q, const struct occupancy *o)
{
    json_t *j =
        json_pack("{s:i,s:o,s:i,s:i,s:f,s:s,s:o,s:{s:i,s:i,s:i,s:i},s:i,s:o}", "version", 1,
                  "device", device_json(d), "blocks_per_sm", (int)o->blocks_per_sm, "warps_per_sm",
                  (int)o->warps_per_sm, "occupancy", o->occupancy, "limited_by", o->limited_by,
                  "limits", limits_json(o), "allocated", "warps_per_block", (int)o->warps_per_block,
                  "registers_per_block", (int)o->registers_per_block, "shared_per_block",
                  (int)o->shared_per_block, "shared_per_sm", (int)o->shared_per_sm, "l1_bytes",
                  (int)model_l1_bytes(d, o->shared_per_sm), "curve", curve_json(d, *q));
    return command_json(c, j);
}

static void
print_limit(const char *name, uint32_t blocks, const char *detail, bool is_least)
{
    printf("  %-10s %4u   %s%s\n", name, blocks, detail, is_least ? "   <- limits" : "");
}

static void
print_curve(const struct device_profile *d, struct occupancy_query q)
{
    enum { WIDTH = 40 }; /* the line is 80 columns then */
    uint32_t chosen = q.threads_per_block;
    struct occupancy o;
    printf("\nBlock sizes, same registers and shared memory:\n  threads blocks warps\n");
    for (q.threads_per_block = 32; q.threads_per_block <= d->max_threads_per_block;
         q.threads_per_block += 32) {
        model_occupancy(d, &q, &o);
        int length = (int)(o.occupancy * WIDTH + 0.5);
        printf("%c %7u %6u %5u  %.*s%*s %3.0f %%  %s\n",
               (chosen + 31) / 32 * 32 == q.threads_per_block ? '>' : ' ', q.threads_per_block,
               o.blocks_per_sm, o.warps_per_sm, length, "########################################",
               WIDTH - length, "", o.occupancy * 100, o.limited_by);
    }
}

static void
print_text(const struct device_profile *d, const struct occupancy_query *q,
           const struct occupancy *o)
{
    char detail[128];
    printf("%s (%u.%u): %u threads per block, %u registers per thread, %u bytes of shared memory\n",
           d->name, d->cc_major, d->cc_minor, q->threads_per_block, q->registers_per_thread,
           q->static_shared);
    if (!o->blocks_per_sm) {
        printf("  impossible: one block needs more %s than an SM gives (%s)\n", o->limited_by,
               o->limited_by[0] == 't' ? "threads per block" : "per block");
        return;
    }
    printf("  %u blocks, %u of %u warps per SM: %.1f %%\n\nBlocks per SM that each resource "
           "allows:\n",
           o->blocks_per_sm, o->warps_per_sm, d->max_warps_per_sm, o->occupancy * 100);
    snprintf(detail, sizeof detail, "%u warps a block of %u", o->warps_per_block,
             d->max_warps_per_sm);
    print_limit("warps", o->limit_warps, detail, o->limited_by[0] == 'w');
    print_limit("blocks", o->limit_blocks, "the most that an SM holds", o->limited_by[0] == 'b');
    snprintf(detail, sizeof detail, "%u registers a block of %u, in units of %u per %s",
             o->registers_per_block, d->registers_per_sm, d->register_unit,
             d->registers_per_warp ? "warp" : "block");
    print_limit("registers", o->limit_registers, detail, o->limited_by[0] == 'r');
    snprintf(detail, sizeof detail, "%u bytes a block of %u, in units of %u, %u reserved",
             o->shared_per_block, o->shared_per_sm, d->shared_unit, d->shared_reserved);
    print_limit("shared", o->limit_shared, detail, o->limited_by[0] == 's');
    if (d->unified_bytes)
        printf("\nShared memory takes %u KiB of the SM's %u; L1 is left %u KiB.\n",
               o->shared_per_sm >> 10, d->unified_bytes >> 10,
               model_l1_bytes(d, o->shared_per_sm) >> 10);
}

int
cli_occupancy(int argc, char **argv)
{
    struct command_line c = {.command = "occupancy",
                             .usage = "[--cc X.Y | --gpu NAME] [--threads N] [--regs N] "
                                      "[--smem BYTES]",
                             .rows = rows,
                             .count = sizeof rows / sizeof *rows};
    int status = command_parse(&c, argc, argv);
    const struct device_profile *d = status < 0 ? command_device(&c) : NULL;
    uint64_t threads, regs, smem, carveout;
    if (status < 0)
        status = CLI_USAGE;
    else
        d = NULL;
    if (d && command_number(&c, "--threads", 1, UINT32_MAX, 256, &threads) &&
        command_number(&c, "--regs", 0, 1u << 20, 32, &regs) &&
        command_number(&c, "--smem", 0, 1u << 30, 0, &smem) &&
        command_number(&c, "--carveout", 0, 1u << 30, 0, &carveout)) {
        struct occupancy_query q = {.threads_per_block = (uint32_t)threads,
                                    .registers_per_thread = (uint32_t)regs,
                                    .static_shared = (uint32_t)smem,
                                    .shared_carveout = (uint32_t)carveout};
        struct occupancy o;
        model_occupancy(d, &q, &o);
        status = CLI_OK;
        if (command_value(&c, "--json")) {
            status = print_json(&c, d, &q, &o);
        } else {
            print_text(d, &q, &o);
            print_curve(d, q);
        }
    }
    command_fini(&c);
    return status;
}
