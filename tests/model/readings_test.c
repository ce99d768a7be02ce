/* SPDX-License-Identifier: Apache-2.0
 *
 * The model against a real H200: counters of 688 access patterns, 12,288 texture reads: all rows
 * must be equal. Of 274 more patterns, atomics above all, all but those that docs/model.md names.
 */
#include "common/unit.h"

#include "csv.h"
#include "model/model.h"
#include "model/texture.h"

/* The cost of a row's access; its counters in the order of the file's columns. */
static void
access_cost_of_row(const struct device_profile *d, char **field, uint32_t got[4])
{
    struct access a = {.width = (uint32_t)strtoul(field[3], NULL, 10),
                       .mask = (uint32_t)strtoul(field[4], NULL, 10)};
    a.space = !strcmp(field[1], "shared") ? ACCESS_SHARED : ACCESS_GLOBAL;
    a.op = !strcmp(field[2], "ld")     ? ACCESS_LOAD
           : !strcmp(field[2], "st")   ? ACCESS_STORE
           : !strcmp(field[2], "atom") ? ACCESS_ATOMIC
                                       : ACCESS_REDUCE;
    for (int i = 0; i < 32; i++)
        a.address[i] = strtoull(field[10 + i], NULL, 10);
    struct access_cost cost;
    model_access(d, &a, &cost);
    got[0] = cost.requests;
    got[1] = cost.sectors;
    got[2] = cost.wavefronts;
    got[3] = cost.bank_conflicts;
}

static void
access_row(char **field, int count, void *context)
{
    uint32_t got[4];
    assert_int_equal(count, 42);
    access_cost_of_row(context, field, got);
    for (int i = 0; i < 4; i++)
        if (*field[6 + i] && got[i] != strtoul(field[6 + i], NULL, 10))
            fail_msg("row %s (%s %s %s %s), counter %d: model %u, hardware %s", field[0], field[1],
                     field[2], field[3], field[5], i, got[i], field[6 + i]);
}

static void
access_counters(void **state)
{
    (void)state;
    const struct device_profile *d = model_find_cc("9.0");
    assert_int_equal(csv_each("h200_access_counters.csv", access_row, (void *)(uintptr_t)d), 688);
}

struct atomic_tally {
    const struct device_profile *d;
    int loops;      // 64-bit atomics in shared memory: loops on the GPU, not one access
    int one_sector; // the GPU counts one sector more
};

static void
atomic_row(char **field, int count, void *context)
{
    struct atomic_tally *tally = context;
    bool loop = !strcmp(field[1], "shared") && !strcmp(field[3], "8");
    uint32_t got[4];
    tally->loops += loop;
    if (loop)
        return;
    if (strcmp(field[5], "random1024") || field[2][0] == 'l' || field[2][0] == 's') {
        access_row(field, count, (void *)(uintptr_t)tally->d);
        return;
    }
    access_cost_of_row(tally->d, field, got);
    if (*field[7]) {
        long more = strtol(field[7], NULL, 10) - (long)got[1];
        assert_in_range(more, 0, 1);
        tally->one_sector += (int)more;
    }
}

static void
atomic_counters(void **state)
{
    (void)state;
    struct atomic_tally tally = {.d = model_find_cc("9.0")};
    assert_int_equal(csv_each("h200_access_atomics.csv", atomic_row, &tally), 274);
    assert_int_equal(tally.loops, 48);
    assert_int_equal(tally.one_sector, 4);
}

static struct {
    float f32[35];
    uint8_t u8[35];
} texels;

static void
texel_row(char **field, int count, void *context)
{
    (void)context;
    assert_int_equal(count, 3);
    unsigned long i = strtoul(field[0], NULL, 10);
    uint32_t bits = (uint32_t)strtoul(field[1], NULL, 16);
    assert_true(i < 35);
    memcpy(&texels.f32[i], &bits, 4);
    texels.u8[i] = (uint8_t)strtoul(field[2], NULL, 10);
}

