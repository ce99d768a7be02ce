/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_vdpau_interop.h: says that this is not provided.
 */
#error "lockstep does not provide <cuda_vdpau_interop.h>: the VDPAU interoperation needs a GPU with a display, and there is no replacement for it here"
