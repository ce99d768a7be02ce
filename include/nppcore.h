/* SPDX-License-Identifier: Apache-2.0
 *
 * nppcore.h: says that this is not provided.
 */
#error "lockstep does not provide <nppcore.h>: NPP is NVIDIA's closed library, and there is no replacement for it here"
