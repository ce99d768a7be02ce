/* SPDX-License-Identifier: Apache-2.0
 *
 * cusolverMg.h: says that this is not provided.
 */
#error "lockstep does not provide <cusolverMg.h>: cuSOLVER is NVIDIA's closed library, and there is no replacement for it here"
