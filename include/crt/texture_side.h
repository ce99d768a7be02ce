/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_side.h: reading textures in kernels: tex1Dfetch, tex1D, tex2D, tex3D, cube maps, layers,
 * levels of detail, gradients and gather, for texture objects and for texture references. Each is one
 * PTX instruction with four results, of which a type of fewer parts takes the first ones.
 */
#ifndef LOCKSTEP_TEXTURE_SIDE_H
#define LOCKSTEP_TEXTURE_SIDE_H

#include "../cuda_texture_types.h"

#define LOCKSTEP_TEX static __device__ __inline__ __attribute__((always_inline, unused))

namespace lockstep
{

/* What is fetched for T: four of int, unsigned or float; and T made from the four. */
template <class T> struct texel;
#define LOCKSTEP_TEXEL1(type, four)                                                                \
    template <> struct texel<type> {                                                               \
        typedef four fetched;                                                                      \
        static __device__ __inline__ type from(four v)                                             \
        {                                                                                          \
            return (type)v.x;                                                                      \
        }                                                                                          \
    };
#define LOCKSTEP_TEXEL(name, type, four)                                                           \
    template <> struct texel<name##1> {                                                            \
        typedef four fetched;                                                                      \
        static __device__ __inline__ name##1 from(four v)                                          \
        {                                                                                          \
            return make_##name##1((type)v.x);                                                      \
        }                                                                                          \
    };                                                                                             \
    template <> struct texel<name##2> {                                                            \
        typedef four fetched;                                                                      \
        static __device__ __inline__ name##2 from(four v)                                          \
        {                                                                                          \
            return make_##name##2((type)v.x, (type)v.y);                                           \
        }                                                                                          \
    };                                                                                             \
    template <> struct texel<name##4> {                                                            \
        typedef four fetched;                                                                      \
        static __device__ __inline__ name##4 from(four v)                                          \
        {                                                                                          \
            return make_##name##4((type)v.x, (type)v.y, (type)v.z, (type)v.w);                     \
        }                                                                                          \
    };
LOCKSTEP_TEXEL1(char, int4)
LOCKSTEP_TEXEL1(signed char, int4)
LOCKSTEP_TEXEL1(unsigned char, uint4)
LOCKSTEP_TEXEL1(short, int4)
LOCKSTEP_TEXEL1(unsigned short, uint4)
LOCKSTEP_TEXEL1(int, int4)
LOCKSTEP_TEXEL1(unsigned int, uint4)
LOCKSTEP_TEXEL1(float, float4)
LOCKSTEP_TEXEL(char, signed char, int4)
LOCKSTEP_TEXEL(uchar, unsigned char, uint4)
LOCKSTEP_TEXEL(short, short, int4)
LOCKSTEP_TEXEL(ushort, unsigned short, uint4)
LOCKSTEP_TEXEL(int, int, int4)
LOCKSTEP_TEXEL(uint, unsigned int, uint4)
LOCKSTEP_TEXEL(float, float, float4)
#undef LOCKSTEP_TEXEL1
#undef LOCKSTEP_TEXEL

/* What reading a reference gives: T itself, or floats for cudaReadModeNormalizedFloat. */
template <class T, enum cudaTextureReadMode mode> struct texture_result {
    typedef T type;
};
#define LOCKSTEP_NORMALIZED(element, result)                                                       \
    template <> struct texture_result<element, cudaReadModeNormalizedFloat> {                      \
        typedef result type;                                                                       \
    };
LOCKSTEP_NORMALIZED(char, float)
LOCKSTEP_NORMALIZED(signed char, float)
LOCKSTEP_NORMALIZED(unsigned char, float)
LOCKSTEP_NORMALIZED(short, float)
LOCKSTEP_NORMALIZED(unsigned short, float)
LOCKSTEP_NORMALIZED(char1, float1)
LOCKSTEP_NORMALIZED(char2, float2)
LOCKSTEP_NORMALIZED(char4, float4)
LOCKSTEP_NORMALIZED(uchar1, float1)
LOCKSTEP_NORMALIZED(uchar2, float2)
LOCKSTEP_NORMALIZED(uchar4, float4)
LOCKSTEP_NORMALIZED(short1, float1)
LOCKSTEP_NORMALIZED(short2, float2)
LOCKSTEP_NORMALIZED(short4, float4)
LOCKSTEP_NORMALIZED(ushort1, float1)
LOCKSTEP_NORMALIZED(ushort2, float2)
LOCKSTEP_NORMALIZED(ushort4, float4)
#undef LOCKSTEP_NORMALIZED

