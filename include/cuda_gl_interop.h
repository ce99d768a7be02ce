/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_gl_interop.h: says that this is not provided.
 */
#error "lockstep does not provide <cuda_gl_interop.h>: the OpenGL interoperation needs a GPU with a display, and there is no replacement for it here"
