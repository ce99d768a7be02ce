/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of devices and finding a row of it. The rows are in model_devices.def, the limits of
 * each compute capability in model_generations.h. Generic rows ("cc9.0") come first, by rising
 * capability, named products behind them in the same order.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/model.h"
#include "model/model_generations.h"

#define NONE .ecc = false
#define ECC .ecc = true
#define INTEGRATED .integrated = true
#define PARTITIONS(n) .memory_partitions = (n)

/* clang-format off */
#define ROW(row_key, row_name, row_chip, major, minor, sms, clock, memory_clock, bus, gbs, mib, l2_kib, \
            fp64, flags, row_source)                                                               \
    { .key = row_key, .name = row_name, .chip = row_chip, .source = row_source,                    \
      .cc_major = major, .cc_minor = minor, .sm_count = sms, .clock_khz = (clock) * 1000u,         \
      .memory_clock_khz = (memory_clock) * 1000u, .memory_bus_bits = bus,                          \
      .bandwidth = (uint64_t)((gbs) * 1e3 + 0.5) * 1000000u, .memory_bytes = (uint64_t)(mib) << 20, \
      .l2_bytes = KB(l2_kib), .fp64_per_clock_sm = fp64, flags, CC_##major##_##minor },
#define GENERIC(key, name, chip, major, minor, sms, clock, memory_clock, bus, gbs, mib, l2, fp64, \
                flags, source)                                                                     \
    ROW("cc" #major "." #minor, "Compute capability " #major "." #minor, chip, major, minor, sms, \
        clock, memory_clock, bus, gbs, mib, l2, fp64, flags, source)

static const struct device_profile profiles[] = {
#define CHOSEN(...) GENERIC(__VA_ARGS__)
#define DEVICE(...)
#include "model/model_devices.def"
#undef CHOSEN
#undef DEVICE
#define CHOSEN(...) ROW(__VA_ARGS__)
#define DEVICE(...) ROW(__VA_ARGS__)
#include "model/model_devices.def"
#undef CHOSEN
#undef DEVICE
};
/* clang-format on */

enum { PROFILE_COUNT = sizeof profiles / sizeof *profiles };

/* Other words that people use for a row. */
static const struct {
    const char *word, *key;
} aliases[] = {
    {"8800gtx", "g80"},       {"8800gt", "g92"},   {"gtx280", "gt200"},
    {"gk110", "k40"},         {"gk210", "k80"},    {"gt215", "gt240"},
    {"k20m", "k20"},          {"k40m", "k40"},     {"2080ti", "rtx2080ti"},
    {"3090", "rtx3090"},      {"4090", "rtx4090"}, {"5090", "rtx5090"},
    {"h100-sxm", "h100"},     {"h100sxm", "h100"}, {"a100-40", "a100"},
    {"tesla c2050", "c2050"},
};

const struct device_profile *
model_device_at(size_t index)
{
    return index < PROFILE_COUNT ? &profiles[index] : NULL;
}

static const struct device_profile *
find_key(const char *key)
{
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        if (!strcasecmp(profiles[i].key, key))
            return &profiles[i];
    return NULL;
}

const struct device_profile *
model_find_cc(const char *cc)
{
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        if (!strcmp(profiles[i].key + 2, cc) && ls_starts_with(profiles[i].key, "cc"))
            return &profiles[i];
    return NULL;
}

/* "sm_90", "compute_90a", "90": the last digit is the minor number. */
static const struct device_profile *
find_target(const char *name)
{
    static const char *const prefixes[] = {"sm_", "compute_", "sm", "cc"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if (!strncasecmp(name, prefixes[i], length)) {
            name += length;
            break;
        }
    }
    unsigned number = 0;
    int end = 0;
    if (sscanf(name, "%4u%n", &number, &end) != 1 || number < 10)
        return NULL;
    if (name[end] == 'a' || name[end] == 'f')
        end++;
    if (name[end] != '\0')
        return NULL;
    char cc[16];
    snprintf(cc, sizeof cc, "%u.%u", number / 10, number % 10);
    return model_find_cc(cc);
}

/* "NVIDIA GeForce RTX 4090" is found as "GeForce RTX 4090", "RTX 4090" and "rtx4090" too. */
static bool
name_matches(const char *name, const char *word)
{
    for (const char *at = name; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
        const char *a = at, *b = word;
        while (*a || *b) {
            while (*a == ' ')
                a++;
            while (*b == ' ')
                b++;
            if ((*a | 32) != (*b | 32))
                break;
            if (!*a)
                return true;
            a++;
            b++;
        }
        if (!*a && !*b)
            return true;
    }
    return false;
}

const struct device_profile *
model_find_device(const char *name)
{
    if (!name || !*name)
        return NULL;
    const struct device_profile *found = find_key(name);
    for (size_t i = 0; !found && i < sizeof aliases / sizeof *aliases; i++)
        if (!strcasecmp(aliases[i].word, name))
            found = find_key(aliases[i].key);
    if (!found)
        found = model_find_cc(name);
    if (!found)
        found = find_target(name);
    for (size_t i = 0; !found && i < PROFILE_COUNT; i++)
        if (name_matches(profiles[i].name, name))
            found = &profiles[i];
    return found;
}

const struct device_profile *
model_default_device(void)
{
    return find_key("h200");
}
