/* SPDX-License-Identifier: Apache-2.0
 *
 * nccl.h: says that this is not provided.
 */
#error "lockstep does not provide <nccl.h>: NCCL is NVIDIA's closed library, and there is no replacement for it here"
