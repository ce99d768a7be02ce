/* SPDX-License-Identifier: Apache-2.0
 *
 * base: options from the command line and the environment.
 */
#include "common/unit.h"
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { JSON, DEVICE, QUIET, VERBOSE, DUMP, COUNT };

static const struct option_row rows[COUNT] = {
    [JSON] = {"--json", 'j', "TEST_JSON", NULL, "as JSON"},
    [DEVICE] = {"--device", 'd', "TEST_DEVICE", "NAME", "the device"},
    [QUIET] = {"--quiet", 'q', NULL, NULL, "less"},
    [VERBOSE] = {"--verbose", 'v', NULL, NULL, "more"},
    [DUMP] = {"--dump", 0, NULL, "[FILE]", "the code"},
};

static struct arena arena;
static struct option_result result;
static struct ls_error err;
static int next;

/* The words, ended by NULL, as a command line. */
static bool
parse(char *first, ...)
{
    char *argv[16] = {"lockstep", first};
    int argc = first ? 2 : 1;
    va_list words;
    va_start(words, first);
    while (first && (argv[argc] = va_arg(words, char *)) != NULL)
        argc++;
    va_end(words);
    next = 1;
    err = (struct ls_error){0};
    return options_parse(rows, COUNT, argc, argv, &next, &result, &arena, &err);
}

static void
values(void **state)
{
    assert_true(parse(NULL));
    for (int i = 0; i < COUNT; i++)
        assert_null(result.value[i]);
    assert_true(parse("--json", "--device", "h200", "k.cu", "--quiet", NULL));
    assert_string_equal(result.value[JSON], "");
    assert_string_equal(result.value[DEVICE], "h200");
    assert_null(result.value[QUIET]); /* behind the first word: the program's own */
    assert_int_equal(next, 4);
    assert_true(parse("--device=a=b", "--device=", NULL));
    assert_string_equal(result.value[DEVICE], "");
    assert_true(parse("-d", "x", "-qv", "-dy", NULL));
    assert_string_equal(result.value[DEVICE], "y");
    assert_non_null(result.value[QUIET]);
    assert_non_null(result.value[VERBOSE]);
    assert_true(parse("-qdz", NULL));
    assert_string_equal(result.value[DEVICE], "z");
    assert_true(parse("--device", "--json", NULL)); /* the next word is the value */
    assert_string_equal(result.value[DEVICE], "--json");
    assert_true(parse("--dump", "k.cu", NULL));
    assert_string_equal(result.value[DUMP], "");
    assert_int_equal(next, 2);
    assert_true(
        parse("--dump", "out.dump", "k.cu", NULL)); /* by its name it can only be the file */
    assert_string_equal(result.value[DUMP], "out.dump");
    assert_int_equal(next, 3);
    assert_true(parse("--dump", "dump", NULL));
    assert_string_equal(result.value[DUMP], "");
    assert_true(parse("--dump=f", NULL));
    assert_string_equal(result.value[DUMP], "f");
    assert_true(parse("-q", "--", "--json", NULL));
    assert_int_equal(next, 3);
    assert_null(result.value[JSON]);
    assert_true(parse("-", "--json", NULL)); /* standard input is a word */
    assert_int_equal(next, 1);
}

static void
mistakes(void **state)
{
    assert_false(parse("--devise", "x", NULL));
    assert_string_equal(err.text, "unknown option --devise (did you mean --device?)");
    assert_int_equal(err.status, LS_ERR_USAGE);
    assert_false(parse("--devise=x", NULL));
    assert_string_equal(err.text, "unknown option --devise (did you mean --device?)");
    assert_false(parse("--frobnicate", NULL));
    assert_string_equal(err.text, "unknown option --frobnicate");
    assert_false(parse("-qx", NULL));
    assert_string_equal(err.text, "unknown option -x");
    assert_false(parse("--device", NULL));
    assert_string_equal(err.text, "option --device needs a value (NAME)");
    assert_false(parse("-d", NULL));
    assert_string_equal(err.text, "option --device needs a value (NAME)");
    assert_false(parse("--json=x", NULL));
    assert_string_equal(err.text, "option --json takes no value");
}

static void
environment(void **state)
{
    setenv("TEST_DEVICE", "g80", 1);
    setenv("TEST_JSON", "1", 1);
    assert_true(parse(NULL));
    assert_string_equal(result.value[DEVICE], "g80");
    assert_true(result.from_environment[DEVICE] && result.from_environment[JSON]);
    assert_true(parse("--device", "h200", NULL));
    assert_string_equal(result.value[DEVICE], "h200");
    assert_false(result.from_environment[DEVICE]);
    setenv("TEST_JSON", "0", 1);
    assert_true(parse(NULL));
    assert_null(result.value[JSON]);
    setenv("TEST_JSON", "", 1);
    assert_true(parse(NULL));
    assert_null(result.value[JSON]);
    unsetenv("TEST_DEVICE");
    unsetenv("TEST_JSON");
}

static void
help(void **state)
{
    struct text t = {0};
    options_help(rows, COUNT, &t);
    assert_string_equal(t.at, "  -j, --json                  as JSON [TEST_JSON]\n"
                              "  -d, --device NAME           the device [TEST_DEVICE]\n"
                              "  -q, --quiet                 less\n"
                              "  -v, --verbose               more\n"
                              "      --dump[=FILE]           the code\n");
    text_free(&t);
}

static int
end(void **state)
{
    arena_free(&arena);
    return 0;
}

int
main(void)
{
    return UNIT_TESTS_IN(NULL, end, values, mistakes, environment, help);
}
