/* SPDX-License-Identifier: Apache-2.0
 *
 * channel_descriptor.h: cudaCreateChannelDesc<T>() for the types that a texture or array can hold.
 */
#ifndef LOCKSTEP_CHANNEL_DESCRIPTOR_H
#define LOCKSTEP_CHANNEL_DESCRIPTOR_H
#define __CHANNEL_DESCRIPTOR_H__ /* programs ask for this name */

#if defined(__cplusplus)

#include "cuda_runtime_api.h"

template <class T>
__inline__ __host__ cudaChannelFormatDesc
cudaCreateChannelDesc()
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

static __inline__ __host__ __attribute__((unused)) cudaChannelFormatDesc
cudaCreateChannelDescHalf()
{
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static __inline__ __host__ __attribute__((unused)) cudaChannelFormatDesc
cudaCreateChannelDescHalf1()
{
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static __inline__ __host__ __attribute__((unused)) cudaChannelFormatDesc
cudaCreateChannelDescHalf2()
{
    return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static __inline__ __host__ __attribute__((unused)) cudaChannelFormatDesc
cudaCreateChannelDescHalf4()
{
    return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

#define LOCKSTEP_CHANNEL(type, x, y, z, w, kind)                                                   \
    template <>                                                                                    \
    __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc<type>()                        \
    {                                                                                              \
        return cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind);                     \
    }
LOCKSTEP_CHANNEL(char, 8, 0, 0, 0, Signed)
LOCKSTEP_CHANNEL(char1, 8, 0, 0, 0, Signed)
LOCKSTEP_CHANNEL(char2, 8, 8, 0, 0, Signed)
LOCKSTEP_CHANNEL(char4, 8, 8, 8, 8, Signed)
LOCKSTEP_CHANNEL(signed char, 8, 0, 0, 0, Signed)
LOCKSTEP_CHANNEL(unsigned char, 8, 0, 0, 0, Unsigned)
LOCKSTEP_CHANNEL(uchar1, 8, 0, 0, 0, Unsigned)
LOCKSTEP_CHANNEL(uchar2, 8, 8, 0, 0, Unsigned)
LOCKSTEP_CHANNEL(uchar4, 8, 8, 8, 8, Unsigned)
LOCKSTEP_CHANNEL(short, 16, 0, 0, 0, Signed)
LOCKSTEP_CHANNEL(short1, 16, 0, 0, 0, Signed)
LOCKSTEP_CHANNEL(short2, 16, 16, 0, 0, Signed)
LOCKSTEP_CHANNEL(short4, 16, 16, 16, 16, Signed)
LOCKSTEP_CHANNEL(unsigned short, 16, 0, 0, 0, Unsigned)
LOCKSTEP_CHANNEL(ushort1, 16, 0, 0, 0, Unsigned)
LOCKSTEP_CHANNEL(ushort2, 16, 16, 0, 0, Unsigned)
LOCKSTEP_CHANNEL(ushort4, 16, 16, 16, 16, Unsigned)
LOCKSTEP_CHANNEL(int, 32, 0, 0, 0, Signed)
LOCKSTEP_CHANNEL(int1, 32, 0, 0, 0, Signed)
LOCKSTEP_CHANNEL(int2, 32, 32, 0, 0, Signed)
LOCKSTEP_CHANNEL(int4, 32, 32, 32, 32, Signed)
LOCKSTEP_CHANNEL(unsigned int, 32, 0, 0, 0, Unsigned)
LOCKSTEP_CHANNEL(uint1, 32, 0, 0, 0, Unsigned)
LOCKSTEP_CHANNEL(uint2, 32, 32, 0, 0, Unsigned)
LOCKSTEP_CHANNEL(uint4, 32, 32, 32, 32, Unsigned)
LOCKSTEP_CHANNEL(long, 64, 0, 0, 0, Signed)
LOCKSTEP_CHANNEL(unsigned long, 64, 0, 0, 0, Unsigned)
LOCKSTEP_CHANNEL(float, 32, 0, 0, 0, Float)
LOCKSTEP_CHANNEL(float1, 32, 0, 0, 0, Float)
LOCKSTEP_CHANNEL(float2, 32, 32, 0, 0, Float)
LOCKSTEP_CHANNEL(float4, 32, 32, 32, 32, Float)
#undef LOCKSTEP_CHANNEL

#endif

#endif
