/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_surface_types.h: surface<T, dim>, the surface reference of older programs.
 */
#ifndef LOCKSTEP_CUDA_SURFACE_TYPES_H
#define LOCKSTEP_CUDA_SURFACE_TYPES_H

#if defined(__cplusplus)

#include "channel_descriptor.h"
#include "surface_types.h"

template <class T, int dim = cudaSurfaceType1D>
struct __device_builtin_surface_type__ surface : public surfaceReference {
    __host__ surface() : surfaceReference()
    {
    }
};
template <int dim>
struct __device_builtin_surface_type__ surface<void, dim> : public surfaceReference {
    __host__ surface() : surfaceReference()
    {
    }
};

#endif

#endif
