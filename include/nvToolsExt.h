/* SPDX-License-Identifier: Apache-2.0
 *
 * nvToolsExt.h: says that this is not provided.
 */
#error "lockstep does not provide <nvToolsExt.h>: NVTX is NVIDIA's closed library, and there is no replacement for it here"
