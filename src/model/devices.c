/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of devices and finding a row of it. The rows are in model_devices.def, the limits of
 * each compute capability in model_generations.h. Generic rows ("cc9.0") come first, by rising
 * capability, named products behind them in the same order.
 */
#include <ctype.h>
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
    {"8800gtx", "g80"},      {"8800gt", "g92"},   {"gtx280", "gt200"}, {"gk110", "k40"},
    {"gk210", "k80"},        {"gt215", "gt240"},  {"k20m", "k20"},     {"k40m", "k40"},
    {"2080ti", "rtx2080ti"}, {"3090", "rtx3090"}, {"4090", "rtx4090"}, {"5090", "rtx5090"},
    {"h100-sxm", "h100"},    {"h100sxm", "h100"}, {"a100-40", "a100"}, {"tesla c2050", "c2050"},
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

static const struct device_profile *
find_generic(unsigned major, unsigned minor)
{
    char key[32];
    snprintf(key, sizeof key, "cc%u.%u", major, minor);
    return find_key(key);
}

/* The number of "9.0", "9", "90", "90a", "sm_90", "sm90", "compute_90" without what stands before
 * it. */
static const char *
skip_prefix(const char *cc, bool *target)
{
    static const char *const prefixes[] = {"sm", "compute", "cc"};
    *target = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncasecmp(cc, prefixes[i], length) != 0)
            continue;
        *target = i < 2;
        cc += length;
        return cc + strspn(cc, "_- ");
    }
    return cc;
}

const struct device_profile *
model_find_cc(const char *cc)
{
    bool target;
    unsigned number = 0, minor = 0;
    int end = 0;
    cc = skip_prefix(cc, &target);
    if (*cc < '0' || *cc > '9' || sscanf(cc, "%4u%n", &number, &end) != 1)
        return NULL;
    size_t digits = strspn(cc, "0123456789");
    bool dotted = cc[end] == '.' && cc[end + 1] >= '0' && cc[end + 1] <= '9' && digits < 3;
    if (dotted) {
        minor = (unsigned)(cc[end + 1] - '0');
        end += 2;
    }
    if (end && (cc[end] == 'a' || cc[end] == 'f'))
        end++;
    if (cc[end])
        return NULL;
    if (dotted)
        return find_generic(number, minor);
    if (digits == 1) /* "9" */
        return target ? NULL : find_generic(number, 0);
    const struct device_profile *whole = target ? NULL : find_generic(number, 0);
    const struct device_profile *joined = find_generic(number / 10, number % 10);
    return whole && joined ? NULL : whole ? whole : joined; /* "10": 1.0 or 10.0 */
}

/* -- names ------------------------------------------------------------------------------------- */

enum { NAME_ROOM = 96 };

/* Letters and digits alone, in lower case, without words that say nothing ("NVIDIA GeForce RTX 4090
 * Laptop GPU": "rtx4090laptop"). */
static void
plain_name(const char *name, char out[NAME_ROOM])
{
    static const char *const empty[] = {"nvidia", "geforce",  "tesla", "quadro",
                                        "gpu",    "graphics", "card"};
    size_t n = 0;
    while (*name && n < NAME_ROOM - 1) {
        size_t word = 0;
        while (isalnum((unsigned char)name[word]))
            word++;
        bool says = word > 0;
        for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
            says = says && !(strlen(empty[i]) == word && strncasecmp(name, empty[i], word) == 0);
        for (size_t k = 0; says && k < word && n < NAME_ROOM - 1; k++)
            out[n++] = (char)tolower((unsigned char)name[k]);
        name += word ? word : 1;
    }
    out[n] = '\0';
}

/* "mobile", "max-q" and a single m are other words for "laptop". */
static void
usual_words(char name[NAME_ROOM])
{
    static const char *const mobile[] = {"mobile", "notebook", "maxq"};
    for (size_t i = 0; i < sizeof mobile / sizeof *mobile; i++)
        if (ls_ends_with(name, mobile[i])) {
            name[strlen(name) - strlen(mobile[i])] = '\0';
            strncat(name, "laptop", NAME_ROOM - 1 - strlen(name));
        }
}

