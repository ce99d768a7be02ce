/* SPDX-License-Identifier: Apache-2.0
 *
 * old_names.c: calls whose first version has the same parameters as the second, for programs that
 * look names up in the library instead of including cuda.h.
 */
#include "cuda/driver.h"

#undef cuCtxDestroy
#undef cuCtxPushCurrent
#undef cuCtxPopCurrent
#undef cuStreamDestroy
#undef cuEventDestroy

#define OLD_NAME(name, parameters, arguments)                                                      \
    CUresult name parameters;                                                                      \
    __attribute__((visibility("default"))) CUresult name parameters                                \
    {                                                                                              \
        return name##_v2 arguments;                                                                \
    }

OLD_NAME(cuCtxDestroy, (CUcontext context), (context))
OLD_NAME(cuCtxPushCurrent, (CUcontext context), (context))
OLD_NAME(cuCtxPopCurrent, (CUcontext *context), (context))
OLD_NAME(cuStreamDestroy, (CUstream stream), (stream))
OLD_NAME(cuEventDestroy, (CUevent event), (event))
