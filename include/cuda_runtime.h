/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_runtime.h: CUDA C++ as a program sees it: the runtime API, its templates, the vector types,
 * and (in translation units compiled as CUDA) everything that kernels can call. `lockstep cc`
 * includes it at the head of every .cu file.
 *
 * Start reading in cuda_runtime_api.h for calls of the host, crt/device_side.h for kernels.
 */
#ifndef LOCKSTEP_CUDA_RUNTIME_H
#define LOCKSTEP_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* programs ask for this name */

#include "crt/host_config.h"

#include "crt/quiet_begin.h"
#include "builtin_types.h"
#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "library_types.h"
#include "vector_functions.h"

#if defined(__cplusplus)
#if defined(__CUDA__) && defined(__clang__)
#include <assert.h>
#include <stdio.h>

#include "crt/device_side.h"
#ifndef LOCKSTEP_SHARED_MATH
#include "crt/host_math.h"
#endif
#include "crt/managed.h"
#include "texture_fetch_functions.h"
#include "texture_indirect_functions.h"
#include "surface_functions.h"
#include "surface_indirect_functions.h"
#else
#include "cuda_texture_types.h"
#include "cuda_surface_types.h"
#endif
#include "crt/runtime_templates.h"
#endif

#include "crt/quiet_end.h"

#endif
