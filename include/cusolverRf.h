/* SPDX-License-Identifier: Apache-2.0
 *
 * cusolverRf.h: says that this is not provided.
 */
#error "lockstep does not provide <cusolverRf.h>: cuSOLVER is NVIDIA's closed library, and there is no replacement for it here"
