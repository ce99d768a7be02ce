/* SPDX-License-Identifier: Apache-2.0
 *
 * expectations.h: files of PTX that have behind "//" in a line what a test expects of its
 * instruction. UPDATE=1 writes the files anew with what is found; read the difference.
 */
#ifndef TESTS_COMMON_EXPECTATIONS_H
#define TESTS_COMMON_EXPECTATIONS_H

#include "base/base.h"
#include "common/unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct expectations {
    const char *path;
    int column; /* where comments begin in a file that is written anew */
    bool every; /* a line without a comment expects that nothing is found */
    /* What is found of the line's instruction; nothing: empty. */
    void (*found)(void *context, uint32_t line, struct text *out);
    void *context;
};

static inline unsigned
expectations_line(const struct expectations *x, uint32_t line, const char *code,
                  const char *expected, const struct text *found)
{
    if (!strncmp(code, "//", 2) || (!expected && !x->every))
        return 0;
    expected = expected ? expected + strspn(expected, " ") : "";
    if (!strcmp(expected, found->at))
        return 0;
    print_error("%s:%u: %s\n    is:       %s\n    expected: %s\n", x->path, line, code, found->at,
                expected);
    return 1;
}

/* How many lines of the file's text, which is cut into lines, are not as expected. */
static inline unsigned
expectations_check(const struct expectations *x, char *text)
{
    struct text found = {0}, out = {0};
    struct ls_error err = {0};
    unsigned wrong = 0, expected = 0;
    uint32_t line = 1;
    for (char *at = text, *next; *at; at = next, line++) {
        next = at + strcspn(at, "\n");
        if (*next)
            *next++ = 0;
        char *comment = strncmp(at, "//", 2) ? strstr(at, "//") : NULL;
        if (comment) {
            *comment = 0;
            comment += 2;
            expected++;
        }
        size_t code = strlen(at);
        while (code && at[code - 1] == ' ')
            at[--code] = 0;
        found.count = 0;
        text_add(&found, "");
        x->found(x->context, line, &found);
        wrong += expectations_line(x, line, at, comment, &found);
        if (*found.at)
            text_add(&out, "%-*s // %s\n", x->column, at, found.at);
        else
            text_add(&out, "%s\n", at);
    }
    if (getenv("UPDATE"))
        assert_true(ls_write_file(x->path, out.at, out.count, &err));
    else
        assert_true(expected > 0);
    text_free(&found);
    text_free(&out);
    return wrong;
}

/* Every file of a folder of tests/, `least` or more; file: how many of its lines are wrong. */
static inline void
expectations_folder(const char *name, unsigned least,
                    unsigned (*file)(const char *path, void *context), void *context)
{
    char folder[4096], path[4600];
    const char *source = getenv("SOURCE_DIR");
    unsigned wrong = 0, count = 0;
    snprintf(folder, sizeof folder, "%s/tests/%s", source ? source : ".", name);
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (strlen(e->d_name) > 4 && !strcmp(e->d_name + strlen(e->d_name) - 4, ".ptx")) {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            wrong += file(path, context);
            count++;
        }
    closedir(d);
    assert_true(count >= least);
    assert_true(!wrong || getenv("UPDATE"));
}

#endif
