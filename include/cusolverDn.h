/* SPDX-License-Identifier: Apache-2.0
 *
 * cusolverDn.h: says that this is not provided.
 */
#error "lockstep does not provide <cusolverDn.h>: cuSOLVER is NVIDIA's closed library, and there is no replacement for it here"
