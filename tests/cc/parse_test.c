/* SPDX-License-Identifier: Apache-2.0
 *
 * nvcc's command lines as the driver understands them: modes, architectures, where words go; wrong
 * ones are named.
 */
#include "cc/cc_priv.h"

#include "common/unit.h"
#include <string.h>

enum { MOST_WORDS = 16 };

/* line: words between blanks. */
static bool
parse(struct cc_args *args, struct ls_error *err, const char *line)
{
    char *words[MOST_WORDS] = {0};
    int count = 0;
    words[count++] = (char *)"nvcc";
    static struct arena arena; /* cc_args_free empties it */
    *args = (struct cc_args){.arena = &arena, .name = "cc"};
    *err = (struct ls_error){0};
    char *copy = arena_strdup(args->arena, line), *rest = NULL;
    for (char *w = strtok_r(copy, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
        words[count++] = w;
    return cc_parse(args, count, words, err);
}

static bool
has(const struct words *w, const char *word)
{
    for (size_t k = 0; k < w->count; k++)
        if (!strcmp(w->at[k], word))
            return true;
    return false;
}

static void
modes(void **unused)
{
    static const struct {
        const char *line;
        enum cc_mode mode;
    } rows[] = {
        {"a.cu", CC_LINK},        {"-c a.cu", CC_COMPILE},     {"-dc a.cu -o a.o", CC_COMPILE},
        {"-ptx a.cu", CC_PTX},    {"-E a.cu", CC_PREPROCESS},  {"-M a.cu", CC_DEPENDS},
        {"-dlink a.o", CC_DLINK}, {"-lib a.o -o a.a", CC_LIB}, {"--fatbin a.cu", CC_FATBIN}};
    (void)unused;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct cc_args a;
        struct ls_error err;
        assert_true(parse(&a, &err, rows[k].line));
        assert_int_equal(a.mode, rows[k].mode);
        assert_true(a.items.count >= 1);
        cc_args_free(&a);
    }
}

static void
architectures(void **unused)
{
    static const struct {
        const char *line;
        int architecture;
        char suffix;
    } rows[] = {{"-arch=sm_70 a.cu", 70, 0},
                {"-arch sm_90a a.cu", 90, 'a'},
                {"--gpu-architecture=compute_80 a.cu", 80, 0},
                {"-gencode arch=compute_75,code=sm_75 a.cu", 75, 0},
                {"-gencode=arch=compute_90a,code=sm_90a a.cu", 90, 'a'}};
    (void)unused;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct cc_args a;
        struct ls_error err;
        assert_true(parse(&a, &err, rows[k].line));
        assert_int_equal(a.architecture, rows[k].architecture);
        assert_int_equal(a.architecture_suffix, rows[k].suffix);
        cc_args_free(&a);
    }
}

static void
where_words_go(void **unused)
{
    struct cc_args a;
    struct ls_error err;
    (void)unused;
    assert_true(
        parse(&a, &err, "-O3 -DX=1 -Iinc -Xcompiler -fopenmp,-Wall -use_fast_math -lm a.cu"));
    assert_string_equal(a.optimize, "3");
    assert_true(has(&a.both, "-DX=1"));
    assert_true(has(&a.dashed, "-fopenmp") && has(&a.dashed, "-Wall"));
    assert_false(has(&a.device, "-fopenmp"));
    assert_true(a.floats.fast_math);
    bool library = false, source = false;
    for (size_t k = 0; k < a.items.count; k++) {
        library |= !a.items.at[k].is_source && !strcmp(a.items.at[k].word, "-lm");
        source |= a.items.at[k].is_source && !strcmp(a.items.at[k].word, "a.cu");
    }
    assert_true(library && source);
    cc_args_free(&a);
}

static void
wrong(void **unused)
{
    static const struct {
        const char *line, *says;
    } rows[] = {{"-arch=gfx90 a.cu", "gfx90"}, {"-x fortran a.f", "fortran"},
                {"-m32 a.cu", "32"},           {"a.cu -o", "-o"},
                {"-dopt=maybe a.cu", "maybe"}, {"@/nowhere/options a.cu", "/nowhere/options"}};
    (void)unused;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct cc_args a;
        struct ls_error err;
        if (parse(&a, &err, rows[k].line))
            fail_msg("taken: %s", rows[k].line);
        if (!strstr(err.text, rows[k].says))
            fail_msg("%s: says %s", rows[k].line, err.text);
        cc_args_free(&a);
    }
}

int
main(void)
{
    return UNIT_TESTS(modes, architectures, where_words_go, wrong);
}
