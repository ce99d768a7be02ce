/* SPDX-License-Identifier: Apache-2.0
 *
 * cusparse.h: says that this is not provided.
 */
#error "lockstep does not provide <cusparse.h>: cuSPARSE is NVIDIA's closed library, and there is no replacement for it here"
