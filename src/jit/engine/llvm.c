/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/llvm.c: LLVM's library is opened when something must be compiled. Loading it costs a
 * process 10 ms and 2,500 page faults, and a program whose kernels lie in the cache needs nothing
 * of it. Its functions are entries that jump through slots (cmake/llvm_entries.cmake writes them),
 * which are filled here. Where the library is linked instead, as in the tests, there are no slots.
 */
#define _GNU_SOURCE /* dlmopen */
#include "jit/engine/engine.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#define HIDDEN_WEAK __attribute__((weak, visibility("hidden")))
extern void *jit_llvm_slots[] HIDDEN_WEAK;
/* Texts one behind the other, then an empty one: the functions; the
 * library's name, then its place. */
extern const char jit_llvm_names[] HIDDEN_WEAK;
extern const char jit_llvm_library[] HIDDEN_WEAK;

static void *
open_library(bool again, struct ls_error *err)
{
    void *library = NULL;
    for (const char *name = jit_llvm_library; *name && !library; name += strlen(name) + 1)
        library = again ? dlmopen(LM_ID_NEWLM, name, RTLD_LAZY | RTLD_LOCAL)
                        : dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        ls_fail(err, LS_ERR_SYSTEM, "kernels are compiled by %s, which cannot be loaded: %s",
                jit_llvm_library, dlerror());
    return library;
}

static bool
fill_slots(void *library, struct ls_error *err)
{
    size_t k = 0;
    for (const char *name = jit_llvm_names; *name; name += strlen(name) + 1) {
        void *at = dlsym(library, name);
        if (!at)
            return ls_fail(err, LS_ERR_SYSTEM, "%s has no %s", jit_llvm_library, name);
        __atomic_store_n(&jit_llvm_slots[k++], at, __ATOMIC_RELAXED);
    }
    return true;
}

/* Whether the table of LLVM's functions points into the second copy of the library. */
static bool
is_second(void)
{
    Dl_info in;
    struct link_map *map = NULL;
    Lmid_t space = LM_ID_BASE;
    void *at = __atomic_load_n(&jit_llvm_slots[0], __ATOMIC_RELAXED);
    return at && dladdr1(at, &in, (void **)&map, RTLD_DL_LINKMAP) && map &&
           dlinfo(map, RTLD_DI_LMID, &space) == 0 && space != LM_ID_BASE;
}

/* Called again it finds the same: the library stays open, and several threads write the same
 * values. */
bool
jit_llvm_open(struct ls_error *err)
{
    if (!jit_llvm_names || is_second())
        return true;
    void *library = open_library(false, err);
    return library && fill_slots(library, err);
}

/* The objects of the copy that is open end with the process, before the program's own static
 * objects do: a second copy, in a namespace of its own, has not seen the end. */
bool
jit_llvm_reopen(struct ls_error *err)
{
    if (!jit_llvm_names)
        return ls_fail(err, LS_ERR_SYSTEM, "a kernel cannot be compiled while the process ends");
    void *library = open_library(true, err);
    return library && fill_slots(library, err);
}
