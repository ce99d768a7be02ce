/* SPDX-License-Identifier: Apache-2.0
 *
 * wir_of.h: the warp IR of a text's first function, for tests of what is found in it.
 */
#ifndef TESTS_COMMON_WIR_OF_H
#define TESTS_COMMON_WIR_OF_H

#include "analysis/analysis.h"
#include "common/unit.h"

static inline bool
nothing_known(const char *name)
{
    (void)name;
    return false;
}

static inline bool
never_uniform(const struct ptx_insn *i, unsigned result)
{
    (void)i, (void)result;
    return false;
}

/* Fails the test where the text is no kernel. *out_module: what it stands in, to be freed behind
 * it; name: of the text, in messages. */
static inline struct wir *
wir_of(const char *text, size_t size, const char *name, struct ptx_module **out_module)
{
    struct ls_error err = {0};
    struct ptx_module *m = *out_module = ptx_parse(text, size, name, &err);
    struct wir *f = m ? wir_new(m, m->funcs[0], nothing_known, &err) : NULL;
    if (!f)
        fail_msg("%s: %s", name, err.text);
    return f;
}

/* A file of PTX, and the warp IR of its first function. */
struct wir_file {
    char *text;
    struct ptx_module *module;
    struct wir *wir;
};

static inline struct wir_file
wir_file_read(const char *path)
{
    struct ls_error err = {0};
    size_t size = 0;
    struct wir_file file = {.text = ls_read_file(path, &size, &err)};
    if (!file.text)
        fail_msg("%s", err.text);
    file.wir = wir_of(file.text, size, path, &file.module);
    return file;
}

static inline void
wir_file_free(struct wir_file *file)
{
    wir_free(file->wir);
    ptx_free(file->module);
    ls_release(file->text);
}

#endif
