/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_texture_types.h: texture<T, dim, mode>, the texture reference of older programs. clang keeps a
 * reference's host fields apart from its device handle.
 */
#ifndef LOCKSTEP_CUDA_TEXTURE_TYPES_H
#define LOCKSTEP_CUDA_TEXTURE_TYPES_H

#if defined(__cplusplus)

#include "channel_descriptor.h"
#include "texture_types.h"

template <class T, int dim = cudaTextureType1D,
          enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __device_builtin_texture_type__ texture : public textureReference {
    __host__ texture(int norm = 0, enum cudaTextureFilterMode fMode = cudaFilterModePoint,
                     enum cudaTextureAddressMode aMode = cudaAddressModeClamp)
        : texture(norm, fMode, aMode, cudaCreateChannelDesc<T>())
    {
    }
    __host__ texture(int norm, enum cudaTextureFilterMode fMode,
                     enum cudaTextureAddressMode aMode, cudaChannelFormatDesc desc)
        : textureReference()
    {
        normalized = norm;
        filterMode = fMode;
        addressMode[0] = addressMode[1] = addressMode[2] = aMode;
        channelDesc = desc;
    }
};

#endif

#endif
