/* SPDX-License-Identifier: Apache-2.0
 *
 * cusparse_v2.h: says that this is not provided.
 */
#error "lockstep does not provide <cusparse_v2.h>: cuSPARSE is NVIDIA's closed library, and there is no replacement for it here"
