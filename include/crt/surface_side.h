/* SPDX-License-Identifier: Apache-2.0
 *
 * surface_side.h: reading and writing surfaces in kernels, by object and by reference. x is in bytes,
 * as the API has it. A type of 1, 2, 4, 8 or 16 bytes is one PTX instruction.
 */
#ifndef LOCKSTEP_SURFACE_SIDE_H
#define LOCKSTEP_SURFACE_SIDE_H

#include "../cuda_surface_types.h"

#define LOCKSTEP_SURF static __device__ __inline__ __attribute__((always_inline, unused))
#define LOCKSTEP_LIST(...) __VA_ARGS__

namespace lockstep
{

template <class Reference>
LOCKSTEP_SURF cudaSurfaceObject_t
surface_handle(Reference reference)
{
    cudaSurfaceObject_t handle;
    __asm__("mov.b64 %0, %1;" : "=l"(handle) : "l"(reference));
    return handle;
}

template <int bytes> struct surface_bits;
template <> struct surface_bits<1> {
    typedef unsigned char type;
};
template <> struct surface_bits<2> {
    typedef unsigned short type;
};
template <> struct surface_bits<4> {
    typedef unsigned int type;
};
template <> struct surface_bits<8> {
    typedef uint2 type;
};
template <> struct surface_bits<16> {
    typedef uint4 type;
};

LOCKSTEP_SURF void
load_1D_trap(unsigned char *v, cudaSurfaceObject_t s, int x)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.1d.b8.trap %0, [%1, {%2}];"
                         : "=h"(r)
                         : "l"(s), "r"(x)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_1D_trap(unsigned char v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.b8.trap [%0, {%1}], %2;" ::"l"(s), "r"(x),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_trap(unsigned short *v, cudaSurfaceObject_t s, int x)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.1d.b16.trap %0, [%1, {%2}];"
                         : "=h"(r)
                         : "l"(s), "r"(x)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_1D_trap(unsigned short v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.b16.trap [%0, {%1}], %2;" ::"l"(s), "r"(x),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_trap(unsigned int *v, cudaSurfaceObject_t s, int x)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.1d.b32.trap %0, [%1, {%2}];"
                         : "=r"(r)
                         : "l"(s), "r"(x)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_1D_trap(unsigned int v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.b32.trap [%0, {%1}], %2;" ::"l"(s), "r"(x),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_trap(uint2 *v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("suld.b.1d.v2.b32.trap {%0, %1}, [%2, {%3}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(x)
                         : "memory");
}
LOCKSTEP_SURF void
store_1D_trap(uint2 v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.v2.b32.trap [%0, {%1}], {%2, %3};" ::"l"(s), "r"(x),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_trap(uint4 *v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("suld.b.1d.v4.b32.trap {%0, %1, %2, %3}, [%4, {%5}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(x)
                         : "memory");
}
LOCKSTEP_SURF void
store_1D_trap(uint4 v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.v4.b32.trap [%0, {%1}], {%2, %3, %4, %5};" ::"l"(s), "r"(x),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_clamp(unsigned char *v, cudaSurfaceObject_t s, int x)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.1d.b8.clamp %0, [%1, {%2}];"
                         : "=h"(r)
                         : "l"(s), "r"(x)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_1D_clamp(unsigned char v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.b8.clamp [%0, {%1}], %2;" ::"l"(s), "r"(x),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_clamp(unsigned short *v, cudaSurfaceObject_t s, int x)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.1d.b16.clamp %0, [%1, {%2}];"
                         : "=h"(r)
                         : "l"(s), "r"(x)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_1D_clamp(unsigned short v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.b16.clamp [%0, {%1}], %2;" ::"l"(s), "r"(x),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_clamp(unsigned int *v, cudaSurfaceObject_t s, int x)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.1d.b32.clamp %0, [%1, {%2}];"
                         : "=r"(r)
                         : "l"(s), "r"(x)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_1D_clamp(unsigned int v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.b32.clamp [%0, {%1}], %2;" ::"l"(s), "r"(x),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_clamp(uint2 *v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("suld.b.1d.v2.b32.clamp {%0, %1}, [%2, {%3}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(x)
                         : "memory");
}
LOCKSTEP_SURF void
store_1D_clamp(uint2 v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.v2.b32.clamp [%0, {%1}], {%2, %3};" ::"l"(s), "r"(x),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_clamp(uint4 *v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("suld.b.1d.v4.b32.clamp {%0, %1, %2, %3}, [%4, {%5}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(x)
                         : "memory");
}
LOCKSTEP_SURF void
store_1D_clamp(uint4 v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.v4.b32.clamp [%0, {%1}], {%2, %3, %4, %5};" ::"l"(s), "r"(x),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_zero(unsigned char *v, cudaSurfaceObject_t s, int x)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.1d.b8.zero %0, [%1, {%2}];"
                         : "=h"(r)
                         : "l"(s), "r"(x)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_1D_zero(unsigned char v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.b8.zero [%0, {%1}], %2;" ::"l"(s), "r"(x),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_zero(unsigned short *v, cudaSurfaceObject_t s, int x)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.1d.b16.zero %0, [%1, {%2}];"
                         : "=h"(r)
                         : "l"(s), "r"(x)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_1D_zero(unsigned short v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.b16.zero [%0, {%1}], %2;" ::"l"(s), "r"(x),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_zero(unsigned int *v, cudaSurfaceObject_t s, int x)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.1d.b32.zero %0, [%1, {%2}];"
                         : "=r"(r)
                         : "l"(s), "r"(x)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_1D_zero(unsigned int v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.b32.zero [%0, {%1}], %2;" ::"l"(s), "r"(x),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_zero(uint2 *v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("suld.b.1d.v2.b32.zero {%0, %1}, [%2, {%3}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(x)
                         : "memory");
}
LOCKSTEP_SURF void
store_1D_zero(uint2 v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.v2.b32.zero [%0, {%1}], {%2, %3};" ::"l"(s), "r"(x),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_1D_zero(uint4 *v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("suld.b.1d.v4.b32.zero {%0, %1, %2, %3}, [%4, {%5}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(x)
                         : "memory");
}
LOCKSTEP_SURF void
store_1D_zero(uint4 v, cudaSurfaceObject_t s, int x)
{
    __asm__ __volatile__("sust.b.1d.v4.b32.zero [%0, {%1}], {%2, %3, %4, %5};" ::"l"(s), "r"(x),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_trap(unsigned char *v, cudaSurfaceObject_t s, int x, int y)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.2d.b8.trap %0, [%1, {%2, %3}];"
                         : "=h"(r)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_2D_trap(unsigned char v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.b8.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_trap(unsigned short *v, cudaSurfaceObject_t s, int x, int y)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.2d.b16.trap %0, [%1, {%2, %3}];"
                         : "=h"(r)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_2D_trap(unsigned short v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.b16.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_trap(unsigned int *v, cudaSurfaceObject_t s, int x, int y)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.2d.b32.trap %0, [%1, {%2, %3}];"
                         : "=r"(r)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_2D_trap(unsigned int v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.b32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_trap(uint2 *v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("suld.b.2d.v2.b32.trap {%0, %1}, [%2, {%3, %4}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
}
LOCKSTEP_SURF void
store_2D_trap(uint2 v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.v2.b32.trap [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(x), "r"(y),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_trap(uint4 *v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("suld.b.2d.v4.b32.trap {%0, %1, %2, %3}, [%4, {%5, %6}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
}
LOCKSTEP_SURF void
store_2D_trap(uint4 v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(x), "r"(y),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_clamp(unsigned char *v, cudaSurfaceObject_t s, int x, int y)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.2d.b8.clamp %0, [%1, {%2, %3}];"
                         : "=h"(r)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_2D_clamp(unsigned char v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.b8.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_clamp(unsigned short *v, cudaSurfaceObject_t s, int x, int y)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.2d.b16.clamp %0, [%1, {%2, %3}];"
                         : "=h"(r)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_2D_clamp(unsigned short v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.b16.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_clamp(unsigned int *v, cudaSurfaceObject_t s, int x, int y)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.2d.b32.clamp %0, [%1, {%2, %3}];"
                         : "=r"(r)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_2D_clamp(unsigned int v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.b32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_clamp(uint2 *v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("suld.b.2d.v2.b32.clamp {%0, %1}, [%2, {%3, %4}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
}
LOCKSTEP_SURF void
store_2D_clamp(uint2 v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.v2.b32.clamp [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(x), "r"(y),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_clamp(uint4 *v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("suld.b.2d.v4.b32.clamp {%0, %1, %2, %3}, [%4, {%5, %6}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
}
LOCKSTEP_SURF void
store_2D_clamp(uint4 v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.v4.b32.clamp [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(x), "r"(y),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_zero(unsigned char *v, cudaSurfaceObject_t s, int x, int y)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.2d.b8.zero %0, [%1, {%2, %3}];"
                         : "=h"(r)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_2D_zero(unsigned char v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.b8.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_zero(unsigned short *v, cudaSurfaceObject_t s, int x, int y)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.2d.b16.zero %0, [%1, {%2, %3}];"
                         : "=h"(r)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_2D_zero(unsigned short v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.b16.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_zero(unsigned int *v, cudaSurfaceObject_t s, int x, int y)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.2d.b32.zero %0, [%1, {%2, %3}];"
                         : "=r"(r)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_2D_zero(unsigned int v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_zero(uint2 *v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("suld.b.2d.v2.b32.zero {%0, %1}, [%2, {%3, %4}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
}
LOCKSTEP_SURF void
store_2D_zero(uint2 v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.v2.b32.zero [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(x), "r"(y),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_2D_zero(uint4 *v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("suld.b.2d.v4.b32.zero {%0, %1, %2, %3}, [%4, {%5, %6}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(x), "r"(y)
                         : "memory");
}
LOCKSTEP_SURF void
store_2D_zero(uint4 v, cudaSurfaceObject_t s, int x, int y)
{
    __asm__ __volatile__("sust.b.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(x), "r"(y),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_trap(unsigned char *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.3d.b8.trap %0, [%1, {%2, %3, %4, %4}];"
                         : "=h"(r)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_3D_trap(unsigned char v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.b8.trap [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_trap(unsigned short *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.3d.b16.trap %0, [%1, {%2, %3, %4, %4}];"
                         : "=h"(r)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_3D_trap(unsigned short v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.b16.trap [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_trap(unsigned int *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.3d.b32.trap %0, [%1, {%2, %3, %4, %4}];"
                         : "=r"(r)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_3D_trap(unsigned int v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.b32.trap [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_trap(uint2 *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("suld.b.3d.v2.b32.trap {%0, %1}, [%2, {%3, %4, %5, %5}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
}
LOCKSTEP_SURF void
store_3D_trap(uint2 v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.v2.b32.trap [%0, {%1, %2, %3, %3}], {%4, %5};" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_trap(uint4 *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("suld.b.3d.v4.b32.trap {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
}
LOCKSTEP_SURF void
store_3D_trap(uint4 v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.v4.b32.trap [%0, {%1, %2, %3, %3}], {%4, %5, %6, %7};" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_clamp(unsigned char *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.3d.b8.clamp %0, [%1, {%2, %3, %4, %4}];"
                         : "=h"(r)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_3D_clamp(unsigned char v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.b8.clamp [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_clamp(unsigned short *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.3d.b16.clamp %0, [%1, {%2, %3, %4, %4}];"
                         : "=h"(r)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_3D_clamp(unsigned short v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.b16.clamp [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_clamp(unsigned int *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.3d.b32.clamp %0, [%1, {%2, %3, %4, %4}];"
                         : "=r"(r)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_3D_clamp(unsigned int v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.b32.clamp [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_clamp(uint2 *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("suld.b.3d.v2.b32.clamp {%0, %1}, [%2, {%3, %4, %5, %5}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
}
LOCKSTEP_SURF void
store_3D_clamp(uint2 v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.v2.b32.clamp [%0, {%1, %2, %3, %3}], {%4, %5};" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_clamp(uint4 *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("suld.b.3d.v4.b32.clamp {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
}
LOCKSTEP_SURF void
store_3D_clamp(uint4 v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.v4.b32.clamp [%0, {%1, %2, %3, %3}], {%4, %5, %6, %7};" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_zero(unsigned char *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.3d.b8.zero %0, [%1, {%2, %3, %4, %4}];"
                         : "=h"(r)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_3D_zero(unsigned char v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.b8.zero [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_zero(unsigned short *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.3d.b16.zero %0, [%1, {%2, %3, %4, %4}];"
                         : "=h"(r)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_3D_zero(unsigned short v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.b16.zero [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_zero(unsigned int *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.3d.b32.zero %0, [%1, {%2, %3, %4, %4}];"
                         : "=r"(r)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_3D_zero(unsigned int v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.b32.zero [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_zero(uint2 *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("suld.b.3d.v2.b32.zero {%0, %1}, [%2, {%3, %4, %5, %5}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
}
LOCKSTEP_SURF void
store_3D_zero(uint2 v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.v2.b32.zero [%0, {%1, %2, %3, %3}], {%4, %5};" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_3D_zero(uint4 *v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("suld.b.3d.v4.b32.zero {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(x), "r"(y), "r"(z)
                         : "memory");
}
LOCKSTEP_SURF void
store_3D_zero(uint4 v, cudaSurfaceObject_t s, int x, int y, int z)
{
    __asm__ __volatile__("sust.b.3d.v4.b32.zero [%0, {%1, %2, %3, %3}], {%4, %5, %6, %7};" ::"l"(s), "r"(x), "r"(y), "r"(z),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_trap(unsigned char *v, cudaSurfaceObject_t s, int x, int layer)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.a1d.b8.trap %0, [%1, {%2, %3}];"
                         : "=h"(r)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_1DLayered_trap(unsigned char v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.b8.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(layer), "r"(x),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_trap(unsigned short *v, cudaSurfaceObject_t s, int x, int layer)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.a1d.b16.trap %0, [%1, {%2, %3}];"
                         : "=h"(r)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_1DLayered_trap(unsigned short v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.b16.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(layer), "r"(x),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_trap(unsigned int *v, cudaSurfaceObject_t s, int x, int layer)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.a1d.b32.trap %0, [%1, {%2, %3}];"
                         : "=r"(r)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_1DLayered_trap(unsigned int v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.b32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(layer), "r"(x),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_trap(uint2 *v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("suld.b.a1d.v2.b32.trap {%0, %1}, [%2, {%3, %4}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
}
LOCKSTEP_SURF void
store_1DLayered_trap(uint2 v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.v2.b32.trap [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(layer), "r"(x),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_trap(uint4 *v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("suld.b.a1d.v4.b32.trap {%0, %1, %2, %3}, [%4, {%5, %6}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
}
LOCKSTEP_SURF void
store_1DLayered_trap(uint4 v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(layer), "r"(x),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_clamp(unsigned char *v, cudaSurfaceObject_t s, int x, int layer)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.a1d.b8.clamp %0, [%1, {%2, %3}];"
                         : "=h"(r)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_1DLayered_clamp(unsigned char v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.b8.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(layer), "r"(x),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_clamp(unsigned short *v, cudaSurfaceObject_t s, int x, int layer)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.a1d.b16.clamp %0, [%1, {%2, %3}];"
                         : "=h"(r)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_1DLayered_clamp(unsigned short v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.b16.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(layer), "r"(x),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_clamp(unsigned int *v, cudaSurfaceObject_t s, int x, int layer)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.a1d.b32.clamp %0, [%1, {%2, %3}];"
                         : "=r"(r)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_1DLayered_clamp(unsigned int v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.b32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(layer), "r"(x),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_clamp(uint2 *v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("suld.b.a1d.v2.b32.clamp {%0, %1}, [%2, {%3, %4}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
}
LOCKSTEP_SURF void
store_1DLayered_clamp(uint2 v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.v2.b32.clamp [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(layer), "r"(x),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_clamp(uint4 *v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("suld.b.a1d.v4.b32.clamp {%0, %1, %2, %3}, [%4, {%5, %6}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
}
LOCKSTEP_SURF void
store_1DLayered_clamp(uint4 v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.v4.b32.clamp [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(layer), "r"(x),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_zero(unsigned char *v, cudaSurfaceObject_t s, int x, int layer)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.a1d.b8.zero %0, [%1, {%2, %3}];"
                         : "=h"(r)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_1DLayered_zero(unsigned char v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.b8.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(layer), "r"(x),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_zero(unsigned short *v, cudaSurfaceObject_t s, int x, int layer)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.a1d.b16.zero %0, [%1, {%2, %3}];"
                         : "=h"(r)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_1DLayered_zero(unsigned short v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.b16.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(layer), "r"(x),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_zero(unsigned int *v, cudaSurfaceObject_t s, int x, int layer)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.a1d.b32.zero %0, [%1, {%2, %3}];"
                         : "=r"(r)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_1DLayered_zero(unsigned int v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.b32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(layer), "r"(x),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_zero(uint2 *v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("suld.b.a1d.v2.b32.zero {%0, %1}, [%2, {%3, %4}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
}
LOCKSTEP_SURF void
store_1DLayered_zero(uint2 v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.v2.b32.zero [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(layer), "r"(x),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_1DLayered_zero(uint4 *v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("suld.b.a1d.v4.b32.zero {%0, %1, %2, %3}, [%4, {%5, %6}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(layer), "r"(x)
                         : "memory");
}
LOCKSTEP_SURF void
store_1DLayered_zero(uint4 v, cudaSurfaceObject_t s, int x, int layer)
{
    __asm__ __volatile__("sust.b.a1d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(layer), "r"(x),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_trap(unsigned char *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.a2d.b8.trap %0, [%1, {%2, %3, %4, %4}];"
                         : "=h"(r)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_2DLayered_trap(unsigned char v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.b8.trap [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_trap(unsigned short *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.a2d.b16.trap %0, [%1, {%2, %3, %4, %4}];"
                         : "=h"(r)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_2DLayered_trap(unsigned short v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.b16.trap [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_trap(unsigned int *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.a2d.b32.trap %0, [%1, {%2, %3, %4, %4}];"
                         : "=r"(r)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_2DLayered_trap(unsigned int v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.b32.trap [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_trap(uint2 *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("suld.b.a2d.v2.b32.trap {%0, %1}, [%2, {%3, %4, %5, %5}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
}
LOCKSTEP_SURF void
store_2DLayered_trap(uint2 v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.v2.b32.trap [%0, {%1, %2, %3, %3}], {%4, %5};" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_trap(uint4 *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("suld.b.a2d.v4.b32.trap {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
}
LOCKSTEP_SURF void
store_2DLayered_trap(uint4 v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.v4.b32.trap [%0, {%1, %2, %3, %3}], {%4, %5, %6, %7};" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_clamp(unsigned char *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.a2d.b8.clamp %0, [%1, {%2, %3, %4, %4}];"
                         : "=h"(r)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_2DLayered_clamp(unsigned char v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.b8.clamp [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_clamp(unsigned short *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.a2d.b16.clamp %0, [%1, {%2, %3, %4, %4}];"
                         : "=h"(r)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_2DLayered_clamp(unsigned short v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.b16.clamp [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_clamp(unsigned int *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.a2d.b32.clamp %0, [%1, {%2, %3, %4, %4}];"
                         : "=r"(r)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_2DLayered_clamp(unsigned int v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.b32.clamp [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_clamp(uint2 *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("suld.b.a2d.v2.b32.clamp {%0, %1}, [%2, {%3, %4, %5, %5}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
}
LOCKSTEP_SURF void
store_2DLayered_clamp(uint2 v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.v2.b32.clamp [%0, {%1, %2, %3, %3}], {%4, %5};" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_clamp(uint4 *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("suld.b.a2d.v4.b32.clamp {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
}
LOCKSTEP_SURF void
store_2DLayered_clamp(uint4 v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.v4.b32.clamp [%0, {%1, %2, %3, %3}], {%4, %5, %6, %7};" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_zero(unsigned char *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.a2d.b8.zero %0, [%1, {%2, %3, %4, %4}];"
                         : "=h"(r)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned char)r;
}
LOCKSTEP_SURF void
store_2DLayered_zero(unsigned char v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.b8.zero [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_zero(unsigned short *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    unsigned short r;
    __asm__ __volatile__("suld.b.a2d.b16.zero %0, [%1, {%2, %3, %4, %4}];"
                         : "=h"(r)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned short)r;
}
LOCKSTEP_SURF void
store_2DLayered_zero(unsigned short v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.b16.zero [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "h"((unsigned short)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_zero(unsigned int *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    unsigned int r;
    __asm__ __volatile__("suld.b.a2d.b32.zero %0, [%1, {%2, %3, %4, %4}];"
                         : "=r"(r)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
    *v = (unsigned int)r;
}
LOCKSTEP_SURF void
store_2DLayered_zero(unsigned int v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.b32.zero [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "r"((unsigned int)v)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_zero(uint2 *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("suld.b.a2d.v2.b32.zero {%0, %1}, [%2, {%3, %4, %5, %5}];"
                         : "=r"(v->x), "=r"(v->y)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
}
LOCKSTEP_SURF void
store_2DLayered_zero(uint2 v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.v2.b32.zero [%0, {%1, %2, %3, %3}], {%4, %5};" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "r"(v.x), "r"(v.y)
                         : "memory");
}
LOCKSTEP_SURF void
load_2DLayered_zero(uint4 *v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("suld.b.a2d.v4.b32.zero {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "l"(s), "r"(layer), "r"(x), "r"(y)
                         : "memory");
}
LOCKSTEP_SURF void
store_2DLayered_zero(uint4 v, cudaSurfaceObject_t s, int x, int y, int layer)
{
    __asm__ __volatile__("sust.b.a2d.v4.b32.zero [%0, {%1, %2, %3, %3}], {%4, %5, %6, %7};" ::"l"(s), "r"(layer), "r"(x), "r"(y),
                         "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
}

} // namespace lockstep

/* By object (value returned, or through a pointer), and by reference. */
#define LOCKSTEP_SURFACE_FUNCTION(name, kind, parameters, arguments)                               \
    template <class T>                                                                             \
    LOCKSTEP_SURF T surf##name##read(cudaSurfaceObject_t s, LOCKSTEP_LIST parameters,              \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)          \
    {                                                                                              \
        typename lockstep::surface_bits<sizeof(T)>::type v;                                        \
        if (mode == cudaBoundaryModeClamp)                                                         \
            lockstep::load_##name##_clamp(&v, s, LOCKSTEP_LIST arguments);                         \
        else if (mode == cudaBoundaryModeZero)                                                     \
            lockstep::load_##name##_zero(&v, s, LOCKSTEP_LIST arguments);                          \
        else                                                                                       \
            lockstep::load_##name##_trap(&v, s, LOCKSTEP_LIST arguments);                          \
        return __builtin_bit_cast(T, v);                                                           \
    }                                                                                              \
    template <class T>                                                                             \
    LOCKSTEP_SURF void surf##name##read(T *out, cudaSurfaceObject_t s, LOCKSTEP_LIST parameters,   \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)       \
    {                                                                                              \
        *out = surf##name##read<T>(s, LOCKSTEP_LIST arguments, mode);                              \
    }                                                                                              \
    template <class T>                                                                             \
    LOCKSTEP_SURF void surf##name##write(T value, cudaSurfaceObject_t s, LOCKSTEP_LIST parameters, \
                                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)      \
    {                                                                                              \
        auto v = __builtin_bit_cast(typename lockstep::surface_bits<sizeof(T)>::type, value);      \
        if (mode == cudaBoundaryModeClamp)                                                         \
            lockstep::store_##name##_clamp(v, s, LOCKSTEP_LIST arguments);                         \
        else if (mode == cudaBoundaryModeZero)                                                     \
            lockstep::store_##name##_zero(v, s, LOCKSTEP_LIST arguments);                          \
        else                                                                                       \
            lockstep::store_##name##_trap(v, s, LOCKSTEP_LIST arguments);                          \
    }                                                                                              \
    template <class T, class E>                                                                    \
    LOCKSTEP_SURF T surf##name##read(surface<E, kind> s, LOCKSTEP_LIST parameters,                 \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)          \
    {                                                                                              \
        return surf##name##read<T>(lockstep::surface_handle(s), LOCKSTEP_LIST arguments, mode);    \
    }                                                                                              \
    template <class T, class E>                                                                    \
    LOCKSTEP_SURF void surf##name##read(T *out, surface<E, kind> s, LOCKSTEP_LIST parameters,      \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)       \
    {                                                                                              \
        *out = surf##name##read<T>(lockstep::surface_handle(s), LOCKSTEP_LIST arguments, mode);    \
    }                                                                                              \
    template <class T, class E>                                                                    \
    LOCKSTEP_SURF void surf##name##write(T value, surface<E, kind> s, LOCKSTEP_LIST parameters,    \
                                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)      \
    {                                                                                              \
        surf##name##write(value, lockstep::surface_handle(s), LOCKSTEP_LIST arguments, mode);      \
    }
LOCKSTEP_SURFACE_FUNCTION(1D, cudaSurfaceType1D, (int x), (x))
LOCKSTEP_SURFACE_FUNCTION(2D, cudaSurfaceType2D, (int x, int y), (x, y))
LOCKSTEP_SURFACE_FUNCTION(3D, cudaSurfaceType3D, (int x, int y, int z), (x, y, z))
LOCKSTEP_SURFACE_FUNCTION(1DLayered, cudaSurfaceType1DLayered, (int x, int layer), (x, layer))
LOCKSTEP_SURFACE_FUNCTION(2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), (x, y, layer))
#undef LOCKSTEP_SURFACE_FUNCTION

/* Cubes are layers of six faces: the face, or face + 6 * layer, is the layer. */
#define LOCKSTEP_SURFACE_CUBE(name, layer)                                                         \
    template <class T, class Surface>                                                              \
    LOCKSTEP_SURF T surf##name##read(Surface s, int x, int y, int layer,                           \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)          \
    {                                                                                              \
        return surf2DLayeredread<T>(s, x, y, layer, mode);                                         \
    }                                                                                              \
    template <class T, class Surface>                                                              \
    LOCKSTEP_SURF void surf##name##read(T *out, Surface s, int x, int y, int layer,                \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)       \
    {                                                                                              \
        *out = surf2DLayeredread<T>(s, x, y, layer, mode);                                         \
    }                                                                                              \
    template <class T, class Surface>                                                              \
    LOCKSTEP_SURF void surf##name##write(T value, Surface s, int x, int y, int layer,              \
                                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)      \
    {                                                                                              \
        surf2DLayeredwrite(value, s, x, y, layer, mode);                                           \
    }
LOCKSTEP_SURFACE_CUBE(Cubemap, face)
LOCKSTEP_SURFACE_CUBE(CubemapLayered, layerFace)
#undef LOCKSTEP_SURFACE_CUBE
#undef LOCKSTEP_LIST
#undef LOCKSTEP_SURF

#endif
