/* SPDX-License-Identifier: Apache-2.0
 *
 * nvrtc.h: says that this is not provided.
 */
#error "lockstep does not provide <nvrtc.h>: NVRTC is NVIDIA's closed library, and there is no replacement for it here"
