/* SPDX-License-Identifier: Apache-2.0
 *
 * curand.h: says that this is not provided.
 */
#error "lockstep does not provide <curand.h>: cuRAND is NVIDIA's closed library, and there is no replacement for it here"
