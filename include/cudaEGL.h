/* SPDX-License-Identifier: Apache-2.0
 *
 * cudaEGL.h: says that this is not provided.
 */
#error "lockstep does not provide <cudaEGL.h>: the EGL interoperation needs a GPU with a display, and there is no replacement for it here"
