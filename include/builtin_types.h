/* SPDX-License-Identifier: Apache-2.0
 *
 * builtin_types.h: all types of the runtime API and the built-in vector types.
 */
#ifndef LOCKSTEP_BUILTIN_TYPES_H
#define LOCKSTEP_BUILTIN_TYPES_H
#include "device_types.h"
#include "driver_types.h"
#include "surface_types.h"
#include "texture_types.h"
#include "vector_types.h"
#endif