static float
hex_float(const char *s)
{
    uint32_t bits = (uint32_t)strtoul(s, NULL, 16);
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static enum texture_address
address_mode(const char *s)
{
    return !strcmp(s, "wrap")     ? TEXTURE_WRAP
           : !strcmp(s, "mirror") ? TEXTURE_MIRROR
           : !strcmp(s, "border") ? TEXTURE_BORDER
                                  : TEXTURE_CLAMP;
}

static void
texture_row(char **field, int count, void *context)
{
    (void)context;
    assert_int_equal(count, 8);
    bool f32 = !strcmp(field[1], "f32");
    struct texture_view t = {.channels = 1, .element = f32 ? TEXEL_F32 : TEXEL_U8};
    t.dims = field[0][0] == '1' ? 1 : 2;
    t.width = t.dims == 1 ? 35 : 7;
    t.height = 5;
    t.pitch = t.width * texture_element_bytes(t.element);
    t.data = f32 ? (const void *)texels.f32 : (const void *)texels.u8;
    t.normalized_read = !f32;
    t.normalized_coordinates = !strcmp(field[2], "normalized");
    t.linear = !strcmp(field[3], "linear");
    t.address[0] = t.address[1] = t.address[2] = address_mode(field[4]);
    uint32_t out[4];
    texture_sample(&t, (float[3]){hex_float(field[5]), hex_float(field[6]), 0}, out);
    if (out[0] != strtoul(field[7], NULL, 16))
        fail_msg("%s %s %s %s %s (%s, %s): model %08x, hardware %s", field[0], field[1], field[2],
                 field[3], field[4], field[5], field[6], out[0], field[7]);
}

static void
texture_results(void **state)
{
    (void)state;
    assert_int_equal(csv_each("texels.csv", texel_row, NULL), 35);
    assert_int_equal(csv_each("h200_texture.csv", texture_row, NULL), 12288);
}

/* Texel k of a 1-D texture of `size` holds 256 * k: a linear read of it says which step of 256 it
 * fell on. The coordinates are those at which a step shows how many of their bits count. */
static void
wrapped_row(char **field, int count, void *context)
{
    static float ramp[4099];
    (void)context;
    assert_int_equal(count, 5);
    unsigned long size = strtoul(field[0], NULL, 10);
    assert_true(size <= sizeof ramp / sizeof *ramp);
    for (unsigned long k = 0; k < size; k++)
        ramp[k] = 256.0f * (float)k;
    struct texture_view t = {.channels = 1,
                             .element = TEXEL_F32,
                             .dims = 1,
                             .width = (uint32_t)size,
                             .pitch = (uint32_t)size * 4,
                             .data = ramp,
                             .normalized_coordinates = true,
                             .linear = true};
    t.address[0] = t.address[1] = t.address[2] = address_mode(field[1]);
    uint32_t out[4];
    float value;
    texture_sample(&t, (float[3]){hex_float(field[2]), 0, 0}, out);
    memcpy(&value, out, 4);
    if (value != strtof(field[3], NULL))
        fail_msg("%s %s %s: model %.0f, hardware %s", field[0], field[1], field[2], (double)value,
                 field[3]);
    assert_true(strtof(field[3], NULL) != strtof(field[4], NULL));
}

static void
texture_wrapped(void **state)
{
    (void)state;
    assert_int_equal(csv_each("h100_wrapped.csv", wrapped_row, NULL), 1500);
    /* The coordinate of the four readings of h200_texture.csv that were kept back and unlike: a
     * step below the nearest. */
    float ramp[35];
    for (int k = 0; k < 35; k++)
        ramp[k] = 256.0f * (float)k;
    struct texture_view t = {.channels = 1,
                             .element = TEXEL_F32,
                             .dims = 1,
                             .width = 35,
                             .pitch = 140,
                             .data = ramp,
                             .normalized_coordinates = true,
                             .linear = true,
                             .address = {TEXTURE_WRAP, TEXTURE_WRAP, TEXTURE_WRAP}};
    uint32_t out[4];
    float value;
    texture_sample(&t, (float[3]){hex_float("400b82bf"), 0, 0}, out);
    memcpy(&value, out, 4);
    assert_true(value == 19403 - 70 * 256);
}

int
main(void)
{
    return UNIT_TESTS(access_counters, texture_wrapped, atomic_counters, texture_results);
}
