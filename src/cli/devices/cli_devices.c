/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep devices: the list, the limits per compute capability (--limits), and what a program
 * would be told about one device (--device-query).
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/devices/model_cli.h"

static const struct option_row rows[] = {
    {"--device-query", 'q', NULL, NULL, "what a program would be told about the chosen device"},
    {"--limits", 'l', NULL, NULL, "the limits of every compute capability"},
    DEVICE_OPTIONS,
};

static bool
is_generic(const struct device_profile *d)
{
    return ls_starts_with(d->key, "cc");
}

/* -- JSON -------------------------------------------------------------------------------------- */

static void
put(json_t *j, const char *name, uint64_t value)
{
    json_object_set_new(j, name, json_integer((json_int_t)value));
}

static json_t *
triple(const uint32_t v[3])
{
    return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static json_t *
profile_json(const struct device_profile *d)
{
    json_t *j = device_json(d);
    json_object_set_new(j, "key", json_string(d->key));
    json_object_set_new(j, "chip", json_string(d->chip));
    json_object_set_new(j, "source", json_string(d->source));
    put(j, "sms", d->sm_count);
    put(j, "clock_khz", d->clock_khz);
    put(j, "memory_clock_khz", d->memory_clock_khz);
    put(j, "memory_bus_bits", d->memory_bus_bits);
    put(j, "bandwidth", d->bandwidth);
    put(j, "memory_bytes", d->memory_bytes);
    put(j, "l1_bytes", d->l1_bytes);
    put(j, "l2_bytes", d->l2_bytes);
    put(j, "fp32_per_clock_sm", d->fp32_per_clock_sm);
    put(j, "fp64_per_clock_sm", d->fp64_per_clock_sm);
    json_object_set_new(j, "max_grid", triple(d->max_grid));
    json_object_set_new(j, "max_block", triple(d->max_block));
    put(j, "max_threads_per_block", d->max_threads_per_block);
    put(j, "warp_size", d->warp_size);
    put(j, "max_blocks_per_sm", d->max_blocks_per_sm);
    put(j, "max_warps_per_sm", d->max_warps_per_sm);
    put(j, "max_threads_per_sm", d->max_threads_per_sm);
    put(j, "registers_per_sm", d->registers_per_sm);
    put(j, "registers_per_block", d->registers_per_block);
    put(j, "max_registers_per_thread", d->max_registers_per_thread);
    put(j, "shared_per_sm", d->shared_per_sm);
    put(j, "shared_per_block", d->shared_per_block);
    put(j, "shared_per_block_optin", d->shared_per_block_optin);
    put(j, "shared_banks", d->shared_banks);
    put(j, "local_bytes_per_thread", d->local_bytes_per_thread);
    put(j, "constant_bytes", d->constant_bytes);
    put(j, "constant_cache_bytes", d->constant_cache_bytes);
    put(j, "memory_partitions", d->memory_partitions);
    return j;
}

static json_t *
all_json(const struct device_profile *only)
{
    json_t *list = json_array();
    const struct device_profile *d;
    for (size_t i = 0; (d = model_device_at(i)); i++)
        if (!only || only == d)
            json_array_append_new(list, profile_json(d));
    return list;
}

/* -- lists ------------------------------------------------------------------------------------- */

/* Without the words that many names begin with. */
static const char *
short_name(const struct device_profile *d)
{
    static const char *const words[] = {"NVIDIA ", "GeForce "};
    const char *name = d->name;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (ls_starts_with(name, words[k]))
            name += strlen(words[k]);
    return name;
}

static void
print_list(void)
{
    const struct device_profile *d, *chosen = model_default_device();
    printf("  %-16s %-25s %-6s %4s %3s %4s %6s %5s\n", "key", "name", "chip", "cc", "SMs", "MHz",
           "GB/s", "GiB");
    for (size_t i = 0; (d = model_device_at(i)); i++)
        if (!is_generic(d))
            printf("%c %-16s %-25s %-6s %2u.%u %3u %4u %6.0f %5.1f\n", d == chosen ? '*' : ' ',
                   d->key, short_name(d), d->chip, d->cc_major, d->cc_minor, d->sm_count,
                   d->clock_khz / 1000, (double)d->bandwidth / 1e9,
                   (double)d->memory_bytes / (1 << 30));
    printf("\n* chosen when nothing is said. --gpu takes \"RTX 4090\", rtx-4090, 4090.\n"
           "--cc takes (9.0, 90 and sm_90 are the same)");
    for (size_t i = 0; (d = model_device_at(i)) && is_generic(d); i++)
        printf("%s%u.%u", i % 14 ? " " : "\n   ", d->cc_major, d->cc_minor);
    printf("\nWhere the figures come from, and which are assumed: --json, \"source\".\n");
}

static void
print_limits(void)
{
    const struct device_profile *d;
    printf("%4s %6s %5s %3s %6s %5s %7s %4s %6s %5s %6s %5s %5s\n", "cc", "blocks", "warps", "z",
           "thrds/", "thrds", "grid x", "regs", "regs/", "smem", "smem/", "banks", "local");
    printf("%4s %6s %5s %3s %6s %5s %7s %4s %6s %5s %6s %5s %5s\n", "", "/SM", "/SM", "", "block",
           "/SM", "", "/SM", "thread", "KB/SM", "block", "", "KB");
    for (size_t i = 0; (d = model_device_at(i)) && is_generic(d); i++)
        printf("%2u.%u %6u %5u %3u %6u %5u %7s %3uK %6u %5u %6u %5u %5u\n", d->cc_major,
               d->cc_minor, d->max_blocks_per_sm, d->max_warps_per_sm, d->max_block[2],
               d->max_threads_per_block, d->max_threads_per_sm,
               d->max_grid[0] == INT32_MAX ? "2^31-1" : "65535", d->registers_per_sm >> 10,
               d->max_registers_per_thread, d->shared_per_sm >> 10, d->shared_per_block_optin >> 10,
               d->shared_banks, d->local_bytes_per_thread >> 10);
    printf("\nA block's x and y may be as large as its threads are many. A grid's y and z\n"
           "reach to 65535; it is two-dimensional on 1.x. Constant memory is 64 KB on all.\n");
}

/* -- device query ------------------------------------------------------------------------------ */

static void
line_text(const char *label, const char *value)
{
    printf("  %-47s%s\n", label, value);
}

static void
line_yes(const char *label, bool yes)
{
    line_text(label, yes ? "Yes" : "No");
}

static void __attribute__((format(printf, 2, 3))) line(const char *label, const char *format, ...)
{
    char value[160];
    va_list list;
    va_start(list, format);
    vsnprintf(value, sizeof value, format, list);
    va_end(list);
    line_text(label, value);
}

static void
print_query(const struct device_profile *d)
{
    printf("Device 0: \"%s\"\n", d->name);
    line("CUDA Capability Major/Minor version number:", "%u.%u", d->cc_major, d->cc_minor);
    line("Total amount of global memory:", "%.0f MBytes (%llu bytes)",
         (double)d->memory_bytes / (1 << 20), (unsigned long long)d->memory_bytes);
    line("Multiprocessors, CUDA Cores/MP:", "%u, %u: %u CUDA Cores", d->sm_count,
         d->fp32_per_clock_sm, d->sm_count * d->fp32_per_clock_sm);
    line("GPU Max Clock rate:", "%u MHz (%.2f GHz)", d->clock_khz / 1000, d->clock_khz / 1e6);
    line("Memory Clock rate:", "%u Mhz", d->memory_clock_khz / 1000);
    line("Memory Bus Width:", "%u-bit", d->memory_bus_bits);
    if (d->l2_bytes)
        line("L2 Cache Size:", "%u bytes", d->l2_bytes);
    line("Maximum Texture Dimension Size (x,y,z)", "1D=(%u), 2D=(%u, %u), 3D=(%u, %u, %u)",
         d->max_texture_1d, d->max_texture_2d[0], d->max_texture_2d[1], d->max_texture_3d[0],
         d->max_texture_3d[1], d->max_texture_3d[2]);
    line("Total amount of constant memory:", "%u bytes", d->constant_bytes);
    line("Total amount of shared memory per block:", "%u bytes", d->shared_per_block);
    line("Total shared memory per multiprocessor:", "%u bytes", d->shared_per_sm);
    line("Total number of registers available per block:", "%u", d->registers_per_block);
    line("Warp size:", "%u", d->warp_size);
    line("Maximum number of threads per multiprocessor:", "%u", d->max_threads_per_sm);
    line("Maximum number of threads per block:", "%u", d->max_threads_per_block);
    line("Max dimension size of a thread block (x,y,z):", "(%u, %u, %u)", d->max_block[0],
         d->max_block[1], d->max_block[2]);
    line("Max dimension size of a grid size    (x,y,z):", "(%u, %u, %u)", d->max_grid[0],
         d->max_grid[1], d->max_grid[2]);
    line("Maximum memory pitch:", "2147483647 bytes");
    line("Texture alignment:", "%u bytes", d->texture_alignment);
    line("Concurrent copy and kernel execution:", "%s with %u copy engine(s)",
         d->async_engines ? "Yes" : "No", d->async_engines);
    line_yes("Integrated GPU sharing Host Memory:", d->integrated);
    line_text("Device has ECC support:", d->ecc ? "Enabled" : "Disabled");
    line_yes("Device supports Unified Addressing (UVA):", d->unified_addressing);
    line_yes("Device supports Managed Memory:", d->managed_memory);
    line_yes("Supports Cooperative Kernel Launch:", d->cooperative_launch);
    line_yes("Concurrent kernels:", d->concurrent_kernels);
}

int
cli_devices(int argc, char **argv)
{
    struct command_line c = {.command = "devices",
                             .usage = "[--limits] [--device-query [--gpu NAME | --cc X.Y]]",
                             .rows = rows,
                             .count = sizeof rows / sizeof *rows};
    int status = command_parse(&c, argc, argv);
    if (status < 0) {
        const struct device_profile *d = command_device(&c);
        bool one = command_value(&c, "--device-query");
        status = CLI_OK;
        if (!d)
            status = CLI_USAGE;
        else if (command_value(&c, "--json"))
            status = command_json(&c, all_json(one ? d : NULL));
        else if (one)
            print_query(d);
        else if (command_value(&c, "--limits"))
            print_limits();
        else
            print_list();
    }
    command_fini(&c);
    return status;
}
