/* SPDX-License-Identifier: Apache-2.0
 *
 * nvml.h: says that this is not provided.
 */
#error "lockstep does not provide <nvml.h>: NVML is NVIDIA's closed library, and there is no replacement for it here"
