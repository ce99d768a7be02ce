/* SPDX-License-Identifier: Apache-2.0
 *
 * cusolverSp.h: says that this is not provided.
 */
#error "lockstep does not provide <cusolverSp.h>: cuSOLVER is NVIDIA's closed library, and there is no replacement for it here"
