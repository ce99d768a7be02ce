/* SPDX-License-Identifier: Apache-2.0
 *
 * cusolver_common.h: says that this is not provided.
 */
#error "lockstep does not provide <cusolver_common.h>: cuSOLVER is NVIDIA's closed library, and there is no replacement for it here"
