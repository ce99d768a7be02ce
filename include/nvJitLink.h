/* SPDX-License-Identifier: Apache-2.0
 *
 * nvJitLink.h: says that this is not provided.
 */
#error "lockstep does not provide <nvJitLink.h>: nvJitLink is NVIDIA's closed library, and there is no replacement for it here"
