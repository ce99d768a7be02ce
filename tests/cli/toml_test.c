/* SPDX-License-Identifier: Apache-2.0
 *
 * TOML 1.0 as toml.io writes it: values, tables in their three spellings, lines; what is wrong is
 * named with its line.
 */
#include "cli/text/toml.h"

#include "common/unit.h"
#include <string.h>

static void
values(void **unused)
{
    static const char text[] = "title = \"a \\u00e9\\tb\" # said\n"
                               "raw = 'C:\\n'\n"
                               "n = 1_000\nhex = 0xff\nnegative = -17\n"
                               "x = 6.5e-1\nyes = true\n"
                               "list = [1, [2, 3],\n  4, ]\n"
                               "[limits]\nseconds = 2.5\n"
                               "[a.b]\nc.d = 1\n"
                               "[[case]]\nsize = 1\n[[case]]\nsize = 2\n"
                               "inline = { p = 1, q = { r = \"s\" } }\n";
    struct arena arena = {0};
    struct ls_error err = {0};
    struct toml *t = toml_parse("x.toml", text, &arena, &err), *list, *cases;
    (void)unused;
    assert_non_null(t);
    assert_string_equal(toml_find(t, "title")->string, "a \303\251\tb");
    assert_string_equal(toml_find(t, "raw")->string, "C:\\n");
    assert_int_equal(toml_find(t, "n")->integer, 1000);
    assert_int_equal(toml_find(t, "hex")->integer, 255);
    assert_int_equal(toml_find(t, "negative")->integer, -17);
    assert_true(toml_find(t, "x")->number == 0.65);
    assert_true(toml_find(t, "yes")->truth);
    list = toml_find(t, "list");
    assert_int_equal(list->count, 3);
    assert_int_equal(list->first->next->last->integer, 3);
    assert_int_equal(list->last->line, 9);
    assert_true(toml_find(toml_find(t, "limits"), "seconds")->number == 2.5);
    assert_int_equal(toml_find(toml_find(toml_find(toml_find(t, "a"), "b"), "c"), "d")->integer, 1);
    cases = toml_find(t, "case");
    assert_int_equal(cases->count, 2);
    assert_int_equal(toml_find(cases->last, "size")->integer, 2);
    assert_string_equal(toml_find(toml_find(toml_find(cases->last, "inline"), "q"), "r")->string,
                        "s");
    assert_null(toml_find(t, "nothing"));
    assert_null(toml_find(NULL, "nothing"));
    arena_free(&arena);
}

static void
mistakes(void **unused)
{
    static const struct {
        const char *text, *line;
    } rows[] = {{"a = 1\na = 2\n", "x.toml:2:"},
                {"a = \n", "x.toml:1:"},
                {"[t]\n[t]\n", "x.toml:2:"},
                {"a = \"open\nb = 1\n", "x.toml:1:"},
                {"a = [1, 2\n", "x.toml:"},
                {"a = 01\n", "x.toml:1:"},
                {"a = 1__0\n", "x.toml:1:"},
                {"a = 1979-05-27\n", "x.toml:1:"},
                {"\n\na = 99999999999999999999\n", "x.toml:3:"},
                {"a = { b = 1\n}\n", "x.toml:1:"},
                {"a.b = 1\na = 2\n", "x.toml:2:"},
                {"= 1\n", "x.toml:1:"},
                {"a = \"\\q\"\n", "x.toml:1:"},
                {"a = 1 b = 2\n", "x.toml:1:"},
                {"a = { b = 1 }\na.c = 2\n", "x.toml:2:"}};
    (void)unused;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct arena arena = {0};
        struct ls_error err = {0};
        if (toml_parse("x.toml", rows[k].text, &arena, &err))
            fail_msg("taken: %s", rows[k].text);
        if (strncmp(err.text, rows[k].line, strlen(rows[k].line)) != 0)
            fail_msg("%s: says %s", rows[k].text, err.text);
        arena_free(&arena);
    }
}

int
main(void)
{
    return UNIT_TESTS(values, mistakes);
}
