/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of the estimate (model_mechanisms.def, model_expansions.def, model_latencies.def,
 * model_memory.def), and the mechanisms that are one formula.
 */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* -- mechanisms -------------------------------------------------------------------------------- */

static const struct mechanism_row mechanisms[MODEL_MECHANISMS] = {
#define MECHANISM(id, name, text) {name, text},
#include "model/model_mechanisms.def"
#undef MECHANISM
};

const struct mechanism_row *
model_mechanism(enum model_mechanism m)
{
    return m < MODEL_MECHANISMS ? &mechanisms[m] : NULL;
}

bool
model_without(const char *text, uint64_t *without, struct ls_error *err)
{
    *without = 0;
    while (text && *text) {
        size_t length = strcspn(text, ","), m = 0;
        while (m < MODEL_MECHANISMS &&
               (text[0] != '-' || strlen(mechanisms[m].name) != length - 1 ||
                memcmp(mechanisms[m].name, text + 1, length - 1)))
            m++;
        if (m == MODEL_MECHANISMS)
            return ls_fail(err, LS_ERR_USAGE,
                           "no mechanism of the model: \"%.*s\" (they are left out by -name: see "
                           "docs/model.md)",
                           (int)length, text);
        *without |= UINT64_C(1) << m;
        text += length + (text[length] == ',');
    }
    return true;
}

/* -- expansions -------------------------------------------------------------------------------- */

static const struct expansion expansions[] = {
#define EXPANDS(name, instructions, whole, f64, special, clocks)                                   \
    {name, instructions, whole, f64, special, clocks},
#include "model/model_expansions.def"
#undef EXPANDS
};
enum { EXPANSIONS = sizeof expansions / sizeof *expansions };

static int
by_name(const void *name, const void *row)
{
    return strcmp(name, ((const struct expansion *)row)->name);
}

const struct expansion *
model_expansion(const char *name)
{
    return bsearch(name, expansions, EXPANSIONS, sizeof *expansions, by_name);
}

const struct expansion *
model_expansion_at(size_t index)
{
    return index < EXPANSIONS ? &expansions[index] : NULL;
}

/* -- memory ------------------------------------------------------------------------------------ */

struct since {
    uint32_t major, minor;
};

static bool
holds(const struct device_profile *d, struct since s)
{
    return d->cc_major > s.major || (d->cc_major == s.major && d->cc_minor >= s.minor);
}

const struct latencies *
model_latencies(const struct device_profile *d, uint64_t without)
{
    static const struct {
        struct since since;
        bool measured;
        struct latencies clocks;
    } rows[] = {
#define ROW(major, minor, measured, arithmetic, shared, l1, l2, memory, spread, far)               \
    {{major, minor}, measured, {arithmetic, shared, l1, l2, memory, spread, far}},
#define LATENCY(major, minor, arithmetic, shared, l1, l2, memory, source)                          \
    ROW(major, minor, false, arithmetic, shared, l1, l2, memory, 0, 0)
#define MEASURED(major, minor, arithmetic, shared, l1, l2, memory, spread, far, source)            \
    ROW(major, minor, true, arithmetic, shared, l1, l2, memory, spread, far)
#include "model/model_latencies.def"
#undef MEASURED
#undef LATENCY
#undef ROW
    };
    size_t k = sizeof rows / sizeof *rows - 1;
    while (k > 0 &&
           (!holds(d, rows[k].since) || (rows[k].measured && !model_has(without, MODEL_LATENCY))))
        k--;
    return &rows[k].clocks;
}

const struct memory_rates *
model_memory_rates(const struct device_profile *d)
{
    static const struct {
        struct since since;
        struct memory_rates rates;
    } rows[] = {
#define MEMORY(major, minor, share, load, store, slices, pass, next_float, next_swap, source)      \
    {{major, minor}, {share, load, store, slices, pass, next_float, next_swap}},
#include "model/model_memory.def"
#undef MEMORY
    };
    size_t k = sizeof rows / sizeof *rows - 1;
    while (k > 0 && !holds(d, rows[k].since))
        k--;
    return &rows[k].rates;
}

double
model_kept(const struct device_profile *d, uint64_t bytes)
{
    const double all = 0.72, nothing = 0.9;
    double used = d->l2_bytes ? (double)bytes / (double)d->l2_bytes : 1;
    return used <= all ? 1 : used >= nothing ? 0 : (nothing - used) / (nothing - all);
}

/* An H200 (tools/record/model/waiting.cu): 30, 30, 32, 42, 55 and 88 clocks for 1, 2, 4, 8, 16 and
 * 32 warps; others as that: assumed. */
double
model_barrier_clocks(uint32_t warps)
{
    return warps <= 4 ? 30 : 23 + 2.03 * warps;
}
