/* SPDX-License-Identifier: Apache-2.0
 *
 * base: arenas, growing arrays, text, numbers, errors, hashes. References are spelled out or come
 * from the C library.
 */
#include "common/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static void
arenas(void **state)
{
    struct arena a = {0};
    enum { COUNT = 2000 };
    unsigned char *at[COUNT];
    size_t size[COUNT];
    uint32_t random = 1;
    for (int i = 0; i < COUNT; i++) {
        random = random * 1664525 + 1013904223;
        size[i] = random >> 8 & 1 ? random >> 20 : random >> 28;
        at[i] = arena_alloc(&a, size[i]);
        assert_int_equal((uintptr_t)at[i] % 16, 0);
        for (size_t k = 0; k < size[i]; k++)
            assert_int_equal(at[i][k], 0);
        memset(at[i], i & 0xff, size[i]);
    }
    for (int i = 0; i < COUNT; i++) /* nobody's bytes are anybody else's */
        for (size_t k = 0; k < size[i]; k++)
            assert_int_equal(at[i][k], i & 0xff);
    unsigned char *large = arena_alloc(&a, 5 << 20);
    memset(large, 1, 5 << 20);
    assert_string_equal(arena_strdup(&a, "lane"), "lane");
    assert_string_equal(arena_strndup(&a, "lane", 2), "la");
    assert_string_equal(arena_strndup(&a, "", 0), "");
    char longer[5000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    char *printed = arena_printf(&a, "%s-%d", longer, 42);
    assert_int_equal(strlen(printed), sizeof longer - 1 + 3);
    assert_true(ls_ends_with(printed, "x-42"));
    arena_free(&a);
    assert_null(a.last);
    arena_free(&a);
}

static void
vectors(void **state)
{
    VEC(uint64_t) v = {0};
    for (uint64_t i = 0; i < 10000; i++)
        VEC_PUSH(&v, i * i);
    assert_int_equal(v.count, 10000);
    for (uint64_t i = 0; i < 10000; i++)
        assert_int_equal(v.at[i], i * i);
    VEC_FREE(&v);
    assert_null(v.at);
    assert_int_equal(v.count + v.room, 0);
    VEC_PUSH(&v, 7);
    struct arena a = {0};
    uint64_t *copy = VEC_COPY(&a, &v);
    assert_true(copy != v.at && copy[0] == 7 && copy[1] == 0);
    arena_free(&a);
    assert_int_equal(v.at[0], 7);
    VEC_FREE(&v);
}

static void
texts(void **state)
{
    struct text t = {0};
    char expected[40000] = "";
    size_t n = 0;
    for (int i = 0; i < 3000; i++) {
        text_add(&t, "%d,%s;", i, i % 3 ? "ab" : "");
        n += (size_t)snprintf(expected + n, sizeof expected - n, "%d,%s;", i, i % 3 ? "ab" : "");
        assert_int_equal(t.count, n);
        assert_int_equal(t.at[n], 0);
    }
    assert_string_equal(t.at, expected);
    text_free(&t);
    assert_null(t.at);
    text_add_bytes(&t, "a\0b", 3);
    text_add_bytes(&t, "", 0);
    text_add(&t, "%s", "");
    assert_int_equal(t.count, 3);
    assert_memory_equal(t.at, "a\0b", 4);
    text_free(&t);
    text_add_bytes(&t, NULL, 0);
    assert_string_equal(t.at, "");
    text_free(&t);
    assert_true(ls_starts_with("--json=x", "--json") && ls_starts_with("a", ""));
    assert_false(ls_starts_with("--js", "--json"));
    assert_true(ls_ends_with("k.ptx", ".ptx") && ls_ends_with("", ""));
    assert_false(ls_ends_with("tx", ".ptx"));
}

static void
numbers(void **state)
{
    static const struct {
        const char *text;
        bool u_good, i_good;
        uint64_t u;
        int64_t i;
    } rows[] = {
        {"0", true, true, 0, 0},
        {"42", true, true, 42, 42},
        {"0x1F", true, true, 31, 31},
        {"0XfF", true, true, 255, 255},
        {"007", true, true, 7, 7},
        {"18446744073709551615", true, false, UINT64_MAX, 0},
        {"18446744073709551616", false, false, 0, 0},
        {"0xffffffffffffffff", true, false, UINT64_MAX, 0},
        {"0x10000000000000000", false, false, 0, 0},
        {"9223372036854775807", true, true, INT64_MAX, INT64_MAX},
        {"-1", false, true, 0, -1},
        {"-9223372036854775808", false, true, 0, INT64_MIN},
        {"-9223372036854775809", false, false, 0, 0},
        {"--1", false, false, 0, 0},
        {"", false, false, 0, 0},
        {"-", false, false, 0, 0},
        {"0x", false, false, 0, 0},
        {"12 ", false, false, 0, 0},
        {" 12", false, false, 0, 0},
        {"+12", false, false, 0, 0},
        {"1a", false, false, 0, 0},
        {"0xg", false, false, 0, 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint64_t u = 0;
        int64_t i = 0;
        assert_int_equal(ls_parse_u64(rows[k].text, &u), rows[k].u_good);
        assert_int_equal(ls_parse_i64(rows[k].text, &i), rows[k].i_good);
        assert_int_equal(u, rows[k].u);
        assert_int_equal(i, rows[k].i);
    }
    double d = 0;
    static const char *const good[] = {"0", "-1.5", "1e308", "1e-320", "0x1p-3", "inf", "3."};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        assert_true(ls_parse_f64(good[k], &d));
        assert_true(d == strtod(good[k], NULL));
    }
    static const char *const bad[] = {"", " 1", "1 ", "1e999", "-1e999", "x", "1.5f"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_false(ls_parse_f64(bad[k], &d));
}

static void
nearest(void **state)
{
    static const char *const words[] = {"--json", NULL, "--device", "--dryrun", "--only"};
    assert_string_equal(ls_nearest("--jsno", words, 5), "--json");
    assert_string_equal(ls_nearest("--devise", words, 5), "--device");
    assert_string_equal(ls_nearest("--dry-run", words, 5), "--dryrun");
    assert_null(ls_nearest("completely-else", words, 5));
    assert_null(ls_nearest("x", words, 0));
    char longer[300];
    memset(longer, 'q', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_null(ls_nearest(longer, words, 5));
}

static void
errors(void **state)
{
    struct ls_error e = {0};
    assert_false(ls_fail(&e, LS_ERR_INPUT, "%s:%d: no", "k.ptx", 3));
    assert_string_equal(e.text, "k.ptx:3: no");
    assert_int_equal(e.status, LS_ERR_INPUT);
    assert_false(ls_fail(&e, LS_ERR_USAGE, "a: %s", e.text)); /* its own text as an argument */
    assert_string_equal(e.text, "a: k.ptx:3: no");
    assert_false(ls_fail(NULL, LS_ERR_INPUT, "no one asks"));
    char longer[3000];
    memset(longer, 'y', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    ls_fail(&e, LS_ERR_INPUT, "%s", longer);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    assert_true(ls_ends_with(e.text, "y..."));
}

static int
compare_hashes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct hash128));
}

static void
hashes(void **state)
{
    enum { LENGTHS = 70, BITS = LENGTHS * 8 };
    struct hash128 zero = {0}, all[BITS + LENGTHS + 1], seed = {1, 0};
    unsigned char bytes[LENGTHS] = {0};
    size_t n = 0;
    /* Zeros of every length, and every single bit of the longest, are all different ... */
    for (size_t k = 0; k <= LENGTHS; k++)
        all[n++] = ls_hash(zero, bytes, k);
    unsigned flipped = 0;
    for (size_t k = 0; k < BITS; k++) {
        bytes[k / 8] ^= (unsigned char)(1 << k % 8);
        all[n] = ls_hash(zero, bytes, LENGTHS);
        flipped += (unsigned)__builtin_popcountll(all[n].lo ^ all[LENGTHS].lo) +
                   (unsigned)__builtin_popcountll(all[n].hi ^ all[LENGTHS].hi);
        n++;
        bytes[k / 8] ^= (unsigned char)(1 << k % 8);
    }
    /* ... and a bit of the text flips about half of the hash's: 64 of 128. */
    assert_in_range(flipped / BITS, 60, 68);
    qsort(all, n, sizeof *all, compare_hashes);
    for (size_t k = 1; k < n; k++)
        assert_memory_not_equal(&all[k - 1], &all[k], sizeof *all);
    struct hash128 seeded = ls_hash(seed, bytes, 5), plain = ls_hash(zero, bytes, 5);
    assert_memory_not_equal(&seeded, &plain, sizeof plain);
    /* Words that change places: keys are often two numbers of the same kind. */
    uint64_t words[4] = {3, 5, 7, 9}, swapped[4];
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < i; k++) {
            memcpy(swapped, words, sizeof words);
            swapped[i] = words[k];
            swapped[k] = words[i];
            for (size_t size = 16; size <= 32; size += 8) {
                if ((i + 1) * 8 > size)
                    continue;
                struct hash128 one = ls_hash(zero, words, size), two = ls_hash(zero, swapped, size);
                assert_memory_not_equal(&one, &two, sizeof one);
            }
        }
    char text[33];
    ls_hash_text((struct hash128){0xab, 0x12}, text);
    assert_string_equal(text, "000000000000001200000000000000ab");
}

