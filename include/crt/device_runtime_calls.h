/* SPDX-License-Identifier: Apache-2.0
 *
 * device_runtime_calls.h: the calls of the runtime API that kernels may make. Memory is the device's
 * heap; copies are made at once by the calling thread.
 *
 * Launches from kernels: clang does not let kernels name kernels, so `lockstep cc` writes
 * child<<<...>>> as LOCKSTEP_NESTED(arguments, child)<<<...>>>, a launch through a pointer of which
 * the compiler knows nothing. A child grid runs to its end before the launch returns (one for
 * cudaStreamTailLaunch: when its parent has ended), so there is never one to wait for.
 */
#ifndef LOCKSTEP_DEVICE_RUNTIME_CALLS_H
#define LOCKSTEP_DEVICE_RUNTIME_CALLS_H

/* Streams of a kernel: launches run in order anyway. */
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

extern "C" {
__device__ inline cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int)
{
    *stream = (cudaStream_t)0x2;
    return cudaSuccess;
}
__device__ inline cudaError_t
cudaStreamDestroy(cudaStream_t)
{
    return cudaSuccess;
}
__device__ inline const char *
cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "an error of the device's runtime";
}
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
/* The handle is the address of the value. */
__device__ inline void
cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value)
{
    atomicExch((unsigned int *)handle, value);
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
__device__ int __lockstep_configure(unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                    unsigned long long, unsigned long long);
/* Nothing is to be done; tools are told. */
__device__ inline cudaError_t
cudaDeviceSynchronize(void)
{
    __lockstep_configure(0, 0, 0, 0, 0, 0, 0, ~0ull);
    return cudaSuccess;
}
__device__ inline cudaError_t
__cudaDeviceSynchronizeDeprecationAvoidance(void)
{
    return cudaDeviceSynchronize();
}
#if defined(__CUDA_ARCH__)
/* What child<<<...>>> becomes: this call, then one of the kernel. */
__host__ __device__ inline cudaError_t
cudaConfigureCall(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    __lockstep_configure(grid.x, grid.y, grid.z, block.x, block.y, block.z, shared,
                         (unsigned long long)stream);
    return cudaSuccess;
}
#endif
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

template <class __T, __T __K> struct __lockstep_nested {
    static __device__ constexpr __T pointer = __K;
    static __device__ __T
    kernel()
    {
        __T p = pointer;
        asm volatile("" : "+l"(p));
        return p;
    }
};

/* The type of the kernel that a launch with N arguments names: of overloaded ones that with N parameters. */
template <int __N, class __K> __host__ __device__ __K __lockstep_kernel(int, __K);
template <int __A, int __B, class __K> struct __lockstep_same {};
template <int __A, class __K> struct __lockstep_same<__A, __A, __K> {
    typedef __K type;
};
#define LOCKSTEP_KERNEL(n, classes, types)                                                         \
    template <int __N, LOCKSTEP_LIST classes>                                                        \
    __host__ __device__ typename __lockstep_same<n, __N, void (*)(LOCKSTEP_LIST types)>::type        \
    __lockstep_kernel(long, void (*)(LOCKSTEP_LIST types));
#define LOCKSTEP_LIST(...) __VA_ARGS__
LOCKSTEP_KERNEL(1, (class __T0), (__T0))
LOCKSTEP_KERNEL(2, (class __T0, class __T1), (__T0, __T1))
LOCKSTEP_KERNEL(3, (class __T0, class __T1, class __T2), (__T0, __T1, __T2))
LOCKSTEP_KERNEL(4, (class __T0, class __T1, class __T2, class __T3), (__T0, __T1, __T2, __T3))
LOCKSTEP_KERNEL(5, (class __T0, class __T1, class __T2, class __T3, class __T4), (__T0, __T1, __T2, __T3, __T4))
LOCKSTEP_KERNEL(6, (class __T0, class __T1, class __T2, class __T3, class __T4, class __T5),
                (__T0, __T1, __T2, __T3, __T4, __T5))
LOCKSTEP_KERNEL(7, (class __T0, class __T1, class __T2, class __T3, class __T4, class __T5, class __T6),
                (__T0, __T1, __T2, __T3, __T4, __T5, __T6))
LOCKSTEP_KERNEL(8, (class __T0, class __T1, class __T2, class __T3, class __T4, class __T5, class __T6,
                 class __T7),
                (__T0, __T1, __T2, __T3, __T4, __T5, __T6, __T7))
LOCKSTEP_KERNEL(9, (class __T0, class __T1, class __T2, class __T3, class __T4, class __T5, class __T6,
                 class __T7, class __T8),
                (__T0, __T1, __T2, __T3, __T4, __T5, __T6, __T7, __T8))
LOCKSTEP_KERNEL(10, (class __T0, class __T1, class __T2, class __T3, class __T4, class __T5, class __T6,
                 class __T7, class __T8, class __T9),
                (__T0, __T1, __T2, __T3, __T4, __T5, __T6, __T7, __T8, __T9))
LOCKSTEP_KERNEL(11, (class __T0, class __T1, class __T2, class __T3, class __T4, class __T5, class __T6,
                 class __T7, class __T8, class __T9, class __T10),
                (__T0, __T1, __T2, __T3, __T4, __T5, __T6, __T7, __T8, __T9, __T10))
LOCKSTEP_KERNEL(12, (class __T0, class __T1, class __T2, class __T3, class __T4, class __T5, class __T6,
                 class __T7, class __T8, class __T9, class __T10, class __T11),
                (__T0, __T1, __T2, __T3, __T4, __T5, __T6, __T7, __T8, __T9, __T10, __T11))
#undef LOCKSTEP_KERNEL

/* clang lets a kernel name no overloaded kernels at all, but a function of the host may. */
#if __cplusplus >= 201703L
#define LOCKSTEP_NESTED(n, ...)                                                                    \
    ({                                                                                             \
        constexpr auto __lockstep_named = [] __host__() constexpr {                                \
            decltype(__lockstep_kernel<n>(0, &__VA_ARGS__)) __lockstep_chosen = &__VA_ARGS__;      \
            return __lockstep_chosen;                                                              \
        };                                                                                         \
        __lockstep_nested<decltype(__lockstep_named()), __lockstep_named()>::kernel();             \
    })
#else
#define LOCKSTEP_NESTED(n, ...) __lockstep_nested<decltype(&__VA_ARGS__), &__VA_ARGS__>::kernel()
#endif

template <class __T>
__device__ inline cudaError_t
cudaMalloc(__T **pointer, size_t size)
{
    return cudaMalloc((void **)pointer, size);
}

#endif
