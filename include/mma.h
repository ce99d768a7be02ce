/* SPDX-License-Identifier: Apache-2.0
 *
 * mma.h: nvcuda::wmma, products of matrices by a warp (CUDA C++ Programming Guide, "Warp Matrix
 * Functions").
 *
 * Each function is one PTX instruction of the wmma family. Fragments keep their numbers in x[], as
 * the instruction's registers hold them. One macro makes the functions of one shape and type; the
 * lists at the end name them all.
 */
#ifndef LOCKSTEP_MMA_H
#define LOCKSTEP_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)

namespace nvcuda
{
namespace wmma
{

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision
{
struct tf32;
} // namespace precision
namespace experimental
{
namespace precision
{
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

template <typename T>
struct __lockstep_element {
    typedef T element_type, storage_type;
};
template <>
struct __lockstep_element<precision::tf32> {
    typedef float element_type, storage_type;
};
template <>
struct __lockstep_element<experimental::precision::u4> {
    typedef experimental::precision::u4 element_type;
    typedef unsigned storage_type;
};
template <>
struct __lockstep_element<experimental::precision::s4> {
    typedef experimental::precision::s4 element_type;
    typedef int storage_type;
};
template <>
struct __lockstep_element<experimental::precision::b1> {
    typedef experimental::precision::b1 element_type;
    typedef unsigned storage_type;
};

/* n numbers of a matrix, in `words` elements of x. */
template <typename T, int n, int words = n>
struct alignas(8) __lockstep_numbers {
    enum { num_elements = n, num_storage_elements = words };
    typedef typename __lockstep_element<T>::element_type element_type;
    typedef typename __lockstep_element<T>::storage_type storage_element_type;
    storage_element_type x[words];
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class fragment;

template <typename Use, int m, int n, int k, typename T, typename Layout, typename V>
__device__ __forceinline__ void
fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const V &v)
{
    for (int i = 0; i < (int)f.num_storage_elements; i++)
        f.x[i] = (typename fragment<Use, m, n, k, T, Layout>::storage_element_type)v;
}

__device__ __forceinline__ float
__float_to_tf32(float a)
{
    unsigned r;
    __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(a));
    return __uint_as_float(r);
}

typedef unsigned __attribute__((may_alias)) __lockstep_word;

/* clang-format off */
/* Lists of registers in the text, as results, as operands. */
#define LOCKSTEP_T1(x) "{%[" #x "0]}"
#define LOCKSTEP_T2(x) "{%[" #x "0], %[" #x "1]}"
#define LOCKSTEP_T4(x) "{%[" #x "0], %[" #x "1], %[" #x "2], %[" #x "3]}"
#define LOCKSTEP_T8(x) "{%[" #x "0], %[" #x "1], %[" #x "2], %[" #x "3], %[" #x "4], %[" #x "5], %[" #x "6], %[" #x "7]}"
#define LOCKSTEP_L1(x, kind, r) [x##0] kind(r[0])
#define LOCKSTEP_L2(x, kind, r) LOCKSTEP_L1(x, kind, r), [x##1] kind(r[1])
#define LOCKSTEP_L4(x, kind, r) LOCKSTEP_L2(x, kind, r), [x##2] kind(r[2]), [x##3] kind(r[3])
#define LOCKSTEP_L8(x, kind, r) LOCKSTEP_L4(x, kind, r), [x##4] kind(r[4]), [x##5] kind(r[5]), [x##6] kind(r[6]), [x##7] kind(r[7])
/* How a register of a type is passed: R words, F floats, D doubles. */
#define LOCKSTEP_OUT_R "=r"
#define LOCKSTEP_OUT_F "=f"
#define LOCKSTEP_OUT_D "=d"
#define LOCKSTEP_IN_R "r"
#define LOCKSTEP_IN_F "f"
#define LOCKSTEP_IN_D "d"
#define LOCKSTEP_PTR_R __lockstep_word
#define LOCKSTEP_PTR_F float
#define LOCKSTEP_PTR_D double

/* matrix_a and matrix_b of one layout: n numbers in `words` elements, `regs` registers. */
#define LOCKSTEP_WMMA_INPUT(use, u, m, n, k, T, type, P, order, count, words, regs, C)             \
    template <>                                                                                    \
    class fragment<use, m, n, k, T, order##_major> : public __lockstep_numbers<T, count, words> {};       \
    __device__ __forceinline__ void                                                                \
    load_matrix_sync(fragment<use, m, n, k, T, order##_major> &f, const P *p, unsigned ldm)         \
    {                                                                                              \
        LOCKSTEP_PTR_##C *r = (LOCKSTEP_PTR_##C *)f.x;                                             \
        __asm__ __volatile__("wmma.load." #u ".sync.aligned." #order ".m" #m "n" #n "k" #k "." #type " " \
                             LOCKSTEP_T##regs(r) ", [%[p]], %[ldm];"                               \
                             : LOCKSTEP_L##regs(r, LOCKSTEP_OUT_##C, r)                            \
                             : [p] "l"(p), [ldm] "r"(ldm) : "memory");                             \
    }

/* accumulator: loads and stores in both layouts. */
#define LOCKSTEP_WMMA_ACCUMULATOR(m, n, k, T, type, count, regs, C)                                \
    template <>                                                                                    \
    class fragment<accumulator, m, n, k, T, void> : public __lockstep_numbers<T, count> {};        \
    LOCKSTEP_WMMA_MOVE(m, n, k, T, type, regs, C)
#define LOCKSTEP_WMMA_MOVE(m, n, k, T, type, regs, C)                                              \
    __device__ __forceinline__ void                                                                \
    load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned ldm, layout_t layout) \
    {                                                                                              \
        LOCKSTEP_PTR_##C *r = (LOCKSTEP_PTR_##C *)f.x;                                             \
        if (layout == mem_row_major)                                                               \
            __asm__ __volatile__("wmma.load.c.sync.aligned.row.m" #m "n" #n "k" #k "." #type " "   \
                                 LOCKSTEP_T##regs(r) ", [%[p]], %[ldm];"                           \
                                 : LOCKSTEP_L##regs(r, LOCKSTEP_OUT_##C, r)                        \
                                 : [p] "l"(p), [ldm] "r"(ldm) : "memory");                         \
        else                                                                                       \
            __asm__ __volatile__("wmma.load.c.sync.aligned.col.m" #m "n" #n "k" #k "." #type " "   \
                                 LOCKSTEP_T##regs(r) ", [%[p]], %[ldm];"                           \
                                 : LOCKSTEP_L##regs(r, LOCKSTEP_OUT_##C, r)                        \
                                 : [p] "l"(p), [ldm] "r"(ldm) : "memory");                         \
    }                                                                                              \
    __device__ __forceinline__ void                                                                \
    store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned ldm, layout_t layout) \
    {                                                                                              \
        const LOCKSTEP_PTR_##C *r = (const LOCKSTEP_PTR_##C *)f.x;                                 \
        if (layout == mem_row_major)                                                               \
            __asm__ __volatile__("wmma.store.d.sync.aligned.row.m" #m "n" #n "k" #k "." #type      \
                                 " [%[p]], " LOCKSTEP_T##regs(r) ", %[ldm];"                       \
                                 :: [p] "l"(p), [ldm] "r"(ldm), LOCKSTEP_L##regs(r, LOCKSTEP_IN_##C, r) : "memory"); \
        else                                                                                       \
            __asm__ __volatile__("wmma.store.d.sync.aligned.col.m" #m "n" #n "k" #k "." #type      \
                                 " [%[p]], " LOCKSTEP_T##regs(r) ", %[ldm];"                       \
                                 :: [p] "l"(p), [ldm] "r"(ldm), LOCKSTEP_L##regs(r, LOCKSTEP_IN_##C, r) : "memory"); \
    }

#define LOCKSTEP_WMMA_ASM(op, oa, ob, m, n, k, types, tail, nd, na, nb, nc, CD, CA, CC)            \
    __asm__ __volatile__("wmma.mma" op ".sync.aligned." #oa "." #ob ".m" #m "n" #n "k" #k types tail " " \
                         LOCKSTEP_T##nd(d) ", " LOCKSTEP_T##na(a) ", " LOCKSTEP_T##nb(b) ", " LOCKSTEP_T##nc(c) ";" \
                         : LOCKSTEP_L##nd(d, LOCKSTEP_OUT_##CD, rd)                                \
                         : LOCKSTEP_L##na(a, LOCKSTEP_IN_##CA, ra), LOCKSTEP_L##nb(b, LOCKSTEP_IN_##CA, rb), \
                           LOCKSTEP_L##nc(c, LOCKSTEP_IN_##CC, rc))
#define LOCKSTEP_WMMA_REGISTERS(CD, CA, CC)                                                        \
    LOCKSTEP_PTR_##CD *rd = (LOCKSTEP_PTR_##CD *)d.x;                                              \
    const LOCKSTEP_PTR_##CA *ra = (const LOCKSTEP_PTR_##CA *)a.x, *rb = (const LOCKSTEP_PTR_##CA *)b.x; \
    const LOCKSTEP_PTR_##CC *rc = (const LOCKSTEP_PTR_##CC *)c.x

/* One product; saturating: what satf adds to the text. */
#define LOCKSTEP_WMMA_MMA(oa, ob, m, n, k, T, D, C_, types, saturating, nd, na, nb, nc, CD, CA, CC) \
    __device__ __forceinline__ void                                                                \
    mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, oa##_major> &a, \
             const fragment<matrix_b, m, n, k, T, ob##_major> &b,                                  \
             const fragment<accumulator, m, n, k, C_> &c, bool satf = false)                       \
    {                                                                                              \
        LOCKSTEP_WMMA_REGISTERS(CD, CA, CC);                                                       \
        if (satf)                                                                                  \
            LOCKSTEP_WMMA_ASM("", oa, ob, m, n, k, types, saturating, nd, na, nb, nc, CD, CA, CC); \
        else                                                                                       \
            LOCKSTEP_WMMA_ASM("", oa, ob, m, n, k, types, "", nd, na, nb, nc, CD, CA, CC);         \
    }

#define LOCKSTEP_WMMA_LAYOUTS(macro, ...)                                                          \
    macro(row, row, __VA_ARGS__) macro(row, col, __VA_ARGS__) macro(col, row, __VA_ARGS__) macro(col, col, __VA_ARGS__)
#define LOCKSTEP_WMMA_INPUTS(m, n, k, T, type, P, ca, wa, ra, cb, wb, rb, C)                       \
    LOCKSTEP_WMMA_INPUT(matrix_a, a, m, n, k, T, type, P, row, ca, wa, ra, C)                      \
    LOCKSTEP_WMMA_INPUT(matrix_a, a, m, n, k, T, type, P, col, ca, wa, ra, C)                      \
    LOCKSTEP_WMMA_INPUT(matrix_b, b, m, n, k, T, type, P, row, cb, wb, rb, C)                      \
    LOCKSTEP_WMMA_INPUT(matrix_b, b, m, n, k, T, type, P, col, cb, wb, rb, C)

/* The accumulators and types of one shape of 16 along k. */
#define LOCKSTEP_WMMA_SHAPE(m, n, wa, wb, ia, ib)                                                  \
    LOCKSTEP_WMMA_ACCUMULATOR(m, n, 16, float, f32, 8, 8, F)                                       \
    LOCKSTEP_WMMA_ACCUMULATOR(m, n, 16, __half, f16, 8, 4, R)                                      \
    LOCKSTEP_WMMA_ACCUMULATOR(m, n, 16, int, s32, 8, 8, R)                                         \
    LOCKSTEP_WMMA_INPUTS(m, n, 16, __half, f16, __half, 16, 16, 8, 16, 16, 8, R)                   \
    LOCKSTEP_WMMA_LAYOUTS(LOCKSTEP_WMMA_MMA, m, n, 16, __half, float, float, ".f32.f32", ".satfinite", 8, 8, 8, 8, F, R, F)   \
    LOCKSTEP_WMMA_LAYOUTS(LOCKSTEP_WMMA_MMA, m, n, 16, __half, float, __half, ".f32.f16", ".satfinite", 8, 8, 8, 4, F, R, R)  \
    LOCKSTEP_WMMA_LAYOUTS(LOCKSTEP_WMMA_MMA, m, n, 16, __half, __half, float, ".f16.f32", ".satfinite", 4, 8, 8, 8, R, R, F)  \
    LOCKSTEP_WMMA_LAYOUTS(LOCKSTEP_WMMA_MMA, m, n, 16, __half, __half, __half, ".f16.f16", ".satfinite", 4, 8, 8, 4, R, R, R) \
    LOCKSTEP_WMMA_BFLOAT(m, n, wa, wb)                                                             \
    LOCKSTEP_WMMA_BYTES(m, n, signed char, s8, ia, ib)                                             \
    LOCKSTEP_WMMA_BYTES(m, n, unsigned char, u8, ia, ib)
#define LOCKSTEP_WMMA_BFLOAT(m, n, wa, wb)                                                         \
    LOCKSTEP_WMMA_INPUTS(m, n, 16, __nv_bfloat16, bf16, __nv_bfloat16, wa * 2, wa * 2, wa, wb * 2, wb * 2, wb, R) \
    LOCKSTEP_WMMA_LAYOUTS(LOCKSTEP_WMMA_MMA, m, n, 16, __nv_bfloat16, float, float, ".f32.bf16.bf16.f32", "", 8, wa, wb, 8, F, R, F)
#define LOCKSTEP_WMMA_BYTES(m, n, T, type, ia, ib)                                                 \
    LOCKSTEP_WMMA_INPUTS(m, n, 16, T, type, T, ia * 4, ia * 4, ia, ib * 4, ib * 4, ib, R)          \
    LOCKSTEP_WMMA_LAYOUTS(LOCKSTEP_WMMA_MMA, m, n, 16, T, int, int, ".s32." #type "." #type ".s32", ".satfinite", 8, ia, ib, 8, R, R, R)

LOCKSTEP_WMMA_SHAPE(16, 16, 4, 4, 2, 2)
LOCKSTEP_WMMA_SHAPE(32, 8, 8, 2, 4, 1)
LOCKSTEP_WMMA_SHAPE(8, 32, 2, 8, 1, 4)

LOCKSTEP_WMMA_ACCUMULATOR(16, 16, 8, float, f32, 8, 8, F)
LOCKSTEP_WMMA_INPUTS(16, 16, 8, precision::tf32, tf32, float, 4, 4, 4, 4, 4, 4, R)
LOCKSTEP_WMMA_LAYOUTS(LOCKSTEP_WMMA_MMA, 16, 16, 8, precision::tf32, float, float, ".f32.tf32.tf32.f32", "", 8, 4, 4, 8, F, R, F)

LOCKSTEP_WMMA_ACCUMULATOR(8, 8, 4, double, f64, 2, 2, D)
LOCKSTEP_WMMA_INPUTS(8, 8, 4, double, f64, double, 1, 1, 1, 1, 1, 1, D)
LOCKSTEP_WMMA_LAYOUTS(LOCKSTEP_WMMA_MMA, 8, 8, 4, double, double, double, ".f64.f64.f64.f64.rn", "", 2, 1, 1, 2, D, D, D)

/* Numbers below a byte: A by rows, B by columns. */
#define LOCKSTEP_WMMA_BITS(k, T, type, count)                                                      \
    LOCKSTEP_WMMA_INPUT(matrix_a, a, 8, 8, k, experimental::precision::T, type, void, row, count, 1, 1, R) \
    LOCKSTEP_WMMA_INPUT(matrix_b, b, 8, 8, k, experimental::precision::T, type, void, col, count, 1, 1, R)
LOCKSTEP_WMMA_ACCUMULATOR(8, 8, 32, int, s32, 2, 2, R)
LOCKSTEP_WMMA_BITS(32, s4, s4, 8)
LOCKSTEP_WMMA_BITS(32, u4, u4, 8)
LOCKSTEP_WMMA_MMA(row, col, 8, 8, 32, experimental::precision::s4, int, int, ".s32.s4.s4.s32", ".satfinite", 2, 1, 1, 2, R, R, R)
LOCKSTEP_WMMA_MMA(row, col, 8, 8, 32, experimental::precision::u4, int, int, ".s32.u4.u4.s32", ".satfinite", 2, 1, 1, 2, R, R, R)
LOCKSTEP_WMMA_ACCUMULATOR(8, 8, 128, int, s32, 2, 2, R)
LOCKSTEP_WMMA_BITS(128, b1, b1, 32)

__device__ __forceinline__ void
bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
          const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
          const fragment<accumulator, 8, 8, 128, int> &c,
          experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    LOCKSTEP_WMMA_REGISTERS(R, R, R);
    if (op == experimental::bmmaBitOpAND)
        LOCKSTEP_WMMA_ASM(".and.popc", row, col, 8, 8, 128, ".s32.b1.b1.s32", "", 2, 1, 1, 2, R, R, R);
    else
        LOCKSTEP_WMMA_ASM(".xor.popc", row, col, 8, 8, 128, ".s32.b1.b1.s32", "", 2, 1, 1, 2, R, R, R);
}
/* clang-format on */

#undef LOCKSTEP_T1
#undef LOCKSTEP_T2
#undef LOCKSTEP_T4
#undef LOCKSTEP_T8
#undef LOCKSTEP_L1
#undef LOCKSTEP_L2
#undef LOCKSTEP_L4
#undef LOCKSTEP_L8
#undef LOCKSTEP_OUT_R
#undef LOCKSTEP_OUT_F
#undef LOCKSTEP_OUT_D
#undef LOCKSTEP_IN_R
#undef LOCKSTEP_IN_F
#undef LOCKSTEP_IN_D
#undef LOCKSTEP_PTR_R
#undef LOCKSTEP_PTR_F
#undef LOCKSTEP_PTR_D
#undef LOCKSTEP_WMMA_INPUT
#undef LOCKSTEP_WMMA_ACCUMULATOR
#undef LOCKSTEP_WMMA_MOVE
#undef LOCKSTEP_WMMA_ASM
#undef LOCKSTEP_WMMA_REGISTERS
#undef LOCKSTEP_WMMA_MMA
#undef LOCKSTEP_WMMA_LAYOUTS
#undef LOCKSTEP_WMMA_INPUTS
#undef LOCKSTEP_WMMA_SHAPE
#undef LOCKSTEP_WMMA_BFLOAT
#undef LOCKSTEP_WMMA_BYTES
#undef LOCKSTEP_WMMA_BITS

namespace experimental
{
using wmma::bmma_sync;
} // namespace experimental

} // namespace wmma
} // namespace nvcuda

#endif

#endif