static void
names(void **state)
{
    static const char *const name[][2] = {
        {"_Z5halvePfi", "halve"},
        {"plain", "plain"},
        {"_ZN4math3addEv", "math::add"},
        {"_ZNK3BoxIdE3getEi", "Box<double>::get"},
        {"_ZL6hiddenPf", "hidden"},
        {"_ZN12_GLOBAL__N_16hiddenEPf", "hidden"},
        {"_ZN5outer12_GLOBAL__N_16hiddenEPf", "outer::hidden"},
        {"_ZN5outerL6hiddenEPf", "outer::hidden"},
        {"_Z4scanILi256EfEvPT0_", "scan<256, float>"},
        {"_Z1kILin3ELb1EmEvv", "k<-3, true, unsigned long>"},
        {"_Z1kIPKfN1n1tIiEEEvT_", "k<float const*, n::t<int>>"},
        {"_ZN1n3boxIfE1kIiEEvT_", "n::box<float>::k<int>"},
        {"_Z1kIDv4_fEvv", "k<...>"}, /* not known here */
        {"_ZZ4sumsPfE4tile", "tile"},
        {"_ZZ1kILi4EEvPfE4tile_0", "tile"},
        {"_Z", "_Z"},
        {"_Z9short", "_Z9short"},
        {"_Z99999999999999999999k", "_Z99999999999999999999k"},
        {"_ZZ", "_ZZ"},
    };
    struct arena a = {0};
    for (size_t k = 0; k < sizeof name / sizeof *name; k++)
        assert_string_equal(ls_readable_name(&a, name[k][0]), name[k][1]);
    char deep[4000] = "_Z1kI";
    memset(deep + 5, 'P', sizeof deep - 6);
    assert_string_equal(ls_readable_name(&a, deep), "k<...>");
    assert_true(ls_name_contains("_Z4scanILi256EfEvPT0_", "scan<256"));
    assert_true(ls_name_contains("_Z4scanILi256EfEvPT0_", "ILi256"));
    assert_true(ls_name_contains("plain", NULL));
    assert_false(ls_name_contains("_Z4scanILi256EfEvPT0_", "scan<128"));
    arena_free(&a);
}

