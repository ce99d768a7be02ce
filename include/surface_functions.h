/* SPDX-License-Identifier: Apache-2.0
 *
 * surface_functions.h: reading and writing surfaces in kernels; see crt/surface_side.h.
 */
#ifndef LOCKSTEP_SURFACE_FUNCTIONS_H
#define LOCKSTEP_SURFACE_FUNCTIONS_H
#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)
#include "crt/surface_side.h"
#endif
#endif