/* The handle behind a reference. */
template <class Reference>
LOCKSTEP_TEX cudaTextureObject_t
texture_handle(Reference reference)
{
    cudaTextureObject_t handle;
    __asm__("mov.b64 %0, %1;" : "=l"(handle) : "l"(reference));
    return handle;
}

/* name, parameters, instruction, coordinate type, operands after the texture, their values. */
#define LOCKSTEP_FETCH_AS(name, four, ptx, letter, parameters, instruction, type, operands, values) \
    LOCKSTEP_TEX void name(four *out, cudaTextureObject_t t, LOCKSTEP_LIST parameters)             \
    {                                                                                              \
        four v;                                                                                    \
        __asm__ __volatile__(instruction ".v4." ptx "." type " {%0, %1, %2, %3}, [%4, " operands   \
                             : "=" letter(v.x), "=" letter(v.y), "=" letter(v.z), "=" letter(v.w)  \
                             : "l"(t), LOCKSTEP_LIST values);                                      \
        *out = v;                                                                                  \
    }
#define LOCKSTEP_LIST(...) __VA_ARGS__
#define LOCKSTEP_FETCH(name, parameters, instruction, type, operands, values)                      \
    LOCKSTEP_FETCH_AS(name, int4, "s32", "r", parameters, instruction, type, operands, values)     \
    LOCKSTEP_FETCH_AS(name, uint4, "u32", "r", parameters, instruction, type, operands, values)    \
    LOCKSTEP_FETCH_AS(name, float4, "f32", "f", parameters, instruction, type, operands, values)

LOCKSTEP_FETCH(fetch_1Dfetch, (int x), "tex.1d", "s32",
               "{%5}];",
               ("r"(x)))
LOCKSTEP_FETCH(fetch_1D, (float x), "tex.1d", "f32",
               "{%5}];",
               ("f"(x)))
LOCKSTEP_FETCH(fetch_1DLod, (float x, float level), "tex.level.1d", "f32",
               "{%5}], %6;",
               ("f"(x), "f"(level)))
LOCKSTEP_FETCH(fetch_1DGrad, (float x, float dx, float dy), "tex.grad.1d", "f32",
               "{%5}], {%6}, {%7};",
               ("f"(x), "f"(dx), "f"(dy)))
LOCKSTEP_FETCH(fetch_2D, (float x, float y), "tex.2d", "f32",
               "{%5, %6}];",
               ("f"(x), "f"(y)))
LOCKSTEP_FETCH(fetch_2DLod, (float x, float y, float level), "tex.level.2d", "f32",
               "{%5, %6}], %7;",
               ("f"(x), "f"(y), "f"(level)))
