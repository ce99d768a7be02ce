/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_symbols: what a unit of several (-rdc=true) defines for others' kernels, and what its own
 * kernels want of others, as symbols of its object file:
 *
 *     .globl __lockstep_device__Z3twoi      a __device__ function that is defined here
 *     .globl __lockstep_device_table        a variable that is declared here: undefined
 *
 * So a linker, whichever it is, takes the members out of a library that kernels need and the host
 * does not; and says what nobody defines. Hidden, since device code is linked within one program or
 * shared library. They are put into the object by joining it with an assembled file.
 */
#include "cc/cc_priv.h"
#include "jit/jit.h"
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

static const char prefix[] = "__lockstep_device_";

static void
add_symbol(struct text *out, const char *name, unsigned linkage, bool defined)
{
    bool wanted = linkage == PTX_EXTERN;
    if (linkage == PTX_LOCAL_LINKAGE || (!wanted && !defined))
        return;
    bool weak = linkage == PTX_WEAK || linkage == PTX_COMMON;
    text_add(out, "\t%s \"%s%s\"\n\t.hidden \"%s%s\"\n", weak ? ".weak" : ".globl", prefix, name,
             prefix, name);
    if (!wanted)
        text_add(out, "\t.set \"%s%s\", 1\n", prefix, name);
}

/* What names of one unit are made from. Files of one name in several folders, and one compiled
 * several times with other macros or to other files, are different units. */
void
cc_unit_id(const struct cc_args *a, const char *path, char text[33])
{
    char *whole = realpath(path, NULL);
    const char *name = whole ? whole : path, *output = a->output ? a->output : "";
    struct hash128 h =
        ls_hash(ls_hash((struct hash128){0}, name, strlen(name)), output, strlen(output));
    for (size_t i = 0; i < a->both.count; i++)
        h = ls_hash(h, a->both.at[i], strlen(a->both.at[i]) + 1);
    free(whole);
    ls_hash_text(h, text);
}

bool
cc_device_symbols(const char *ptx_path, struct text *out, struct ls_error *err)
{
    size_t size;
    struct ls_error later; /* text that is not understood is told when the program loads it */
    char *text = ls_read_file(ptx_path, &size, err);
    struct ptx_module *m = text ? ptx_parse(text, size, ptx_path, &later) : NULL;
    for (uint32_t k = 0; m && k < m->func_count; k++) {
        const struct ptx_func *f = m->funcs[k];
        if (f->linkage != PTX_EXTERN || !jit_knows_function(f->name))
            add_symbol(out, f->name, f->linkage, f->has_body);
    }
    for (uint32_t k = 0; m && k < m->var_count; k++)
        if (m->vars[k]->space != PTX_SPACE_SHARED)
            add_symbol(out, m->vars[k]->name, m->vars[k]->linkage, true);
    text_add(out, "\t.section .note.GNU-stack,\"\",@progbits\n");
    ptx_free(m);
    ls_release(text);
    return text != NULL;
}
