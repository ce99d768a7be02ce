// SPDX-License-Identifier: Apache-2.0
//
// What both APIs answer to launches with clusters, their attributes and occupancy, as CSV. The same program runs on a
// real GPU (record.sh: tests/data/h200_cluster_launches.csv) and on the virtual one (tests/cudart/cluster_launches_test.sh).
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void plain(int *p) { if (p) p[blockIdx.x] = 1; }
__global__ void __cluster_dims__(2, 1, 1) fixed(int *p) { if (p) p[blockIdx.x] = 1; }
__global__ void __launch_bounds__(256, 1, 4) bounded(int *p) { if (p) p[blockIdx.x] = 1; }
__global__ void shared(int *p) { extern __shared__ int s[]; s[threadIdx.x] = 1; __syncthreads(); if (p) p[blockIdx.x] = s[0]; }

static const struct { const char *name; const void *at; } kernels[] = {
    {"plain", (const void *)plain}, {"fixed", (const void *)fixed}, {"bounded", (const void *)bounded}, {"shared", (const void *)shared}};

static void clear() { cudaGetLastError(); }

// One launch by each API: what the call says, and what the end of the work says.
static void
launch(int k, dim3 grid, dim3 block, size_t bytes, dim3 cluster, bool attribute)
{
    cudaLaunchAttribute a[1];
    memset(a, 0, sizeof a);
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = cluster.x, a[0].val.clusterDim.y = cluster.y, a[0].val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t c;
    memset(&c, 0, sizeof c);
    c.gridDim = grid, c.blockDim = block, c.dynamicSmemBytes = bytes;
    c.attrs = a, c.numAttrs = attribute;
    int *p = NULL;
    void *args[] = {&p};
    cudaError_t said = cudaLaunchKernelExC(&c, kernels[k].at, args);
    cudaError_t then = cudaDeviceSynchronize();
    clear();
    CUlaunchAttribute b[1];
    memset(b, 0, sizeof b);
    b[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    b[0].value.clusterDim.x = cluster.x, b[0].value.clusterDim.y = cluster.y, b[0].value.clusterDim.z = cluster.z;
    CUlaunchConfig d;
    memset(&d, 0, sizeof d);
    d.gridDimX = grid.x, d.gridDimY = grid.y, d.gridDimZ = grid.z;
    d.blockDimX = block.x, d.blockDimY = block.y, d.blockDimZ = block.z;
    d.sharedMemBytes = (unsigned)bytes, d.attrs = b, d.numAttrs = attribute;
    cudaFunction_t f;
    cudaGetFuncBySymbol(&f, kernels[k].at);
    CUresult result = cuLaunchKernelEx(&d, (CUfunction)f, args, NULL);
    cudaDeviceSynchronize();
    clear();
    printf("launch,%s %ux%ux%u of %u shared %zu cluster ", kernels[k].name, grid.x, grid.y, grid.z, block.x, bytes);
    if (attribute)
        printf("%ux%ux%u", cluster.x, cluster.y, cluster.z);
    else
        printf("none");
    printf(",%d %d %d\n", (int)said, (int)then, (int)result);
}

static void
launches(const char *)
{
    const dim3 none(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        launch(k, dim3(8), dim3(32), 0, none, false);
        launch(k, dim3(7), dim3(32), 0, none, false);
        for (unsigned n = 1; n <= 32; n *= 2)
            launch(k, dim3(64), dim3(32), 0, dim3(n, 1, 1), true);
        launch(k, dim3(64), dim3(32), 0, dim3(3, 1, 1), true);
        launch(k, dim3(63), dim3(32), 0, dim3(3, 1, 1), true);
        launch(k, dim3(7), dim3(32), 0, dim3(2, 1, 1), true);
        launch(k, dim3(8, 3), dim3(32), 0, dim3(2, 2, 1), true);
        launch(k, dim3(8, 4), dim3(32), 0, dim3(2, 2, 1), true);
        launch(k, dim3(8, 4), dim3(32), 0, dim3(1, 2, 1), true);
        launch(k, dim3(8), dim3(32), 0, dim3(0, 0, 0), true);
        launch(k, dim3(8), dim3(32), 0, dim3(2, 0, 0), true);
        launch(k, dim3(8), dim3(32), 0, dim3(0, 1, 1), true);
        launch(k, dim3(64), dim3(32), 0, dim3(12, 1, 1), true);
    }
    launch(0, dim3(16), dim3(1025), 0, dim3(2, 1, 1), true);
    launch(3, dim3(16), dim3(32), 50000, dim3(2, 1, 1), true);
}

// Attributes of functions as they are, and what setting them answers.
static void
show(int k)
{
    cudaFuncAttributes a;
    cudaError_t e = cudaFuncGetAttributes(&a, kernels[k].at);
    printf("attributes,%s,%d must %d required %d %d %d policy %d non-portable %d\n", kernels[k].name, (int)e, a.clusterDimMustBeSet,
           a.requiredClusterWidth, a.requiredClusterHeight, a.requiredClusterDepth, a.clusterSchedulingPolicyPreference,
           a.nonPortableClusterSizeAllowed);
    cudaFunction_t f;
    cudaGetFuncBySymbol(&f, kernels[k].at);
    int v[6];
    const CUfunction_attribute which[6] = {CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
        CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
        CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED};
    for (int i = 0; i < 6; i++)
        if (cuFuncGetAttribute(&v[i], which[i], (CUfunction)f) != CUDA_SUCCESS)
            v[i] = -1;
    printf("driver attributes,%s,%d %d %d %d %d %d\n", kernels[k].name, v[0], v[1], v[2], v[3], v[4], v[5]);
}

static void
set(int k, cudaFuncAttribute what, int value)
{
    cudaError_t e = cudaFuncSetAttribute(kernels[k].at, what, value);
    printf("set,%s %d to %d,%d\n", kernels[k].name, (int)what, value, (int)e);
    clear();
}

static void
occupancy(int threads, size_t bytes, unsigned n)
{
    cudaLaunchAttribute a[1];
    memset(a, 0, sizeof a);
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = n, a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t c;
    memset(&c, 0, sizeof c);
    c.gridDim = dim3(n * 64), c.blockDim = dim3(threads), c.dynamicSmemBytes = bytes, c.attrs = a, c.numAttrs = n > 0;
    int clusters = -1, size = -1;
    cudaError_t e = cudaOccupancyMaxActiveClusters(&clusters, (const void *)shared, &c);
    clear();
    cudaError_t g = cudaOccupancyMaxPotentialClusterSize(&size, (const void *)shared, &c);
    clear();
    printf("occupancy,%d threads %zu bytes cluster %u,%d %d %d %d\n", threads, bytes, n, (int)e, clusters, (int)g, size);
}

int
main()
{
    int v = 0;
    cudaFree(NULL);
    cudaDeviceGetAttribute(&v, cudaDevAttrClusterLaunch, 0);
    printf("device,cluster launch,%d\n", v);
    for (int k = 0; k < 3; k++)
        show(k);
    launches("portable");
    const int bytes[] = {0, 1000, 48 << 10, 100 << 10, 113 << 10, 200 << 10, 227 << 10};
    cudaFuncSetAttribute((const void *)shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10);
    for (int threads : {32, 256, 1024})
        for (int b : bytes)
            for (unsigned n : {1u, 2u, 4u, 8u, 16u})
                occupancy(threads, b, n);
    for (unsigned n : {0u, 3u, 5u, 6u, 7u, 12u})
        occupancy(256, 200 << 10, n);
    for (int k = 0; k < 4; k++)
        set(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    set(0, cudaFuncAttributeNonPortableClusterSizeAllowed, 2);
    set(0, cudaFuncAttributeNonPortableClusterSizeAllowed, -1);
    set(0, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    set(0, cudaFuncAttributeClusterSchedulingPolicyPreference, 1);
    set(0, cudaFuncAttributeClusterSchedulingPolicyPreference, 2);
    set(0, cudaFuncAttributeClusterSchedulingPolicyPreference, 7);
    for (int k = 0; k < 3; k++)
        show(k);
    launches("non-portable");
    for (int threads : {32, 256, 1024})
        for (int b : bytes)
            occupancy(threads, b, 16);
    for (unsigned n : {9u, 10u, 12u, 16u, 17u, 32u})
        occupancy(256, 200 << 10, n);
    set(1, cudaFuncAttributeRequiredClusterWidth, 4);
    set(1, cudaFuncAttributeClusterDimMustBeSet, 1);
    set(2, cudaFuncAttributeClusterDimMustBeSet, 1);
    show(2);
    launch(2, dim3(8), dim3(32), 0, dim3(0, 0, 0), false);
    launch(2, dim3(8), dim3(32), 0, dim3(2, 1, 1), true);
    set(2, cudaFuncAttributeClusterDimMustBeSet, 0);
    set(0, cudaFuncAttributeRequiredClusterWidth, 4);
    show(0);
    launch(0, dim3(8), dim3(32), 0, dim3(0, 0, 0), false);
    set(0, cudaFuncAttributeRequiredClusterHeight, 1);
    set(0, cudaFuncAttributeRequiredClusterDepth, 1);
    show(0);
    launch(0, dim3(8), dim3(32), 0, dim3(0, 0, 0), false);
    launch(0, dim3(6), dim3(32), 0, dim3(0, 0, 0), false);
    launch(0, dim3(8), dim3(32), 0, dim3(2, 1, 1), true);
    launch(0, dim3(8), dim3(32), 0, dim3(4, 1, 1), true);
    set(0, cudaFuncAttributeRequiredClusterWidth, 0);
    set(0, cudaFuncAttributeRequiredClusterWidth, -1);
    set(0, cudaFuncAttributeRequiredClusterWidth, 64);
    return 0;
}
