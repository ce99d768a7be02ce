/* SPDX-License-Identifier: Apache-2.0
 *
 * Pools of stream-ordered memory: what one API makes the other one uses, and both see the same of
 * it.
 */
#include <stdlib.h>

#include "common/unit.h"

#include "cuda.h"
#include "cuda_runtime_api.h"

static int
set_up(void **state)
{
    (void)state;
    CUdevice d;
    CUcontext c;
    setenv("LOCKSTEP_DEVICES", "2", 1);
    setenv("LOCKSTEP_QUIET", "1", 1);
    return cuInit(0) || cuDeviceGet(&d, 0) || cuDevicePrimaryCtxRetain(&c, d) ||
           cuCtxSetCurrent(c) || cudaSetDevice(0);
}

static cudaMemPool_t
of_runtime(void)
{
    cudaMemPool_t pool;
    struct cudaMemPoolProps p = {.allocType = cudaMemAllocationTypePinned,
                                 .location = {.type = cudaMemLocationTypeDevice, .id = 0}};
    assert_int_equal(cudaMemPoolCreate(&pool, &p), cudaSuccess);
    return pool;
}

static CUmemoryPool
of_driver(void)
{
    CUmemoryPool pool;
    CUmemPoolProps p = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    assert_int_equal(cuMemPoolCreate(&pool, &p), CUDA_SUCCESS);
    return pool;
}

static void
test_driver_uses_runtimes(void **state)
{
    (void)state;
    cudaMemPool_t pool = of_runtime();
    CUdeviceptr at = 0;
    int value = 0;
    assert_int_equal(cuMemAllocFromPoolAsync(&at, 4096, pool, NULL), CUDA_SUCCESS);
    assert_int_equal(cudaMemset((void *)at, 0x2a, 4096), cudaSuccess);
    assert_int_equal(cudaMemcpy(&value, (void *)(at + 4092), 4, cudaMemcpyDeviceToHost),
                     cudaSuccess);
    assert_int_equal(value, 0x2a2a2a2a);
    assert_int_equal(cudaFreeAsync((void *)at, NULL), cudaSuccess);
    assert_int_equal(cuMemPoolDestroy(pool), CUDA_SUCCESS);
    assert_int_equal(cudaMemPoolDestroy(pool), cudaErrorInvalidValue); /* once is enough for both */
}

static void
test_runtime_uses_drivers(void **state)
{
    (void)state;
    CUmemoryPool pool = of_driver();
    void *p = NULL;
    assert_int_equal(cudaMallocFromPoolAsync(&p, 4096, pool, NULL), cudaSuccess);
    assert_int_equal(cuMemsetD32((CUdeviceptr)p, 7, 1024), CUDA_SUCCESS);
    assert_int_equal(cuMemFreeAsync((CUdeviceptr)p, NULL), CUDA_SUCCESS);
    assert_int_equal(cudaMemPoolDestroy(pool), cudaSuccess);
    assert_int_equal(cudaMallocFromPoolAsync(&p, 4096, pool, NULL), cudaErrorInvalidValue);
    assert_int_equal(cuMemPoolTrimTo(pool, 0), CUDA_ERROR_INVALID_VALUE);
}

static void
test_one_choice_of_a_device(void **state)
{
    (void)state;
    cudaMemPool_t a, b, made = of_runtime();
    CUmemoryPool c;
    assert_int_equal(cudaDeviceGetDefaultMemPool(&a, 0), cudaSuccess);
    assert_int_equal(cuDeviceGetDefaultMemPool(&c, 0), CUDA_SUCCESS);
    assert_ptr_equal(a, c);
    assert_int_equal(cudaDeviceGetDefaultMemPool(&b, 1), cudaSuccess);
    assert_ptr_not_equal(a, b);
    assert_int_equal(cudaMemPoolDestroy(a), cudaErrorInvalidValue); /* a device's own */
    assert_int_equal(cudaDeviceSetMemPool(0, made), cudaSuccess);
    assert_int_equal(cuDeviceGetMemPool(&c, 0), CUDA_SUCCESS);
    assert_ptr_equal(c, made);
    assert_int_equal(cuMemPoolDestroy(made), CUDA_SUCCESS);
    assert_int_equal(cudaDeviceGetMemPool(&b, 0), cudaSuccess); /* its own again */
    assert_ptr_equal(b, a);
}

static void
test_attributes(void **state)
{
    (void)state;
    CUmemoryPool pool = of_driver();
    uint64_t bytes = 0, most = 1 << 20;
    int reuse = 0;
    CUdeviceptr at;
    assert_int_equal(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &reuse),
                     CUDA_SUCCESS);
    assert_int_equal(reuse, 1);
    assert_int_equal(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most),
                     cudaSuccess);
    assert_int_equal(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes),
                     CUDA_SUCCESS);
    assert_int_equal(bytes, most);
    assert_int_equal(cuMemAllocFromPoolAsync(&at, 8192, pool, NULL), CUDA_SUCCESS);
    assert_int_equal(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes),
                     CUDA_SUCCESS);
    assert_true(bytes >= 8192);
    assert_int_equal(cuMemFreeAsync(at, NULL), CUDA_SUCCESS);
    assert_int_equal(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)9, &bytes),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, NULL),
                     cudaErrorInvalidValue);
    assert_int_equal(cudaMemPoolDestroy(pool), cudaSuccess);
}

static void
test_access(void **state)
{
    (void)state;
    cudaMemPool_t pool = of_runtime();
    CUmemAccessDesc to = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1},
                          .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    enum cudaMemAccessFlags flags = 0;
    struct cudaMemLocation where = {.type = cudaMemLocationTypeDevice, .id = 1};
    assert_int_equal(cuMemPoolSetAccess(pool, &to, 1), CUDA_SUCCESS);
    assert_int_equal(cudaMemPoolGetAccess(&flags, pool, &where), cudaSuccess);
    assert_int_equal(flags, cudaMemAccessFlagsProtReadWrite);
    to.location.id = 2;
    assert_int_equal(cuMemPoolSetAccess(pool, &to, 1), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(cudaMemPoolDestroy(pool), cudaSuccess);
}

/* No pointer of a stranger is followed. */
static void
test_strangers(void **state)
{
    (void)state;
    int x;
    CUdeviceptr at;
    assert_int_equal(cuMemAllocFromPoolAsync(&at, 64, (CUmemoryPool)&x, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cudaDeviceSetMemPool(0, NULL), cudaErrorInvalidValue);
    assert_int_equal(cudaMemPoolDestroy((cudaMemPool_t)(uintptr_t)64), cudaErrorInvalidValue);
}

int
main(void)
{
    return UNIT_TESTS_IN(set_up, NULL, test_driver_uses_runtimes, test_runtime_uses_drivers,
                         test_one_choice_of_a_device, test_attributes, test_access, test_strangers);
}
