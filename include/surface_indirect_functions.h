/* SPDX-License-Identifier: Apache-2.0
 *
 * surface_indirect_functions.h: reading and writing surface objects in kernels; see crt/surface_side.h.
 */
#ifndef LOCKSTEP_SURFACE_INDIRECT_FUNCTIONS_H
#define LOCKSTEP_SURFACE_INDIRECT_FUNCTIONS_H
#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)
#include "crt/surface_side.h"
#endif
#endif
