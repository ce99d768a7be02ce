/* SPDX-License-Identifier: Apache-2.0
 *
 * cublas.h: says that this is not provided.
 */
#error "lockstep does not provide <cublas.h>: cuBLAS is NVIDIA's closed library, and there is no replacement for it here"
