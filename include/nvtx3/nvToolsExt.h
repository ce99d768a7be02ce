/* SPDX-License-Identifier: Apache-2.0
 *
 * nvtx3/nvToolsExt.h: says that this is not provided.
 */
#error "lockstep does not provide <nvtx3/nvToolsExt.h>: NVTX is NVIDIA's closed library, and there is no replacement for it here"
