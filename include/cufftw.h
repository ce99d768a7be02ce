/* SPDX-License-Identifier: Apache-2.0
 *
 * cufftw.h: says that this is not provided.
 */
#error "lockstep does not provide <cufftw.h>: cuFFT is NVIDIA's closed library, and there is no replacement for it here"
