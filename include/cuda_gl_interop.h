/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_gl_interop.h: sharing buffers with OpenGL. A virtual device draws nothing: programs that only
 * include this header, or decide at run time, build; each call says that it is refused and returns
 * cudaErrorNotSupported.
 */
#ifndef LOCKSTEP_CUDA_GL_INTEROP_H
#define LOCKSTEP_CUDA_GL_INTEROP_H

#include "cuda_runtime_api.h"

enum cudaGLDeviceList {
    cudaGLDeviceListAll = 1,
    cudaGLDeviceListCurrentFrame = 2,
    cudaGLDeviceListNextFrame = 3
};

#ifdef __cplusplus
extern "C" {
#endif

/* GLuint and GLenum are unsigned int. */
cudaError_t cudaGLGetDevices(unsigned int *count, int *devices, unsigned int most,
                             enum cudaGLDeviceList list);
cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource,
                                         unsigned int buffer, unsigned int flags);
cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource, unsigned int image,
                                        unsigned int target, unsigned int flags);
cudaError_t cudaGLSetGLDevice(int device);
cudaError_t cudaGLRegisterBufferObject(unsigned int buffer);
cudaError_t cudaGLMapBufferObject(void **pointer, unsigned int buffer);
cudaError_t cudaGLUnmapBufferObject(unsigned int buffer);
cudaError_t cudaGLUnregisterBufferObject(unsigned int buffer);

#ifdef __cplusplus
}
#endif

#endif
