/* SPDX-License-Identifier: Apache-2.0
 *
 * calls.c: the table of calls, and the calls that are refused.
 *
 * All are declared here as functions without parameters: the table needs their addresses alone, and
 * a refused call never looks at what it is passed, which the host's calling conventions allow.
 */
#include "cuda/calls.h"

#include <stddef.h>
#include <string.h>

#define CALL(base, symbol, since) int symbol(void);
#define REFUSED(base, symbol, why)                                                                 \
    __attribute__((visibility("default"))) int symbol(void);                                       \
    int symbol(void)                                                                               \
    {                                                                                              \
        return cu_refused(#symbol, why);                                                           \
    }
#include "cuda/cuda_calls.def"
#undef CALL
#undef REFUSED

static const struct {
    const char *base, *symbol;
    int since;
    cu_call call;
} calls[] = {
#define CALL(base, symbol, since) {#base, #symbol, since, (cu_call)symbol},
#define REFUSED(base, symbol, why) {#base, #symbol, 0, (cu_call)symbol},
#include "cuda/cuda_calls.def"
#undef CALL
#undef REFUSED
};

cu_call
cu_find_call(const char *symbol, int version, bool *known)
{
    cu_call best = NULL;
    int newest = -1;
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        if (strcmp(calls[k].symbol, symbol) != 0 && strcmp(calls[k].base, symbol) != 0)
            continue;
        *known = true;
        if (calls[k].since <= version && calls[k].since > newest) {
            newest = calls[k].since;
            best = calls[k].call;
        }
    }
    return best;
}
