/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_limits.c: what a well-formed module may still ask too much of: constant memory, whose size is
 * the same on every device (PTX ISA, 5.1.3).
 */
#include "ptx/ptx.h"

enum { CONSTANT_BYTES = 65536 };

bool
ptx_fits(const struct ptx_module *m, const char *path, struct ls_error *err)
{
    const struct ptx_var *largest = NULL;
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < m->var_count; k++) {
        const struct ptx_var *v = m->vars[k];
        if (v->space != PTX_SPACE_CONST)
            continue;
        bytes = (bytes + v->align - 1) / v->align * v->align + v->size;
        if (!largest || v->size > largest->size)
            largest = v;
    }
    if (bytes <= CONSTANT_BYTES)
        return true;
    struct arena names = {0};
    ls_fail(err, LS_ERR_INPUT,
            "%s: %llu bytes of constant memory (0x%llx), of which there are %d (0x%x): the "
            "largest variable is \"%s\" with %llu bytes",
            path, (unsigned long long)bytes, (unsigned long long)bytes, CONSTANT_BYTES,
            CONSTANT_BYTES, ls_readable_name(&names, largest->name),
            (unsigned long long)largest->size);
    arena_free(&names);
    return false;
}
