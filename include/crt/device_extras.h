/* SPDX-License-Identifier: Apache-2.0
 *
 * device_extras.h: functions for kernels that clang's headers lack: atomics by type and scope, loads
 * and stores with cache operators, address spaces, dot products, nanosleep, min and max by type, and
 * the float overloads of CUDA's own mathematics.
 *
 * Atomics without a suffix act at device scope, _block at block scope, _system at system scope; all
 * are relaxed. Where clang has a builtin that becomes `atom.op`, it is used; the rest is inline PTX.
 */
#ifndef LOCKSTEP_DEVICE_EXTRAS_H
#define LOCKSTEP_DEVICE_EXTRAS_H

#define LOCKSTEP_DEVICE static __device__ __inline__ __attribute__((always_inline, unused))

/* -- atomics -------------------------------------------------------------------------------- */

/* op, type, the PTX type, the constraint letter of the value; three scopes each. */
#define LOCKSTEP_ATOMIC_SCOPE(name, suffix, scope, op, type, ptx, letter)                          \
    LOCKSTEP_DEVICE type name##suffix(type *address, type value)                                   \
    {                                                                                              \
        type old;                                                                                  \
        __asm__ __volatile__("atom" scope "." op "." ptx " %0, [%1], %2;"                          \
                             : "=" letter(old)                                                     \
                             : "l"(address), letter(value)                                         \
                             : "memory");                                                          \
        return old;                                                                                \
    }
