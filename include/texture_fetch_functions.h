/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_fetch_functions.h: reading textures in kernels; see crt/texture_side.h.
 */
#ifndef LOCKSTEP_TEXTURE_FETCH_FUNCTIONS_H
#define LOCKSTEP_TEXTURE_FETCH_FUNCTIONS_H
#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)
#include "crt/texture_side.h"
#endif
#endif