/* -- lines that fit ---------------------------------------------------------------------------- */

static void
folds_to(const char *text, uint32_t columns, bool joined, const char *expected)
{
    struct text out = {0};
    columns_fold(&out, text, columns, joined);
    assert_string_equal(out.at, expected);
    text_free(&out);
}

static void
lines_that_fit(void **unused)
{
    (void)unused;
    assert_int_equal(columns_fit("one two", 7, 7), 7);
    assert_int_equal(columns_fit("one two", 7, 6), 3);
    assert_int_equal(columns_fit("one two", 7, 3), 3);
    assert_int_equal(columns_fit("one two", 7, 1), 3);
    assert_int_equal(columns_fit("one", 3, 1), 3);
    assert_int_equal(columns_fit("\033[1mone\033[0m two", 15, 3), 11);
    assert_int_equal(columns_fit("\303\244\303\244 x", 6, 4), 6); /* two letters of two bytes */
    folds_to("aaa bbb ccc ddd eee fff\n", 20, false, "aaa bbb ccc ddd eee\n    fff\n");
    folds_to("  -o FILE  where it goes, and what for\n", 30, false,
             "  -o FILE  where it goes, and\n           what for\n");
    folds_to("========= aaa bbb ccc ddd eee fff ggg\n", 30, false,
             "========= aaa bbb ccc ddd eee\n=========     fff ggg\n");
    folds_to("aaa bbb\nccc ddd\n\n  eee\n", 20, true, "aaa bbb ccc ddd\n\n  eee\n");
    folds_to("aaaaaaaaaaaaaaaaaaaaaaaaaaaa b\n", 20, false,
             "aaaaaaaaaaaaaaaaaaaaaaaaaaaa\n    b\n");
    folds_to("aaa bbb ccc ddd eee fff\n", 0, false, "aaa bbb ccc ddd eee fff\n");
}

int
main(void)
{
    return UNIT_TESTS(arenas, vectors, texts, numbers, nearest, errors, hashes, names,
                      lines_that_fit);
}