#define LOCKSTEP_ATOMIC(name, op, type, builtin, as, ptx, letter)                                  \
    LOCKSTEP_DEVICE type name(type *address, type value)                                           \
    {                                                                                              \
        return __builtin_bit_cast(                                                                 \
            type, __nvvm_atom_##builtin((as *)address, __builtin_bit_cast(as, value)));            \
    }                                                                                              \
    LOCKSTEP_ATOMIC_SCOPE(name, _block, ".cta", op, type, ptx, letter)                             \
    LOCKSTEP_ATOMIC_SCOPE(name, _system, ".sys", op, type, ptx, letter)

#define LOCKSTEP_CAS_SCOPE(suffix, scope, type, ptx, letter)                                       \
    LOCKSTEP_DEVICE type atomicCAS##suffix(type *address, type compare, type value)                \
    {                                                                                              \
        type old;                                                                                  \
        __asm__ __volatile__("atom" scope ".cas." ptx " %0, [%1], %2, %3;"                         \
                             : "=" letter(old)                                                     \
                             : "l"(address), letter(compare), letter(value)                        \
                             : "memory");                                                          \
        return old;                                                                                \
    }
#define LOCKSTEP_CAS(type, builtin, as, ptx, letter)                                               \
    LOCKSTEP_DEVICE type atomicCAS(type *address, type compare, type value)                        \
    {                                                                                              \
        return (type)__nvvm_atom_cas_gen_##builtin((as *)address, (as)compare, (as)value);         \
    }                                                                                              \
    LOCKSTEP_CAS_SCOPE(_block, ".cta", type, ptx, letter)                                          \
    LOCKSTEP_CAS_SCOPE(_system, ".sys", type, ptx, letter)

/* An atomic on a type that comes down to another of the same size. */
#define LOCKSTEP_ATOMIC_AS_SCOPE(name, suffix, type, as, value)                                    \
    LOCKSTEP_DEVICE type name##suffix(type *address, type v)                                       \
    {                                                                                              \
        return (type)name##suffix((as *)address, (as)(value));                                     \
    }
#define LOCKSTEP_ATOMIC_AS(name, type, as, value)                                                  \
    LOCKSTEP_ATOMIC_AS_SCOPE(name, , type, as, value)                                              \
    LOCKSTEP_ATOMIC_AS_SCOPE(name, _block, type, as, value)                                        \
    LOCKSTEP_ATOMIC_AS_SCOPE(name, _system, type, as, value)

LOCKSTEP_ATOMIC(atomicAdd, "add", int, add_gen_i, int, "s32", "r")
LOCKSTEP_ATOMIC(atomicAdd, "add", unsigned int, add_gen_i, int, "u32", "r")
LOCKSTEP_ATOMIC(atomicAdd, "add", unsigned long long, add_gen_ll, long long, "u64", "l")
LOCKSTEP_ATOMIC(atomicAdd, "add", float, add_gen_f, float, "f32", "f")
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
LOCKSTEP_ATOMIC(atomicAdd, "add", double, add_gen_d, double, "f64", "d")
#endif
LOCKSTEP_ATOMIC_AS(atomicAdd, long long, unsigned long long, v)
LOCKSTEP_ATOMIC_AS(atomicAdd, long, unsigned long long, v)
LOCKSTEP_ATOMIC_AS(atomicAdd, unsigned long, unsigned long long, v)
LOCKSTEP_DEVICE int
atomicSub(int *address, int value)
{
    return atomicAdd(address, (int)(0u - (unsigned int)value));
}
LOCKSTEP_DEVICE int
atomicSub_block(int *address, int value)
{
    return atomicAdd_block(address, (int)(0u - (unsigned int)value));
}
LOCKSTEP_DEVICE int
atomicSub_system(int *address, int value)
{
    return atomicAdd_system(address, (int)(0u - (unsigned int)value));
}
LOCKSTEP_DEVICE unsigned int
atomicSub(unsigned int *address, unsigned int value)
{
    return atomicAdd(address, (unsigned int)(0u - (unsigned int)value));
}
LOCKSTEP_DEVICE unsigned int
atomicSub_block(unsigned int *address, unsigned int value)
{
    return atomicAdd_block(address, (unsigned int)(0u - (unsigned int)value));
}
LOCKSTEP_DEVICE unsigned int
atomicSub_system(unsigned int *address, unsigned int value)
{
    return atomicAdd_system(address, (unsigned int)(0u - (unsigned int)value));
}
LOCKSTEP_ATOMIC(atomicMin, "min", int, min_gen_i, int, "s32", "r")
LOCKSTEP_ATOMIC(atomicMin, "min", unsigned int, min_gen_ui, unsigned int, "u32", "r")
LOCKSTEP_ATOMIC(atomicMin, "min", long long, min_gen_ll, long long, "s64", "l")
LOCKSTEP_ATOMIC(atomicMin, "min", unsigned long long, min_gen_ull, unsigned long long, "u64", "l")
LOCKSTEP_ATOMIC_AS(atomicMin, long, long long, v)
LOCKSTEP_ATOMIC_AS(atomicMin, unsigned long, unsigned long long, v)
LOCKSTEP_ATOMIC(atomicMax, "max", int, max_gen_i, int, "s32", "r")
LOCKSTEP_ATOMIC(atomicMax, "max", unsigned int, max_gen_ui, unsigned int, "u32", "r")
LOCKSTEP_ATOMIC(atomicMax, "max", long long, max_gen_ll, long long, "s64", "l")
LOCKSTEP_ATOMIC(atomicMax, "max", unsigned long long, max_gen_ull, unsigned long long, "u64", "l")
LOCKSTEP_ATOMIC_AS(atomicMax, long, long long, v)
LOCKSTEP_ATOMIC_AS(atomicMax, unsigned long, unsigned long long, v)
LOCKSTEP_ATOMIC(atomicAnd, "and", int, and_gen_i, int, "b32", "r")
LOCKSTEP_ATOMIC(atomicAnd, "and", unsigned int, and_gen_i, int, "b32", "r")
LOCKSTEP_ATOMIC(atomicAnd, "and", long long, and_gen_ll, long long, "b64", "l")
LOCKSTEP_ATOMIC(atomicAnd, "and", unsigned long long, and_gen_ll, long long, "b64", "l")
LOCKSTEP_ATOMIC_AS(atomicAnd, unsigned long, unsigned long long, v)
LOCKSTEP_ATOMIC(atomicOr, "or", int, or_gen_i, int, "b32", "r")
LOCKSTEP_ATOMIC(atomicOr, "or", unsigned int, or_gen_i, int, "b32", "r")
LOCKSTEP_ATOMIC(atomicOr, "or", long long, or_gen_ll, long long, "b64", "l")
LOCKSTEP_ATOMIC(atomicOr, "or", unsigned long long, or_gen_ll, long long, "b64", "l")
LOCKSTEP_ATOMIC_AS(atomicOr, unsigned long, unsigned long long, v)
LOCKSTEP_ATOMIC(atomicXor, "xor", int, xor_gen_i, int, "b32", "r")
LOCKSTEP_ATOMIC(atomicXor, "xor", unsigned int, xor_gen_i, int, "b32", "r")
LOCKSTEP_ATOMIC(atomicXor, "xor", long long, xor_gen_ll, long long, "b64", "l")
LOCKSTEP_ATOMIC(atomicXor, "xor", unsigned long long, xor_gen_ll, long long, "b64", "l")
LOCKSTEP_ATOMIC_AS(atomicXor, unsigned long, unsigned long long, v)
LOCKSTEP_ATOMIC(atomicExch, "exch", int, xchg_gen_i, int, "b32", "r")
LOCKSTEP_ATOMIC(atomicExch, "exch", unsigned int, xchg_gen_i, int, "b32", "r")
LOCKSTEP_ATOMIC(atomicExch, "exch", float, xchg_gen_i, int, "b32", "f")
LOCKSTEP_ATOMIC(atomicExch, "exch", long long, xchg_gen_ll, long long, "b64", "l")
LOCKSTEP_ATOMIC(atomicExch, "exch", unsigned long long, xchg_gen_ll, long long, "b64", "l")
LOCKSTEP_ATOMIC(atomicExch, "exch", double, xchg_gen_ll, long long, "b64", "d")
LOCKSTEP_ATOMIC_AS(atomicExch, unsigned long, unsigned long long, v)
LOCKSTEP_ATOMIC(atomicInc, "inc", unsigned int, inc_gen_ui, unsigned int, "u32", "r")
LOCKSTEP_ATOMIC(atomicDec, "dec", unsigned int, dec_gen_ui, unsigned int, "u32", "r")
LOCKSTEP_CAS_SCOPE(, "", unsigned short, "b16", "h")
LOCKSTEP_CAS_SCOPE(_block, ".cta", unsigned short, "b16", "h")
LOCKSTEP_CAS_SCOPE(_system, ".sys", unsigned short, "b16", "h")
LOCKSTEP_CAS(int, i, int, "b32", "r")
LOCKSTEP_CAS(unsigned int, i, int, "b32", "r")
LOCKSTEP_CAS(long long, ll, long long, "b64", "l")
LOCKSTEP_CAS(unsigned long long, ll, long long, "b64", "l")
LOCKSTEP_DEVICE unsigned long
atomicCAS(unsigned long *address, unsigned long compare, unsigned long value)
{
    return atomicCAS((unsigned long long *)address, (unsigned long long)compare,
                     (unsigned long long)value);
}
LOCKSTEP_DEVICE unsigned long
atomicCAS_block(unsigned long *address, unsigned long compare, unsigned long value)
{
    return atomicCAS_block((unsigned long long *)address, (unsigned long long)compare,
                     (unsigned long long)value);
}
LOCKSTEP_DEVICE unsigned long
atomicCAS_system(unsigned long *address, unsigned long compare, unsigned long value)
{
    return atomicCAS_system((unsigned long long *)address, (unsigned long long)compare,
                     (unsigned long long)value);
}
#undef LOCKSTEP_ATOMIC_SCOPE
#undef LOCKSTEP_ATOMIC
#undef LOCKSTEP_CAS_SCOPE
#undef LOCKSTEP_CAS
#undef LOCKSTEP_ATOMIC_AS_SCOPE
#undef LOCKSTEP_ATOMIC_AS

/* -- loads and stores with a cache operator ------------------------------------------------- */

/* 1, 2 and 4 values at a time: the PTX type, its constraint letter, the type the register has. */
#define LOCKSTEP_LOAD1(name, op, type, ptx, letter, reg)                                           \
    LOCKSTEP_DEVICE type name(const type *address)                                                 \
    {                                                                                              \
        reg v;                                                                                     \
        __asm__ __volatile__("ld" op "." ptx " %0, [%1];" : "=" letter(v) : "l"(address) : "memory"); \
        return (type)v;                                                                            \
    }
#define LOCKSTEP_LOAD2(name, op, type, ptx, letter, reg)                                           \
    LOCKSTEP_DEVICE type name(const type *address)                                                 \
    {                                                                                              \
        reg x, y;                                                                                  \
        __asm__ __volatile__("ld" op ".v2." ptx " {%0, %1}, [%2];"                                 \
                             : "=" letter(x), "=" letter(y)                                        \
                             : "l"(address)                                                        \
                             : "memory");                                                          \
        type v;                                                                                    \
        v.x = (decltype(v.x))x, v.y = (decltype(v.x))y;                                            \
        return v;                                                                                  \
    }
#define LOCKSTEP_LOAD4(name, op, type, ptx, letter, reg)                                           \
    LOCKSTEP_DEVICE type name(const type *address)                                                 \
    {                                                                                              \
        reg x, y, z, w;                                                                            \
        __asm__ __volatile__("ld" op ".v4." ptx " {%0, %1, %2, %3}, [%4];"                         \
                             : "=" letter(x), "=" letter(y), "=" letter(z), "=" letter(w)          \
                             : "l"(address)                                                        \
                             : "memory");                                                          \
        type v;                                                                                    \
        v.x = (decltype(v.x))x, v.y = (decltype(v.x))y;                                            \
        v.z = (decltype(v.x))z, v.w = (decltype(v.x))w;                                            \
        return v;                                                                                  \
    }
#define LOCKSTEP_STORE1(name, op, type, ptx, letter, reg)                                          \
    LOCKSTEP_DEVICE void name(type *address, type v)                                               \
    {                                                                                              \
        __asm__ __volatile__("st" op "." ptx " [%0], %1;" ::"l"(address), letter((reg)v)           \
                             : "memory");                                                          \
    }
#define LOCKSTEP_STORE2(name, op, type, ptx, letter, reg)                                          \
    LOCKSTEP_DEVICE void name(type *address, type v)                                               \
    {                                                                                              \
        __asm__ __volatile__("st" op ".v2." ptx " [%0], {%1, %2};" ::"l"(address),                 \
                             letter((reg)v.x), letter((reg)v.y)                                    \
                             : "memory");                                                          \
    }
#define LOCKSTEP_STORE4(name, op, type, ptx, letter, reg)                                          \
    LOCKSTEP_DEVICE void name(type *address, type v)                                               \
    {                                                                                              \
        __asm__ __volatile__("st" op ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(address),         \
                             letter((reg)v.x), letter((reg)v.y), letter((reg)v.z),                 \
                             letter((reg)v.w)                                                      \
                             : "memory");                                                          \
    }
/* Every type that __ldg takes. */
#define LOCKSTEP_CACHE_TYPES(K, name, op)                                                          \
    LOCKSTEP_##K##1(name, op, char, "s8", "h", short)                                              \
    LOCKSTEP_##K##1(name, op, signed char, "s8", "h", short)                                       \
    LOCKSTEP_##K##1(name, op, unsigned char, "u8", "h", unsigned short)                            \
    LOCKSTEP_##K##1(name, op, short, "s16", "h", short)                                            \
    LOCKSTEP_##K##1(name, op, unsigned short, "u16", "h", unsigned short)                          \
    LOCKSTEP_##K##1(name, op, int, "s32", "r", int)                                                \
    LOCKSTEP_##K##1(name, op, unsigned int, "u32", "r", unsigned int)                              \
    LOCKSTEP_##K##1(name, op, long, "s64", "l", long)                                              \
    LOCKSTEP_##K##1(name, op, unsigned long, "u64", "l", unsigned long)                            \
    LOCKSTEP_##K##1(name, op, long long, "s64", "l", long long)                                    \
    LOCKSTEP_##K##1(name, op, unsigned long long, "u64", "l", unsigned long long)                  \
    LOCKSTEP_##K##1(name, op, float, "f32", "f", float)                                            \
    LOCKSTEP_##K##1(name, op, double, "f64", "d", double)                                          \
    LOCKSTEP_##K##2(name, op, char2, "s8", "h", short)                                             \
    LOCKSTEP_##K##2(name, op, uchar2, "u8", "h", unsigned short)                                   \
    LOCKSTEP_##K##2(name, op, short2, "s16", "h", short)                                           \
    LOCKSTEP_##K##2(name, op, ushort2, "u16", "h", unsigned short)                                 \
    LOCKSTEP_##K##2(name, op, int2, "s32", "r", int)                                               \
    LOCKSTEP_##K##2(name, op, uint2, "u32", "r", unsigned int)                                     \
    LOCKSTEP_##K##2(name, op, longlong2, "s64", "l", long long)                                    \
    LOCKSTEP_##K##2(name, op, ulonglong2, "u64", "l", unsigned long long)                          \
    LOCKSTEP_##K##2(name, op, float2, "f32", "f", float)                                           \
    LOCKSTEP_##K##2(name, op, double2, "f64", "d", double)                                         \
    LOCKSTEP_##K##4(name, op, char4, "s8", "h", short)                                             \
    LOCKSTEP_##K##4(name, op, uchar4, "u8", "h", unsigned short)                                   \
    LOCKSTEP_##K##4(name, op, short4, "s16", "h", short)                                           \
    LOCKSTEP_##K##4(name, op, ushort4, "u16", "h", unsigned short)                                 \
    LOCKSTEP_##K##4(name, op, int4, "s32", "r", int)                                               \
    LOCKSTEP_##K##4(name, op, uint4, "u32", "r", unsigned int)                                     \
    LOCKSTEP_##K##4(name, op, float4, "f32", "f", float)
LOCKSTEP_CACHE_TYPES(LOAD, __ldcg, ".global.cg")
LOCKSTEP_CACHE_TYPES(LOAD, __ldca, ".global.ca")
LOCKSTEP_CACHE_TYPES(LOAD, __ldcs, ".global.cs")
LOCKSTEP_CACHE_TYPES(LOAD, __ldlu, ".global.lu")
LOCKSTEP_CACHE_TYPES(LOAD, __ldcv, ".global.cv")
LOCKSTEP_CACHE_TYPES(STORE, __stwb, ".global.wb")
LOCKSTEP_CACHE_TYPES(STORE, __stcg, ".global.cg")
LOCKSTEP_CACHE_TYPES(STORE, __stcs, ".global.cs")
LOCKSTEP_CACHE_TYPES(STORE, __stwt, ".global.wt")
#undef LOCKSTEP_CACHE_TYPES
#undef LOCKSTEP_LOAD1
#undef LOCKSTEP_LOAD2
#undef LOCKSTEP_LOAD4
#undef LOCKSTEP_STORE1
#undef LOCKSTEP_STORE2
#undef LOCKSTEP_STORE4

/* -- address spaces ------------------------------------------------------------------------- */

LOCKSTEP_DEVICE unsigned int
__isGlobal(const void *p)
{
    return __nvvm_isspacep_global(p);
}
LOCKSTEP_DEVICE unsigned int
__isShared(const void *p)
{
    return __nvvm_isspacep_shared(p);
}
LOCKSTEP_DEVICE unsigned int
__isConstant(const void *p)
{
    return __nvvm_isspacep_const(p);
}
LOCKSTEP_DEVICE unsigned int
__isLocal(const void *p)
{
    return __nvvm_isspacep_local(p);
}
LOCKSTEP_DEVICE size_t
__cvta_generic_to_global(const void *p)
{
    return __nv_cvta_generic_to_global_impl(p);
}
LOCKSTEP_DEVICE void *
__cvta_global_to_generic(size_t p)
{
    return __nv_cvta_global_to_generic_impl(p);
}
LOCKSTEP_DEVICE size_t
__cvta_generic_to_shared(const void *p)
{
    return __nv_cvta_generic_to_shared_impl(p);
}
LOCKSTEP_DEVICE void *
__cvta_shared_to_generic(size_t p)
{
    return __nv_cvta_shared_to_generic_impl(p);
}
LOCKSTEP_DEVICE size_t
__cvta_generic_to_constant(const void *p)
{
    return __nv_cvta_generic_to_constant_impl(p);
}
LOCKSTEP_DEVICE void *
__cvta_constant_to_generic(size_t p)
{
    return __nv_cvta_constant_to_generic_impl(p);
}
LOCKSTEP_DEVICE size_t
__cvta_generic_to_local(const void *p)
{
    return __nv_cvta_generic_to_local_impl(p);
}
LOCKSTEP_DEVICE void *
__cvta_local_to_generic(size_t p)
{
    return __nv_cvta_local_to_generic_impl(p);
}

/* -- integers ------------------------------------------------------------------------------- */

LOCKSTEP_DEVICE int
__dp4a(int a, int b, int c)
{
    int d;
    __asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
LOCKSTEP_DEVICE unsigned int
__dp4a(unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int d;
    __asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
LOCKSTEP_DEVICE int
__dp4a(char4 a, char4 b, int c)
{
    return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
LOCKSTEP_DEVICE unsigned int
__dp4a(uchar4 a, uchar4 b, unsigned int c)
{
    return __dp4a(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
LOCKSTEP_DEVICE int
__dp2a_lo(int a, int b, int c)
{
    int d;
    __asm__("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
LOCKSTEP_DEVICE int
__dp2a_lo(short2 a, char4 b, int c)
{
    return __dp2a_lo(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
LOCKSTEP_DEVICE unsigned int
__dp2a_lo(unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int d;
    __asm__("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
LOCKSTEP_DEVICE unsigned int
__dp2a_lo(ushort2 a, uchar4 b, unsigned int c)
{
    return __dp2a_lo(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
LOCKSTEP_DEVICE int
__dp2a_hi(int a, int b, int c)
{
    int d;
    __asm__("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
LOCKSTEP_DEVICE int
__dp2a_hi(short2 a, char4 b, int c)
{
    return __dp2a_hi(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
LOCKSTEP_DEVICE unsigned int
__dp2a_hi(unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int d;
    __asm__("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
LOCKSTEP_DEVICE unsigned int
__dp2a_hi(ushort2 a, uchar4 b, unsigned int c)
{
    return __dp2a_hi(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}

/* The mixed forms of min and max, which usual arithmetic conversions make unsigned. */
#define LOCKSTEP_MINMAX(result, a_type, b_type)                                                    \
    LOCKSTEP_DEVICE result min(a_type a, b_type b)                                                 \
    {                                                                                              \
        return (result)a < (result)b ? (result)a : (result)b;                                      \
    }                                                                                              \
    LOCKSTEP_DEVICE result max(a_type a, b_type b)                                                 \
    {                                                                                              \
        return (result)a > (result)b ? (result)a : (result)b;                                      \
    }
LOCKSTEP_MINMAX(unsigned int, unsigned int, unsigned int)
LOCKSTEP_MINMAX(unsigned int, int, unsigned int)
LOCKSTEP_MINMAX(unsigned int, unsigned int, int)
LOCKSTEP_MINMAX(long, long, long)
LOCKSTEP_MINMAX(unsigned long, unsigned long, unsigned long)
LOCKSTEP_MINMAX(unsigned long, long, unsigned long)
LOCKSTEP_MINMAX(unsigned long, unsigned long, long)
LOCKSTEP_MINMAX(long long, long long, long long)
LOCKSTEP_MINMAX(unsigned long long, unsigned long long, unsigned long long)
LOCKSTEP_MINMAX(unsigned long long, long long, unsigned long long)
LOCKSTEP_MINMAX(unsigned long long, unsigned long long, long long)
#undef LOCKSTEP_MINMAX
#define LOCKSTEP_MINMAX(type, a_type, b_type, minimum, maximum)                                    \
    LOCKSTEP_DEVICE type min(a_type a, b_type b)                                                   \
    {                                                                                              \
        return minimum(a, b);                                                                      \
    }                                                                                              \
    LOCKSTEP_DEVICE type max(a_type a, b_type b)                                                   \
    {                                                                                              \
        return maximum(a, b);                                                                      \
    }
LOCKSTEP_MINMAX(float, float, float, fminf, fmaxf)
LOCKSTEP_MINMAX(double, double, double, fmin, fmax)
LOCKSTEP_MINMAX(double, float, double, fmin, fmax)
LOCKSTEP_MINMAX(double, double, float, fmin, fmax)
#undef LOCKSTEP_MINMAX

/* Three-way and clamped minimum and maximum (DPX functions). */
#define LOCKSTEP_DPX(type, suffix)                                                                 \
    LOCKSTEP_DEVICE type __vimax3_##suffix(type a, type b, type c)                                 \
    {                                                                                              \
        return max(max(a, b), c);                                                                  \
    }                                                                                              \
    LOCKSTEP_DEVICE type __vimin3_##suffix(type a, type b, type c)                                 \
    {                                                                                              \
        return min(min(a, b), c);                                                                  \
    }                                                                                              \
    LOCKSTEP_DEVICE type __viaddmax_##suffix(type a, type b, type c)                               \
    {                                                                                              \
        return max((type)(a + b), c);                                                              \
    }                                                                                              \
    LOCKSTEP_DEVICE type __viaddmin_##suffix(type a, type b, type c)                               \
    {                                                                                              \
        return min((type)(a + b), c);                                                              \
    }
LOCKSTEP_DPX(int, s32)
LOCKSTEP_DPX(unsigned int, u32)
#undef LOCKSTEP_DPX
LOCKSTEP_DEVICE int
__vimax_s32_relu(int a, int b)
{
    return max(max(a, b), 0);
}
LOCKSTEP_DEVICE int
__viaddmax_s32_relu(int a, int b, int c)
{
    return max(max(a + b, c), 0);
}

/* -- time, fences, hints -------------------------------------------------------------------- */

LOCKSTEP_DEVICE void
__nanosleep(unsigned int ns)
{
    __asm__ __volatile__("nanosleep.u32 %0;" ::"r"(ns) : "memory");
}

/* -- the float overloads of CUDA's own functions -------------------------------------------- */

#define LOCKSTEP_FLOAT1(name)                                                                      \
    LOCKSTEP_DEVICE float name(float a)                                                            \
    {                                                                                              \
        return name##f(a);                                                                         \
    }
LOCKSTEP_FLOAT1(rsqrt)
LOCKSTEP_FLOAT1(rcbrt)
LOCKSTEP_FLOAT1(sinpi)
LOCKSTEP_FLOAT1(cospi)
LOCKSTEP_FLOAT1(erfinv)
LOCKSTEP_FLOAT1(erfcinv)
LOCKSTEP_FLOAT1(normcdfinv)
LOCKSTEP_FLOAT1(normcdf)
LOCKSTEP_FLOAT1(erfcx)
LOCKSTEP_FLOAT1(exp10)
LOCKSTEP_FLOAT1(j0)
LOCKSTEP_FLOAT1(j1)
LOCKSTEP_FLOAT1(y0)
LOCKSTEP_FLOAT1(y1)
LOCKSTEP_FLOAT1(cyl_bessel_i0)
LOCKSTEP_FLOAT1(cyl_bessel_i1)
#undef LOCKSTEP_FLOAT1
LOCKSTEP_DEVICE void
sincospi(float a, float *s, float *c)
{
    sincospif(a, s, c);
}
LOCKSTEP_DEVICE void
sincos(float a, float *s, float *c)
{
    sincosf(a, s, c);
}
LOCKSTEP_DEVICE float
jn(int n, float a)
{
    return jnf(n, a);
}
LOCKSTEP_DEVICE float
yn(int n, float a)
{
    return ynf(n, a);
}
LOCKSTEP_DEVICE float
copysign(float a, float b)
{
    return copysignf(a, b);
}
LOCKSTEP_DEVICE float
rhypot(float a, float b)
{
    return rhypotf(a, b);
}
LOCKSTEP_DEVICE float
norm3d(float a, float b, float c)
{
    return norm3df(a, b, c);
}
LOCKSTEP_DEVICE float
norm4d(float a, float b, float c, float d)
{
    return norm4df(a, b, c, d);
}
LOCKSTEP_DEVICE float
__tanhf(float a)
{
    return tanhf(a);
}

#ifndef LOCKSTEP_SHARED_MATH
/* The tag, which may choose among the representations of NaN, chooses none here. */
LOCKSTEP_DEVICE double
nan(const char *)
{
    return __builtin_nan("");
}
LOCKSTEP_DEVICE float
nanf(const char *)
{
    return __builtin_nanf("");
}
#endif

#endif
