/* SPDX-License-Identifier: Apache-2.0
 *
 * runtime_templates.h: the typed C++ forms of the runtime API: pointers of any type for cudaMalloc,
 * functions of any signature for launches and attributes, variables by name for the symbol calls.
 */
#ifndef LOCKSTEP_RUNTIME_TEMPLATES_H
#define LOCKSTEP_RUNTIME_TEMPLATES_H

#include "cuda_runtime_api.h"

#define LOCKSTEP_API static __inline__ __host__ __attribute__((unused)) cudaError_t

/* -- memory --------------------------------------------------------------------------------- */

template <class T>
LOCKSTEP_API
cudaMalloc(T **devPtr, size_t size)
{
    return ::cudaMalloc((void **)(void *)devPtr, size);
}
template <class T>
LOCKSTEP_API
cudaMallocHost(T **ptr, size_t size, unsigned int flags = 0)
{
    return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}
LOCKSTEP_API
cudaMallocHost(void **ptr, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc(ptr, size, flags);
}
template <class T>
LOCKSTEP_API
cudaHostAlloc(T **ptr, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}
template <class T>
LOCKSTEP_API
cudaHostGetDevicePointer(T **pDevice, void *pHost, unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)pDevice, pHost, flags);
}
template <class T>
LOCKSTEP_API
cudaMallocManaged(T **devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)devPtr, size, flags);
}
template <class T>
LOCKSTEP_API
cudaMallocPitch(T **devPtr, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)devPtr, pitch, width, height);
}
template <class T>
LOCKSTEP_API
cudaMallocAsync(T **devPtr, size_t size, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)devPtr, size, stream);
}
LOCKSTEP_API
cudaMallocAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(ptr, size, memPool, stream);
}
template <class T>
LOCKSTEP_API
cudaMallocAsync(T **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}
template <class T>
LOCKSTEP_API
cudaMallocFromPoolAsync(T **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}
template <class T>
LOCKSTEP_API
cudaStreamAttachMemAsync(cudaStream_t stream, T *devPtr, size_t length = 0,
                         unsigned int flags = cudaMemAttachSingle)
{
    return ::cudaStreamAttachMemAsync(stream, (void *)devPtr, length, flags);
}
template <class T>
LOCKSTEP_API
cudaGraphicsResourceGetMappedPointer(T **devPtr, size_t *size, cudaGraphicsResource_t resource)
{
    return ::cudaGraphicsResourceGetMappedPointer((void **)(void *)devPtr, size, resource);
}
/* The forms that take a location instead of a device's number. */
LOCKSTEP_API
cudaMemAdvise(const void *devPtr, size_t count, cudaMemoryAdvise advice, cudaMemLocation location)
{
    return ::cudaMemAdvise_v2(devPtr, count, advice, location);
}
LOCKSTEP_API
cudaMemPrefetchAsync(const void *devPtr, size_t count, cudaMemLocation location,
                     unsigned int flags, cudaStream_t stream = 0)
{
    return ::cudaMemPrefetchAsync_v2(devPtr, count, location, flags, stream);
}

/* -- variables by name ---------------------------------------------------------------------- */

template <class T>
LOCKSTEP_API
cudaGetSymbolAddress(void **devPtr, const T &symbol)
{
    return ::cudaGetSymbolAddress(devPtr, (const void *)&symbol);
}
template <class T, class S>
LOCKSTEP_API
cudaGetSymbolAddress(T **devPtr, const S &symbol)
{
    return ::cudaGetSymbolAddress((void **)(void *)devPtr, (const void *)&symbol);
}
template <class T>
LOCKSTEP_API
cudaGetSymbolSize(size_t *size, const T &symbol)
{
    return ::cudaGetSymbolSize(size, (const void *)&symbol);
}
template <class T>
LOCKSTEP_API
cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count, size_t offset = 0,
                   cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <class T>
LOCKSTEP_API
cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                        cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <class T>
LOCKSTEP_API
cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0,
                     cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
LOCKSTEP_API
cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                          cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}
template <class T>
LOCKSTEP_API
cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *dependencies, size_t numDependencies,
                               const T &symbol, const void *src, size_t count, size_t offset,
                               cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, numDependencies,
                                            (const void *)&symbol, src, count, offset, kind);
}
template <class T>
LOCKSTEP_API
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies, size_t numDependencies,
                                 void *dst, const T &symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, numDependencies, dst,
                                              (const void *)&symbol, count, offset, kind);
}

/* -- functions ------------------------------------------------------------------------------ */

