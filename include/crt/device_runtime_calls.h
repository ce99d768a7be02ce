/* SPDX-License-Identifier: Apache-2.0
 *
 * device_runtime_calls.h: the calls of the runtime API that kernels may make, as far as they need no
 * launch from a kernel (dynamic parallelism, which clang does not compile). Memory is the device's
 * heap; copies are made at once by the calling thread; there are no child grids to wait for.
 */
#ifndef LOCKSTEP_DEVICE_RUNTIME_CALLS_H
#define LOCKSTEP_DEVICE_RUNTIME_CALLS_H

extern "C" {
__device__ inline cudaError_t
cudaMalloc(void **pointer, size_t size)
{
    *pointer = malloc(size);
    return *pointer || !size ? cudaSuccess : cudaErrorMemoryAllocation;
}
__device__ inline cudaError_t
cudaFree(void *pointer)
{
    free(pointer);
    return cudaSuccess;
}
__device__ inline cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind,
                cudaStream_t = nullptr)
{
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return cudaSuccess;
}
__device__ inline cudaError_t
cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t = nullptr)
{
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = (char)value;
    return cudaSuccess;
}
__device__ inline cudaError_t
cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}
__device__ inline cudaError_t
__cudaDeviceSynchronizeDeprecationAvoidance(void)
{
    return cudaSuccess;
}
/* No buffer: the launch that would follow is not made, which libraries test for. */
__device__ inline void *
cudaGetParameterBuffer(size_t, size_t)
{
    return nullptr;
}
__device__ inline cudaError_t
cudaLaunchDevice(void *, void *, dim3, dim3, unsigned int, cudaStream_t)
{
    return cudaErrorNotSupported;
}
__device__ inline cudaError_t
cudaGetLastError(void)
{
    return cudaSuccess;
}
__device__ inline cudaError_t
cudaPeekAtLastError(void)
{
    return cudaSuccess;
}
__device__ inline cudaError_t
cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}
}

template <class T>
__device__ inline cudaError_t
cudaMalloc(T **pointer, size_t size)
{
    return cudaMalloc((void **)pointer, size);
}

#endif
