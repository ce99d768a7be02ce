/* SPDX-License-Identifier: Apache-2.0
 *
 * entry_point.c: the driver's calls by name, for programs that are not linked to it. The driver's
 * own cuGetProcAddress knows which form of a call a version of CUDA has.
 */
#include "cudart/cudart.h"

#include <dlfcn.h>

typedef int (*proc_address)(const char *, void **, int, uint64_t, int *);

static int
entry_point(const char *symbol, void **out, unsigned version, unsigned long long flags,
            enum cudaDriverEntryPointQueryResult *status)
{
    int found = cudaDriverEntryPointSymbolNotFound;
    if (!symbol || !out)
        return rt_fail(cudaErrorInvalidValue, "symbol or funcPtr is NULL");
    if (flags > cudaEnablePerThreadDefaultStream)
        return rt_fail(cudaErrorInvalidValue, "flags 0x%llx are not known", flags);
    proc_address ask = (proc_address)dlsym(RTLD_DEFAULT, "cuGetProcAddress_v2");
    *out = NULL;
    if (ask)
        ask(symbol, out, (int)version, flags, &found);
    if (status)
        *status = found;
    return *out || status
               ? cudaSuccess
               : rt_fail(cudaErrorSymbolNotFound, "the driver API here has no %s of CUDA %u.%u",
                         symbol, version / 1000, version % 1000 / 10);
}

cudaError_t
cudaGetDriverEntryPoint(const char *symbol, void **out, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *status)
{
    RT(entry_point(symbol, out, CUDART_VERSION, flags, status), "symbol=%s",
       symbol ? symbol : "NULL");
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *symbol, void **out, unsigned version,
                                 unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *status)
{
    RT(entry_point(symbol, out, version, flags, status), "symbol=%s version=%u",
       symbol ? symbol : "NULL", version);
}
