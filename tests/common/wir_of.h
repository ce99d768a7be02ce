/* SPDX-License-Identifier: Apache-2.0
 *
 * wir_of.h: the warp IR of a text's first function, for tests of what is found in it. Behind
 * cmocka.h.
 */
#ifndef TESTS_COMMON_WIR_OF_H
#define TESTS_COMMON_WIR_OF_H

#include "analysis/analysis.h"

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

#endif
