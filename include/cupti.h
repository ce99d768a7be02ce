/* SPDX-License-Identifier: Apache-2.0
 *
 * cupti.h: says that this is not provided.
 */
#error "lockstep does not provide <cupti.h>: CUPTI is NVIDIA's closed library, and there is no replacement for it here"
