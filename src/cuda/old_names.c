/* SPDX-License-Identifier: Apache-2.0
 *
 * old_names.c: calls whose first version has the parameters of the second, or fewer of them, for
 * programs that look names up in the library instead of including cuda.h.
 */
#include "cuda/driver.h"

#include <string.h>

#undef cuCtxDestroy
#undef cuCtxPushCurrent
#undef cuCtxPopCurrent
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
#undef cuStreamDestroy
#undef cuEventDestroy
#undef cuIpcOpenMemHandle
#undef cuLinkAddData
#undef cuLinkAddFile
#undef cuLinkCreate
#undef cuMemHostRegister
#undef cuMemcpyDtoDAsync
#undef cuGraphAddKernelNode
#undef cuGraphExecKernelNodeSetParams

#define OLD_NAME(name, parameters, arguments)                                                      \
    CUresult name parameters;                                                                      \
    __attribute__((visibility("default"))) CUresult name parameters                                \
    {                                                                                              \
        return name##_v2 arguments;                                                                \
    }

OLD_NAME(cuCtxDestroy, (CUcontext context), (context))
OLD_NAME(cuCtxPushCurrent, (CUcontext context), (context))
OLD_NAME(cuCtxPopCurrent, (CUcontext * context), (context))
OLD_NAME(cuStreamDestroy, (CUstream stream), (stream))
OLD_NAME(cuEventDestroy, (CUevent event), (event))
OLD_NAME(cuIpcOpenMemHandle, (CUdeviceptr * dptr, CUipcMemHandle handle, unsigned int flags),
         (dptr, handle, flags))
OLD_NAME(cuDevicePrimaryCtxRelease, (CUdevice device), (device))
OLD_NAME(cuDevicePrimaryCtxReset, (CUdevice device), (device))
OLD_NAME(cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned int flags), (device, flags))
OLD_NAME(cuLinkCreate, (unsigned n, CUjit_option *options, void **values, CUlinkState *state),
         (n, options, values, state))
OLD_NAME(cuLinkAddData,
         (CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
          unsigned n, CUjit_option *options, void **values),
         (state, type, data, size, name, n, options, values))
OLD_NAME(cuLinkAddFile,
         (CUlinkState state, CUjitInputType type, const char *path, unsigned n,
          CUjit_option *options, void **values),
         (state, type, path, n, options, values))
OLD_NAME(cuMemHostRegister, (void *p, size_t size, unsigned int flags), (p, size, flags))

/* The first version had pointers of 32 bits, which no program can have had here: one that asks for
 * this name has today's. */
OLD_NAME(cuMemcpyDtoDAsync, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream),
         (to, from, size, stream))

/* Until CUDA 12 a node's parameters ended before the kernel of a library and the context. */
static const CUDA_KERNEL_NODE_PARAMS *
of_first(const CUDA_KERNEL_NODE_PARAMS_v1 *first, CUDA_KERNEL_NODE_PARAMS *out)
{
    *out = (CUDA_KERNEL_NODE_PARAMS){0};
    if (first)
        memcpy(out, first, sizeof *first);
    return first ? out : NULL;
}

#define FIRST of_first(params, &(CUDA_KERNEL_NODE_PARAMS){0})
OLD_NAME(cuGraphAddKernelNode,
         (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t n,
          const CUDA_KERNEL_NODE_PARAMS_v1 *params),
         (node, graph, after, n, FIRST))
OLD_NAME(cuGraphExecKernelNodeSetParams,
         (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params),
         (exec, node, FIRST))
