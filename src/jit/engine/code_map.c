/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/code_map.c: where code for a debugger keeps things. Nothing of it is kept with the code:
 * it follows from the PTX.
 */
#include "jit/code_map.h"
#include "jit/control/control.h"
#include "jit/engine/engine.h"
#include "jit/insn/insn.h"

struct jit_code_map *
jit_code_map_new(const struct ptx_module *m, const struct ptx_func *f, struct ls_error *err)
{
    struct wir *wir = wir_new_debug(m, f, core_known_function, err);
    if (!wir)
        return NULL;
    struct jit_code_map *map = ls_alloc(sizeof *map);
    map->func = f;
    map->wir = wir;
    homes_lay_out(map);
    return map;
}

void
jit_code_map_free(struct jit_code_map *map)
{
    if (!map)
        return;
    homes_end(map);
    wir_free((struct wir *)map->wir);
    ls_release(map);
}