/* "4070 ti" for "rtx4070ti": a number says enough. */
static bool
is_named(const char *plain, const char *asked)
{
    static const char *const families[] = {"", "rtx", "gtx", "jetson", "gt"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (ls_starts_with(plain, families[i]) && strcmp(plain + strlen(families[i]), asked) == 0)
            return true;
    return false;
}

static const struct device_profile *
find_plain(const char *name)
{
    char asked[NAME_ROOM], plain[NAME_ROOM];
    plain_name(name, asked);
    usual_words(asked);
    for (size_t i = 0; *asked && i < PROFILE_COUNT; i++) {
        plain_name(profiles[i].key, plain);
        if (is_named(plain, asked))
            return &profiles[i];
        plain_name(profiles[i].name, plain);
        if (is_named(plain, asked))
            return &profiles[i];
    }
    return NULL;
}

/* Changes of single letters that make one word of the other. */
static size_t
distance(const char *a, const char *b)
{
    size_t n = strlen(b), row[NAME_ROOM + 1];
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t change = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < other ? change : other;
        }
    }
    return row[n];
}

enum { MOST_NEAR = 4 };

static size_t
near_devices(const char *name, const struct device_profile *out[MOST_NEAR])
{
    char asked[NAME_ROOM], plain[NAME_ROOM];
    size_t count = 0;
    plain_name(name, asked);
    usual_words(asked);
    for (size_t away = 0; *asked && away <= 2; away++)
        for (size_t i = 0; i < PROFILE_COUNT && count < MOST_NEAR; i++) {
            plain_name(profiles[i].key, plain);
            bool part = away == 1 && strlen(asked) >= 3 && strstr(plain, asked) != NULL, new = true;
            for (size_t k = 0; k < count; k++)
                new = new &&out[k] != &profiles[i];
            if (new &&away < strlen(asked) && (part || distance(plain, asked) == away))
                out[count++] = &profiles[i];
        }
    return count;
}

/* The devices that the user may have meant: a number without a point may be two capabilities ("10":
 * 1.0 and 10.0), and an unknown capability has neighbours of its generation. */
static size_t
near_capabilities(const char *cc, const struct device_profile *out[MOST_NEAR])
{
    bool target;
    unsigned number = 0;
    size_t count = 0;
    cc = skip_prefix(cc, &target);
    if (sscanf(cc, "%4u", &number) != 1)
        return 0;
    const struct device_profile *whole = find_generic(number, 0);
    const struct device_profile *joined =
        cc[strspn(cc, "0123456789")] == '.' ? NULL : find_generic(number / 10, number % 10);
    if (joined)
        out[count++] = joined;
    if (whole)
        out[count++] = whole;
    if (!whole && !joined && number >= 10)
        number /= 10;
    for (size_t i = 0;
         i < PROFILE_COUNT && ls_starts_with(profiles[i].key, "cc") && !(whole && joined); i++)
        if (profiles[i].cc_major == number && &profiles[i] != whole && count < MOST_NEAR)
            out[count++] = &profiles[i];
    return count;
}

const char *
model_device_hint(const char *name, bool cc, struct device_hint *out)
{
    const struct device_profile *near[MOST_NEAR];
    size_t count = cc ? near_capabilities(name, near) : near_devices(name, near), used = 0;
    for (size_t k = 0; k < count && used < sizeof out->text; k++)
        used += (size_t)snprintf(out->text + used, sizeof out->text - used, "%s%s",
                                 k == 0           ? "(did you mean "
                                 : k + 1 == count ? " or "
                                                  : ", ",
                                 near[k]->key + (cc ? 2 : 0));
    if (count && used < sizeof out->text)
        snprintf(out->text + used, sizeof out->text - used, "?)");
    if (!count)
        snprintf(out->text, sizeof out->text, "(`lockstep devices` lists them)");
    return out->text;
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
        found = find_plain(name);
    return found ? found : model_find_cc(name);
}

const struct device_profile *
model_default_device(void)
{
    return find_key("h200");
}
