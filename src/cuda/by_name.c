/* SPDX-License-Identifier: Apache-2.0
 *
 * by_name.c: calls that a program looks up by their names (calls.c has the table).
 */
#include "cuda/calls.h"
#include "cuda/driver.h"

#include <string.h>

static int
proc_address(const char *symbol, void **out, int version, CUdriverProcAddressQueryResult *status)
{
    bool known = false;
    if (!symbol || !out)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "symbol or pfn is NULL");
    cu_call found = cu_find_call(symbol, version, &known);
    memcpy(out, &found, sizeof found);
    if (status)
        *status = found   ? CU_GET_PROC_ADDRESS_SUCCESS
                  : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                          : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return found || status ? CUDA_SUCCESS
                           : cu_fail(CUDA_ERROR_NOT_FOUND, "the driver API here has no %s", symbol);
}

CUresult
cuGetProcAddress_v2(const char *symbol, void **pfn, int version, cuuint64_t flags,
                    CUdriverProcAddressQueryResult *status)
{
    CU(proc_address(symbol, pfn, version, status), "symbol=%s version=%d flags=0x%llx",
       symbol ? symbol : "NULL", version, (unsigned long long)flags);
}

/* The form of CUDA 11: no status. */
#undef cuGetProcAddress
__attribute__((visibility("default"))) CUresult cuGetProcAddress(const char *symbol, void **pfn,
                                                                 int version, cuuint64_t flags);
CUresult
cuGetProcAddress(const char *symbol, void **pfn, int version, cuuint64_t flags)
{
    CU(proc_address(symbol, pfn, version, NULL), "symbol=%s version=%d flags=0x%llx",
       symbol ? symbol : "NULL", version, (unsigned long long)flags);
}
