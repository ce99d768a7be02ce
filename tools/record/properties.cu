// SPDX-License-Identifier: Apache-2.0
//
// Prints what the runtime tells about device 0: name,value.
#include <cstdio>

int
main()
{
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess)
        return 1;
    int clock = 0, memory_clock = 0;
    cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
    cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, 0);
    printf("name,value\n");
    printf("name,%s\n", p.name);
    printf("cc,%d.%d\n", p.major, p.minor);
    printf("multiProcessorCount,%d\n", p.multiProcessorCount);
    printf("clockRate,%d\nmemoryClockRate,%d\nmemoryBusWidth,%d\n", clock, memory_clock,
           p.memoryBusWidth);
    printf("totalGlobalMem,%zu\nl2CacheSize,%d\n", p.totalGlobalMem, p.l2CacheSize);
    printf("sharedMemPerBlock,%zu\nsharedMemPerBlockOptin,%zu\nsharedMemPerMultiprocessor,%zu\n"
           "reservedSharedMemPerBlock,%zu\n",
           p.sharedMemPerBlock, p.sharedMemPerBlockOptin, p.sharedMemPerMultiprocessor,
           p.reservedSharedMemPerBlock);
    printf("regsPerBlock,%d\nregsPerMultiprocessor,%d\n", p.regsPerBlock,
           p.regsPerMultiprocessor);
    printf("maxBlocksPerMultiProcessor,%d\nmaxThreadsPerMultiProcessor,%d\n",
           p.maxBlocksPerMultiProcessor, p.maxThreadsPerMultiProcessor);
    printf("asyncEngineCount,%d\ntextureAlignment,%zu\n", p.asyncEngineCount, p.textureAlignment);
    int linear = 0;
    cudaDeviceGetAttribute(&linear, cudaDevAttrMaxTexture1DLinearWidth, 0);
    printf("maxTexture1D,%d\nmaxTexture1DLinear,%d\n", p.maxTexture1D, linear);
    printf("maxTexture2D,%dx%d\nmaxTexture2DLinear,%dx%dx%d\nmaxTexture3D,%dx%dx%d\n",
           p.maxTexture2D[0], p.maxTexture2D[1], p.maxTexture2DLinear[0], p.maxTexture2DLinear[1],
           p.maxTexture2DLinear[2], p.maxTexture3D[0], p.maxTexture3D[1], p.maxTexture3D[2]);
    return 0;
}
