/* SPDX-License-Identifier: Apache-2.0
 *
 * cufftXt.h: says that this is not provided.
 */
#error "lockstep does not provide <cufftXt.h>: cuFFT is NVIDIA's closed library, and there is no replacement for it here"