template <class T>
LOCKSTEP_API
cudaLaunchKernel(T *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem = 0,
                 cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)func, gridDim, blockDim, args, sharedMem, stream);
}
template <class T>
LOCKSTEP_API
cudaLaunchCooperativeKernel(T *func, dim3 gridDim, dim3 blockDim, void **args,
                            size_t sharedMem = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)func, gridDim, blockDim, args, sharedMem,
                                         stream);
}
/* Converts each argument to its parameter's type, as a call would. */
template <class... Parameters, class... Arguments>
LOCKSTEP_API
cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                   Arguments &&...arguments)
{
    return [&](Parameters... values) {
        void *args[] = {(void *)&values..., nullptr};
        return ::cudaLaunchKernelExC(config, (const void *)kernel, args);
    }((Arguments &&)arguments...);
}
template <class T>
LOCKSTEP_API
cudaFuncSetCacheConfig(T *func, cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig((const void *)func, config);
}
template <class T>
LOCKSTEP_API
cudaFuncSetSharedMemConfig(T *func, cudaSharedMemConfig config)
{
    return ::cudaFuncSetSharedMemConfig((const void *)func, config);
}
template <class T>
LOCKSTEP_API
cudaFuncGetAttributes(cudaFuncAttributes *attr, T *func)
{
    return ::cudaFuncGetAttributes(attr, (const void *)func);
}
template <class T>
LOCKSTEP_API
cudaFuncSetAttribute(T *func, cudaFuncAttribute attr, int value)
{
    return ::cudaFuncSetAttribute((const void *)func, attr, value);
}
template <class T>
LOCKSTEP_API
cudaFuncGetName(const char **name, T *func)
{
    return ::cudaFuncGetName(name, (const void *)func);
}
template <class T>
LOCKSTEP_API
cudaGetKernel(cudaKernel_t *kernel, T *func)
{
    return ::cudaGetKernel(kernel, (const void *)func);
}

/* -- occupancy ------------------------------------------------------------------------------ */

template <class T>
LOCKSTEP_API
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, T func, int blockSize,
                                              size_t dynamicSMemSize)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, (const void *)func,
                                                           blockSize, dynamicSMemSize);
}
template <class T>
LOCKSTEP_API
cudaOccupancyMaxActiveClusters(int *numClusters, T *func, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxActiveClusters(numClusters, (const void *)func, config);
}
template <class T>
LOCKSTEP_API
cudaOccupancyMaxPotentialClusterSize(int *clusterSize, T *func, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxPotentialClusterSize(clusterSize, (const void *)func, config);
}
template <class T>
LOCKSTEP_API
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, T func, int blockSize,
                                                       size_t dynamicSMemSize, unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, (const void *)func, blockSize, dynamicSMemSize, flags);
}
template <class T>
LOCKSTEP_API
cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, T *func, int numBlocks,
                                          int blockSize)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, (const void *)func,
                                                       numBlocks, blockSize);
}
/* The block size, a multiple of the warp size, with the most threads resident on a multiprocessor;
 * the larger block where two are equal. */
template <class SharedOfBlock, class T>
LOCKSTEP_API
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *minGridSize, int *blockSize, T func,
                                                        SharedOfBlock sharedOfBlock,
                                                        int blockSizeLimit, unsigned int flags)
{
    if (!minGridSize || !blockSize)
        return cudaErrorInvalidValue;
    int device = 0, processors = 0, resident_limit = 0, warp = 32;
    cudaFuncAttributes attributes;
    cudaError_t e = ::cudaGetDevice(&device);
    if (e == cudaSuccess)
        e = ::cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (e == cudaSuccess)
        e = ::cudaDeviceGetAttribute(&resident_limit, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    if (e == cudaSuccess)
        e = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    if (e == cudaSuccess)
        e = ::cudaFuncGetAttributes(&attributes, (const void *)func);
    if (e != cudaSuccess)
        return e;
    int limit = attributes.maxThreadsPerBlock;
    if (blockSizeLimit > 0 && blockSizeLimit < limit)
        limit = blockSizeLimit;
    int best = 0, best_size = 0, best_blocks = 0;
    for (int size = (limit + warp - 1) / warp * warp; size > 0; size -= warp) {
        int threads = size < limit ? size : limit, blocks = 0;
        e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, (const void *)func, threads, sharedOfBlock(threads), flags);
        if (e != cudaSuccess)
            return e;
        if (blocks * threads > best)
            best = blocks * threads, best_size = threads, best_blocks = blocks;
        if (best == resident_limit)
            break;
    }
    *minGridSize = best_blocks * processors;
    *blockSize = best_size;
    return cudaSuccess;
}
template <class SharedOfBlock, class T>
LOCKSTEP_API
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize, int *blockSize, T func,
                                               SharedOfBlock sharedOfBlock, int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, sharedOfBlock, blockSizeLimit, cudaOccupancyDefault);
}
template <class T>
LOCKSTEP_API
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, T func,
                                            size_t dynamicSMemSize = 0, int blockSizeLimit = 0,
                                            unsigned int flags = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, [=](int) { return dynamicSMemSize; }, blockSizeLimit, flags);
}
template <class T>
LOCKSTEP_API
cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, T func,
                                   size_t dynamicSMemSize = 0, int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func,
                                                       dynamicSMemSize, blockSizeLimit,
                                                       cudaOccupancyDefault);
}