LOCKSTEP_FETCH(fetch_2DGrad, (float x, float y, float2 dx, float2 dy), "tex.grad.2d", "f32",
               "{%5, %6}], {%7, %8}, {%9, %10};",
               ("f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)))
LOCKSTEP_FETCH(fetch_3D, (float x, float y, float z), "tex.3d", "f32",
               "{%5, %6, %7, %7}];",
               ("f"(x), "f"(y), "f"(z)))
LOCKSTEP_FETCH(fetch_3DLod, (float x, float y, float z, float level), "tex.level.3d", "f32",
               "{%5, %6, %7, %7}], %8;",
               ("f"(x), "f"(y), "f"(z), "f"(level)))
LOCKSTEP_FETCH(fetch_3DGrad, (float x, float y, float z, float4 dx, float4 dy), "tex.grad.3d", "f32",
               "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};",
               ("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)))
LOCKSTEP_FETCH(fetch_1DLayered, (float x, int layer), "tex.a1d", "f32",
               "{%5, %6}];",
               ("r"(layer), "f"(x)))
LOCKSTEP_FETCH(fetch_1DLayeredLod, (float x, int layer, float level), "tex.level.a1d", "f32",
               "{%5, %6}], %7;",
               ("r"(layer), "f"(x), "f"(level)))
LOCKSTEP_FETCH(fetch_1DLayeredGrad, (float x, int layer, float dx, float dy), "tex.grad.a1d", "f32",
               "{%5, %6}], {%7}, {%8};",
               ("r"(layer), "f"(x), "f"(dx), "f"(dy)))
LOCKSTEP_FETCH(fetch_2DLayered, (float x, float y, int layer), "tex.a2d", "f32",
               "{%5, %6, %7, %7}];",
               ("r"(layer), "f"(x), "f"(y)))
LOCKSTEP_FETCH(fetch_2DLayeredLod, (float x, float y, int layer, float level), "tex.level.a2d", "f32",
               "{%5, %6, %7, %7}], %8;",
               ("r"(layer), "f"(x), "f"(y), "f"(level)))
LOCKSTEP_FETCH(fetch_2DLayeredGrad, (float x, float y, int layer, float2 dx, float2 dy), "tex.grad.a2d", "f32",
               "{%5, %6, %7, %7}], {%8, %9}, {%10, %11};",
               ("r"(layer), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)))
LOCKSTEP_FETCH(fetch_Cubemap, (float x, float y, float z), "tex.cube", "f32",
               "{%5, %6, %7, %7}];",
               ("f"(x), "f"(y), "f"(z)))
LOCKSTEP_FETCH(fetch_CubemapLod, (float x, float y, float z, float level), "tex.level.cube", "f32",
               "{%5, %6, %7, %7}], %8;",
               ("f"(x), "f"(y), "f"(z), "f"(level)))
LOCKSTEP_FETCH(fetch_CubemapGrad, (float x, float y, float z, float4 dx, float4 dy), "tex.grad.cube", "f32",
               "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};",
               ("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)))
LOCKSTEP_FETCH(fetch_CubemapLayered, (float x, float y, float z, int layer), "tex.acube", "f32",
               "{%5, %6, %7, %8}];",
               ("r"(layer), "f"(x), "f"(y), "f"(z)))
LOCKSTEP_FETCH(fetch_CubemapLayeredLod, (float x, float y, float z, int layer, float level), "tex.level.acube", "f32",
               "{%5, %6, %7, %8}], %9;",
               ("r"(layer), "f"(x), "f"(y), "f"(z), "f"(level)))
LOCKSTEP_FETCH(gather_r, (float x, float y), "tld4.r.2d", "f32", "{%5, %6}];", ("f"(x), "f"(y)))
LOCKSTEP_FETCH(gather_g, (float x, float y), "tld4.g.2d", "f32", "{%5, %6}];", ("f"(x), "f"(y)))
LOCKSTEP_FETCH(gather_b, (float x, float y), "tld4.b.2d", "f32", "{%5, %6}];", ("f"(x), "f"(y)))
LOCKSTEP_FETCH(gather_a, (float x, float y), "tld4.a.2d", "f32", "{%5, %6}];", ("f"(x), "f"(y)))
#undef LOCKSTEP_FETCH
#undef LOCKSTEP_FETCH_AS

template <class Four>
LOCKSTEP_TEX void
fetch_2Dgather(Four *out, cudaTextureObject_t t, float x, float y, int component)
{
    switch (component) {
    case 0:
        gather_r(out, t, x, y);
        break;
    case 1:
        gather_g(out, t, x, y);
        break;
    case 2:
        gather_b(out, t, x, y);
        break;
    default:
        gather_a(out, t, x, y);
        break;
    }
}

} // namespace lockstep

/* By object (value returned, or through a pointer), and by reference. */
#define LOCKSTEP_TEXTURE_FUNCTION(name, kind, parameters, arguments)                               \
    template <class T>                                                                             \
    LOCKSTEP_TEX T tex##name(cudaTextureObject_t t, LOCKSTEP_LIST parameters)                      \
    {                                                                                              \
        typename lockstep::texel<T>::fetched v;                                                    \
        lockstep::fetch_##name(&v, t, LOCKSTEP_LIST arguments);                                    \
        return lockstep::texel<T>::from(v);                                                        \
    }                                                                                              \
    template <class T>                                                                             \
    LOCKSTEP_TEX void tex##name(T *out, cudaTextureObject_t t, LOCKSTEP_LIST parameters)           \
    {                                                                                              \
        *out = tex##name<T>(t, LOCKSTEP_LIST arguments);                                           \
    }                                                                                              \
    template <class T, enum cudaTextureReadMode mode>                                              \
    LOCKSTEP_TEX typename lockstep::texture_result<T, mode>::type tex##name(                       \
        texture<T, kind, mode> t, LOCKSTEP_LIST parameters)                                        \
    {                                                                                              \
        return tex##name<typename lockstep::texture_result<T, mode>::type>(                        \
            lockstep::texture_handle(t), LOCKSTEP_LIST arguments);                                 \
    }
LOCKSTEP_TEXTURE_FUNCTION(1Dfetch, cudaTextureType1D, (int x), (x))
LOCKSTEP_TEXTURE_FUNCTION(1D, cudaTextureType1D, (float x), (x))
LOCKSTEP_TEXTURE_FUNCTION(1DLod, cudaTextureType1D, (float x, float level), (x, level))
LOCKSTEP_TEXTURE_FUNCTION(1DGrad, cudaTextureType1D, (float x, float dx, float dy), (x, dx, dy))
LOCKSTEP_TEXTURE_FUNCTION(2D, cudaTextureType2D, (float x, float y), (x, y))
LOCKSTEP_TEXTURE_FUNCTION(2DLod, cudaTextureType2D, (float x, float y, float level), (x, y, level))
LOCKSTEP_TEXTURE_FUNCTION(2DGrad, cudaTextureType2D, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy))
LOCKSTEP_TEXTURE_FUNCTION(3D, cudaTextureType3D, (float x, float y, float z), (x, y, z))
LOCKSTEP_TEXTURE_FUNCTION(3DLod, cudaTextureType3D, (float x, float y, float z, float level), (x, y, z, level))
LOCKSTEP_TEXTURE_FUNCTION(3DGrad, cudaTextureType3D, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy))
LOCKSTEP_TEXTURE_FUNCTION(1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer))
LOCKSTEP_TEXTURE_FUNCTION(1DLayeredLod, cudaTextureType1DLayered, (float x, int layer, float level), (x, layer, level))
LOCKSTEP_TEXTURE_FUNCTION(1DLayeredGrad, cudaTextureType1DLayered, (float x, int layer, float dx, float dy), (x, layer, dx, dy))
LOCKSTEP_TEXTURE_FUNCTION(2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer))
LOCKSTEP_TEXTURE_FUNCTION(2DLayeredLod, cudaTextureType2DLayered, (float x, float y, int layer, float level), (x, y, layer, level))
LOCKSTEP_TEXTURE_FUNCTION(2DLayeredGrad, cudaTextureType2DLayered, (float x, float y, int layer, float2 dx, float2 dy), (x, y, layer, dx, dy))
LOCKSTEP_TEXTURE_FUNCTION(Cubemap, cudaTextureTypeCubemap, (float x, float y, float z), (x, y, z))
LOCKSTEP_TEXTURE_FUNCTION(CubemapLod, cudaTextureTypeCubemap, (float x, float y, float z, float level), (x, y, z, level))
LOCKSTEP_TEXTURE_FUNCTION(CubemapGrad, cudaTextureTypeCubemap, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy))
LOCKSTEP_TEXTURE_FUNCTION(CubemapLayered, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer))
LOCKSTEP_TEXTURE_FUNCTION(CubemapLayeredLod, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer, float level), (x, y, z, layer, level))
LOCKSTEP_TEXTURE_FUNCTION(2Dgather, cudaTextureType2D, (float x, float y, int component = 0), (x, y, component))
#undef LOCKSTEP_TEXTURE_FUNCTION
#undef LOCKSTEP_LIST
#undef LOCKSTEP_TEX

#endif
