/* SPDX-License-Identifier: Apache-2.0
 *
 * cudaGL.h: says that this is not provided.
 */
#error "lockstep does not provide <cudaGL.h>: the OpenGL interoperation needs a GPU with a display, and there is no replacement for it here"