/* -- events, graphs ------------------------------------------------------------------------- */

LOCKSTEP_API
cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}
/* The form of versions before 12, which reports the node that failed. */
LOCKSTEP_API
cudaGraphInstantiate(cudaGraphExec_t *graphExec, cudaGraph_t graph, cudaGraphNode_t *errorNode,
                     char *logBuffer, size_t bufferSize)
{
    if (errorNode)
        *errorNode = nullptr;
    if (logBuffer && bufferSize)
        logBuffer[0] = '\0';
    return ::cudaGraphInstantiate(graphExec, graph, 0);
}
LOCKSTEP_API
cudaGraphExecUpdate(cudaGraphExec_t graphExec, cudaGraph_t graph, cudaGraphNode_t *errorNode,
                    cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t e = ::cudaGraphExecUpdate(graphExec, graph, &info);
    if (errorNode)
        *errorNode = info.errorNode;
    if (result)
        *result = info.result;
    return e;
}

#include "graph_edges.h"

/* -- textures by reference ------------------------------------------------------------------ */

template <class T, int dim, enum cudaTextureReadMode mode>
LOCKSTEP_API
cudaBindTexture(size_t *offset, const texture<T, dim, mode> &tex, const void *devPtr,
                const cudaChannelFormatDesc &desc, size_t size = UINT_MAX)
{
    return ::cudaBindTexture(offset, (const textureReference *)(const void *)&tex, devPtr, &desc, size);
}
template <class T, int dim, enum cudaTextureReadMode mode>
LOCKSTEP_API
cudaBindTexture(size_t *offset, const texture<T, dim, mode> &tex, const void *devPtr,
                size_t size = UINT_MAX)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    return ::cudaBindTexture(offset, (const textureReference *)(const void *)&tex, devPtr, &desc, size);
}
template <class T, int dim, enum cudaTextureReadMode mode>
LOCKSTEP_API
cudaBindTexture2D(size_t *offset, const texture<T, dim, mode> &tex, const void *devPtr,
                  const cudaChannelFormatDesc &desc, size_t width, size_t height, size_t pitch)
{
    return ::cudaBindTexture2D(offset, (const textureReference *)(const void *)&tex, devPtr, &desc,
                               width, height, pitch);
}
template <class T, int dim, enum cudaTextureReadMode mode>
LOCKSTEP_API
cudaBindTexture2D(size_t *offset, const texture<T, dim, mode> &tex, const void *devPtr,
                  size_t width, size_t height, size_t pitch)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    return ::cudaBindTexture2D(offset, (const textureReference *)(const void *)&tex, devPtr, &desc,
                               width, height, pitch);
}
template <class T, int dim, enum cudaTextureReadMode mode>
LOCKSTEP_API
cudaBindTextureToArray(const texture<T, dim, mode> &tex, cudaArray_const_t array,
                       const cudaChannelFormatDesc &desc)
{
    return ::cudaBindTextureToArray((const textureReference *)(const void *)&tex, array, &desc);
}
template <class T, int dim, enum cudaTextureReadMode mode>
LOCKSTEP_API
cudaBindTextureToArray(const texture<T, dim, mode> &tex, cudaArray_const_t array)
{
    cudaChannelFormatDesc desc;
    cudaError_t e = ::cudaGetChannelDesc(&desc, array);
    return e != cudaSuccess ? e : cudaBindTextureToArray(tex, array, desc);
}
template <class T, int dim, enum cudaTextureReadMode mode>
LOCKSTEP_API
cudaUnbindTexture(const texture<T, dim, mode> &tex)
{
    return ::cudaUnbindTexture((const textureReference *)(const void *)&tex);
}
template <class T, int dim, enum cudaTextureReadMode mode>
LOCKSTEP_API
cudaGetTextureAlignmentOffset(size_t *offset, const texture<T, dim, mode> &tex)
{
    return ::cudaGetTextureAlignmentOffset(offset, (const textureReference *)(const void *)&tex);
}
template <class T, int dim>
LOCKSTEP_API
cudaBindSurfaceToArray(const surface<T, dim> &surf, cudaArray_const_t array,
                       const cudaChannelFormatDesc &desc)
{
    return ::cudaBindSurfaceToArray((const surfaceReference *)(const void *)&surf, array, &desc);
}
template <class T, int dim>
LOCKSTEP_API
cudaBindSurfaceToArray(const surface<T, dim> &surf, cudaArray_const_t array)
{
    cudaChannelFormatDesc desc;
    cudaError_t e = ::cudaGetChannelDesc(&desc, array);
    return e != cudaSuccess ? e : cudaBindSurfaceToArray(surf, array, desc);
}

#undef LOCKSTEP_API

#endif
