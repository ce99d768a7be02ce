/* SPDX-License-Identifier: Apache-2.0
 *
 * cublasXt.h: says that this is not provided.
 */
#error "lockstep does not provide <cublasXt.h>: cuBLAS is NVIDIA's closed library, and there is no replacement for it here"
