/* SPDX-License-Identifier: Apache-2.0
 *
 * refused.c: the calls that need what a virtual device does not have: graphics,
 * external memory. Each says so and returns cudaErrorNotSupported.
 */
#include "cudart/cudart.h"
#pragma GCC visibility push(default)
#include "cuda_gl_interop.h"
#pragma GCC visibility pop

#define REFUSED(name, parameters, why)                                                             \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        RT(rt_refuse(why), "%s", "");                                                              \
    }

#define GRAPHICS "there is no graphics device"
#define EXTERNAL "memory and semaphores of other APIs"

/* clang-format off */
REFUSED(cudaGraphicsUnregisterResource, (cudaGraphicsResource_t a), GRAPHICS)
REFUSED(cudaGraphicsResourceSetMapFlags, (cudaGraphicsResource_t a, unsigned int b), GRAPHICS)
REFUSED(cudaGraphicsMapResources, (int a, cudaGraphicsResource_t *b, cudaStream_t c), GRAPHICS)
REFUSED(cudaGraphicsUnmapResources, (int a, cudaGraphicsResource_t *b, cudaStream_t c), GRAPHICS)
REFUSED(cudaGraphicsResourceGetMappedPointer, (void **a, size_t *b, cudaGraphicsResource_t c), GRAPHICS)
REFUSED(cudaGraphicsSubResourceGetMappedArray, (cudaArray_t *a, cudaGraphicsResource_t b, unsigned int c, unsigned int d), GRAPHICS)
REFUSED(cudaGraphicsResourceGetMappedMipmappedArray, (cudaMipmappedArray_t *a, cudaGraphicsResource_t b), GRAPHICS)

REFUSED(cudaGLGetDevices, (unsigned int *a, int *b, unsigned int c, enum cudaGLDeviceList d), GRAPHICS)
REFUSED(cudaGraphicsGLRegisterBuffer, (cudaGraphicsResource_t *a, unsigned int b, unsigned int c), GRAPHICS)
REFUSED(cudaGraphicsGLRegisterImage, (cudaGraphicsResource_t *a, unsigned int b, unsigned int c, unsigned int d), GRAPHICS)
REFUSED(cudaGLSetGLDevice, (int a), GRAPHICS)
REFUSED(cudaGLRegisterBufferObject, (unsigned int a), GRAPHICS)
REFUSED(cudaGLMapBufferObject, (void **a, unsigned int b), GRAPHICS)
REFUSED(cudaGLUnmapBufferObject, (unsigned int a), GRAPHICS)
REFUSED(cudaGLUnregisterBufferObject, (unsigned int a), GRAPHICS)

REFUSED(cudaImportExternalMemory, (cudaExternalMemory_t *a, const struct cudaExternalMemoryHandleDesc *b), EXTERNAL)
REFUSED(cudaExternalMemoryGetMappedBuffer, (void **a, cudaExternalMemory_t b, const struct cudaExternalMemoryBufferDesc *c), EXTERNAL)
REFUSED(cudaExternalMemoryGetMappedMipmappedArray, (cudaMipmappedArray_t *a, cudaExternalMemory_t b, const struct cudaExternalMemoryMipmappedArrayDesc *c), EXTERNAL)
REFUSED(cudaDestroyExternalMemory, (cudaExternalMemory_t a), EXTERNAL)
REFUSED(cudaImportExternalSemaphore, (cudaExternalSemaphore_t *a, const struct cudaExternalSemaphoreHandleDesc *b), EXTERNAL)
REFUSED(cudaSignalExternalSemaphoresAsync, (const cudaExternalSemaphore_t *a, const struct cudaExternalSemaphoreSignalParams *b, unsigned int c, cudaStream_t d), EXTERNAL)
REFUSED(cudaWaitExternalSemaphoresAsync, (const cudaExternalSemaphore_t *a, const struct cudaExternalSemaphoreWaitParams *b, unsigned int c, cudaStream_t d), EXTERNAL)
REFUSED(cudaDestroyExternalSemaphore, (cudaExternalSemaphore_t a), EXTERNAL)
/* clang-format on */
