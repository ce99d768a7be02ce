/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_bulk.h: copies in the background of <cuda/ptx>: bulk copies and reductions, those of boxes of
 * tensors, stores and reductions to other blocks, and changes of tensor maps.
 */
#ifndef LOCKSTEP_CRT_PTX_BULK
#define LOCKSTEP_CRT_PTX_BULK

namespace cuda
{
namespace ptx
{

#define LOCKSTEP_GLOBAL(p) "l"(__lockstep_global(p))

/* -- groups ------------------------------------------------------------------------------------ */

LOCKSTEP_PTX(void)
cp_async_bulk_commit_group()
{
    __asm__ __volatile__("cp.async.bulk.commit_group;" ::: "memory");
}
template <int N>
LOCKSTEP_PTX(void)
cp_async_bulk_wait_group(n32_t<N>)
{
    __asm__ __volatile__("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}
template <int N>
LOCKSTEP_PTX(void)
cp_async_bulk_wait_group_read(n32_t<N>)
{
    __asm__ __volatile__("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

/* -- bulk copies ------------------------------------------------------------------------------- */

#define LOCKSTEP_BULK(to, from, text, source)                                                      \
    LOCKSTEP_PTX(void)                                                                             \
    cp_async_bulk(space_##to##_t, space_##from##_t, void *at, const void *origin,                  \
                  const uint32_t &size, uint64_t *b)                                               \
    {                                                                                              \
        __asm__ __volatile__("cp.async.bulk." text                                                 \
                             ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::LOCKSTEP_AT(  \
                                 at),                                                              \
                             source(origin), "r"(size), LOCKSTEP_AT(b)                             \
                             : "memory");                                                          \
    }
LOCKSTEP_BULK(cluster, global, "shared::cluster.global", LOCKSTEP_GLOBAL)
LOCKSTEP_BULK(shared, global, "shared::cta.global", LOCKSTEP_GLOBAL)
LOCKSTEP_BULK(cluster, shared, "shared::cluster.shared::cta", LOCKSTEP_AT)
#undef LOCKSTEP_BULK

LOCKSTEP_PTX(void)
cp_async_bulk(space_global_t, space_shared_t, void *to, const void *from, const uint32_t &size)
{
    __asm__ __volatile__("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::LOCKSTEP_GLOBAL(to),
                         LOCKSTEP_AT(from), "r"(size)
                         : "memory");
}
LOCKSTEP_PTX(void)
cp_async_bulk(space_cluster_t, space_global_t, void *to, const void *from, const uint32_t &size,
              uint64_t *b, const uint16_t &blocks)
{
    __asm__ __volatile__("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                         ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::LOCKSTEP_AT(to),
                         LOCKSTEP_GLOBAL(from), "r"(size), LOCKSTEP_AT(b), "h"(blocks)
                         : "memory");
}

/* -- bulk reductions --------------------------------------------------------------------------- */

#define LOCKSTEP_REDUCE_FAR(op, word, type, suffix)                                                \
    LOCKSTEP_PTX(void)                                                                             \
    cp_reduce_async_bulk(space_cluster_t, space_shared_t, op_##op##_t, type *to, const type *from, \
                         uint32_t size, uint64_t *b)                                               \
    {                                                                                              \
        __asm__ __volatile__("cp.reduce.async.bulk.shared::cluster.shared::cta"                    \
                             ".mbarrier::complete_tx::bytes." word "." suffix                      \
                             " [%0], [%1], %2, [%3];" ::LOCKSTEP_AT(to),                           \
                             LOCKSTEP_AT(from), "r"(size), LOCKSTEP_AT(b)                          \
                             : "memory");                                                          \
    }
#define LOCKSTEP_REDUCE(op, word, type, suffix)                                                    \
    LOCKSTEP_PTX(void)                                                                             \
    cp_reduce_async_bulk(space_global_t, space_shared_t, op_##op##_t, type *to, const type *from,  \
                         uint32_t size)                                                            \
    {                                                                                              \
        __asm__ __volatile__("cp.reduce.async.bulk.global.shared::cta.bulk_group." word "." suffix \
                             " [%0], [%1], %2;" ::LOCKSTEP_GLOBAL(to),                             \
                             LOCKSTEP_AT(from), "r"(size)                                          \
                             : "memory");                                                          \
    }
#define LOCKSTEP_REDUCE_BOTH(op, word, type, suffix)                                               \
    LOCKSTEP_REDUCE_FAR(op, word, type, suffix) LOCKSTEP_REDUCE(op, word, type, suffix)
#define LOCKSTEP_REDUCE_BITS(form, type, suffix)                                                   \
    form(and_op, "and", type, suffix) form(or_op, "or", type, suffix) form(xor_op, "xor", type, suffix)
#define LOCKSTEP_REDUCE_ORDER(form, type, suffix)                                                  \
    form(min, "min", type, suffix) form(max, "max", type, suffix)
LOCKSTEP_REDUCE_BITS(LOCKSTEP_REDUCE_BOTH, uint32_t, "b32")
LOCKSTEP_REDUCE_BITS(LOCKSTEP_REDUCE_BOTH, int32_t, "b32")
LOCKSTEP_REDUCE_BITS(LOCKSTEP_REDUCE, uint64_t, "b64")
LOCKSTEP_REDUCE_BITS(LOCKSTEP_REDUCE, int64_t, "b64")
LOCKSTEP_REDUCE_ORDER(LOCKSTEP_REDUCE_BOTH, uint32_t, "u32")
LOCKSTEP_REDUCE_ORDER(LOCKSTEP_REDUCE_BOTH, int32_t, "s32")
LOCKSTEP_REDUCE_ORDER(LOCKSTEP_REDUCE, uint64_t, "u64")
LOCKSTEP_REDUCE_ORDER(LOCKSTEP_REDUCE, int64_t, "s64")
LOCKSTEP_REDUCE_ORDER(LOCKSTEP_REDUCE, __half, "f16")
LOCKSTEP_REDUCE_ORDER(LOCKSTEP_REDUCE, __nv_bfloat16, "bf16")
LOCKSTEP_REDUCE_BOTH(add, "add", uint32_t, "u32")
LOCKSTEP_REDUCE_BOTH(add, "add", int32_t, "s32")
LOCKSTEP_REDUCE_BOTH(add, "add", uint64_t, "u64")
LOCKSTEP_REDUCE_BOTH(add, "add", int64_t, "u64") /* the same bits: there is no .s64 */
LOCKSTEP_REDUCE_BOTH(inc, "inc", uint32_t, "u32")
LOCKSTEP_REDUCE_BOTH(dec, "dec", uint32_t, "u32")
LOCKSTEP_REDUCE(add, "add", float, "f32")
LOCKSTEP_REDUCE(add, "add", double, "f64")
LOCKSTEP_REDUCE(add, "add.noftz", __half, "f16")
LOCKSTEP_REDUCE(add, "add.noftz", __nv_bfloat16, "bf16")
#undef LOCKSTEP_REDUCE_FAR
#undef LOCKSTEP_REDUCE
#undef LOCKSTEP_REDUCE_BOTH
#undef LOCKSTEP_REDUCE_BITS
#undef LOCKSTEP_REDUCE_ORDER

/* -- boxes of tensors -------------------------------------------------------------------------- */

#define LOCKSTEP_LOAD(n, to, text, places, operands)                                               \
    LOCKSTEP_PTX(void)                                                                             \
    cp_async_bulk_tensor(space_##to##_t, space_global_t, void *at, const void *map,                \
                         const int32_t (&c)[n], uint64_t *b)                                       \
    {                                                                                              \
        __asm__ __volatile__("cp.async.bulk.tensor." #n "d." text                                  \
                             ".global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" places       \
                             "}], [%2];" ::LOCKSTEP_AT(at),                                        \
                             "l"(map), LOCKSTEP_AT(b), operands                                    \
                             : "memory");                                                          \
    }
#define LOCKSTEP_MULTICAST(n, places, operands)                                                    \
    LOCKSTEP_PTX(void)                                                                             \
    cp_async_bulk_tensor(space_cluster_t, space_global_t, void *at, const void *map,               \
                         const int32_t (&c)[n], uint64_t *b, const uint16_t &blocks)               \
    {                                                                                              \
        __asm__ __volatile__(                                                                      \
            "cp.async.bulk.tensor." #n "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" \
            ".multicast::cluster [%0], [%1, {" places "}], [%2], %3;" ::LOCKSTEP_AT(at),           \
            "l"(map), LOCKSTEP_AT(b), "h"(blocks), operands                                        \
            : "memory");                                                                           \
    }
#define LOCKSTEP_STORE(n, places, operands)                                                        \
    LOCKSTEP_PTX(void)                                                                             \
    cp_async_bulk_tensor(space_global_t, space_shared_t, const void *map, const int32_t (&c)[n],   \
                         const void *from)                                                         \
    {                                                                                              \
        __asm__ __volatile__("cp.async.bulk.tensor." #n                                            \
                             "d.global.shared::cta.tile.bulk_group [%0, {" places                  \
                             "}], [%1];" ::"l"(map),                                               \
                             LOCKSTEP_AT(from), operands                                           \
                             : "memory");                                                          \
    }
#define LOCKSTEP_REDUCE(n, op, word, places, operands)                                             \
    LOCKSTEP_PTX(void)                                                                             \
    cp_reduce_async_bulk_tensor(space_global_t, space_shared_t, op_##op##_t, const void *map,      \
                                const int32_t (&c)[n], const void *from)                           \
    {                                                                                              \
        __asm__ __volatile__("cp.reduce.async.bulk.tensor." #n "d.global.shared::cta." word        \
                             ".tile.bulk_group [%0, {" places "}], [%1];" ::"l"(map),              \
                             LOCKSTEP_AT(from), operands                                           \
                             : "memory");                                                          \
    }
#define LOCKSTEP_REST(...) __VA_ARGS__
/* n dimensions: where coordinates stand in the text of loads and multicasts (from 3 and from 4) and
 * of stores (from 2). */
#define LOCKSTEP_TENSOR(n, at2, at3, at4, operands)                                                \
    LOCKSTEP_LOAD(n, cluster, "shared::cluster", at3, LOCKSTEP_REST operands)                      \
    LOCKSTEP_LOAD(n, shared, "shared::cta", at3, LOCKSTEP_REST operands)                           \
    LOCKSTEP_MULTICAST(n, at4, LOCKSTEP_REST operands)                                             \
    LOCKSTEP_STORE(n, at2, LOCKSTEP_REST operands)                                                 \
    LOCKSTEP_REDUCE(n, add, "add", at2, LOCKSTEP_REST operands)                                    \
    LOCKSTEP_REDUCE(n, min, "min", at2, LOCKSTEP_REST operands)                                    \
    LOCKSTEP_REDUCE(n, max, "max", at2, LOCKSTEP_REST operands)                                    \
    LOCKSTEP_REDUCE(n, inc, "inc", at2, LOCKSTEP_REST operands)                                    \
    LOCKSTEP_REDUCE(n, dec, "dec", at2, LOCKSTEP_REST operands)                                    \
    LOCKSTEP_REDUCE(n, and_op, "and", at2, LOCKSTEP_REST operands)                                 \
    LOCKSTEP_REDUCE(n, or_op, "or", at2, LOCKSTEP_REST operands)                                   \
    LOCKSTEP_REDUCE(n, xor_op, "xor", at2, LOCKSTEP_REST operands)
LOCKSTEP_TENSOR(1, "%2", "%3", "%4", ("r"(c[0])))
LOCKSTEP_TENSOR(2, "%2, %3", "%3, %4", "%4, %5", ("r"(c[0]), "r"(c[1])))
LOCKSTEP_TENSOR(3, "%2, %3, %4", "%3, %4, %5", "%4, %5, %6", ("r"(c[0]), "r"(c[1]), "r"(c[2])))
LOCKSTEP_TENSOR(4, "%2, %3, %4, %5", "%3, %4, %5, %6", "%4, %5, %6, %7",
                ("r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])))
LOCKSTEP_TENSOR(5, "%2, %3, %4, %5, %6", "%3, %4, %5, %6, %7", "%4, %5, %6, %7, %8",
                ("r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])))
#undef LOCKSTEP_LOAD
#undef LOCKSTEP_MULTICAST
#undef LOCKSTEP_STORE
#undef LOCKSTEP_REDUCE
#undef LOCKSTEP_TENSOR

/* -- one value to another block ---------------------------------------------------------------- */

#define LOCKSTEP_ST_ASYNC(type, suffix, letter)                                                    \
    LOCKSTEP_PTX(void) st_async(type *to, const type &v, uint64_t *b)                              \
    {                                                                                              \
        __asm__ __volatile__("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes." suffix  \
                             " [%0], %1, [%2];" ::LOCKSTEP_AT(to),                                 \
                             letter(v), LOCKSTEP_AT(b)                                             \
                             : "memory");                                                          \
    }                                                                                              \
    LOCKSTEP_PTX(void) st_async(type *to, const type (&v)[2], uint64_t *b)                         \
    {                                                                                              \
        __asm__ __volatile__("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2."      \
                             suffix " [%0], {%1, %2}, [%3];" ::LOCKSTEP_AT(to),                    \
                             letter(v[0]), letter(v[1]), LOCKSTEP_AT(b)                            \
                             : "memory");                                                          \
    }
#define LOCKSTEP_ST_ASYNC_FOUR(type, suffix, letter)                                               \
    LOCKSTEP_PTX(void) st_async(type *to, const type (&v)[4], uint64_t *b)                         \
    {                                                                                              \
        __asm__ __volatile__("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4."      \
                             suffix " [%0], {%1, %2, %3, %4}, [%5];" ::LOCKSTEP_AT(to),            \
                             letter(v[0]), letter(v[1]), letter(v[2]), letter(v[3]), LOCKSTEP_AT(b) \
                             : "memory");                                                          \
    }
LOCKSTEP_ST_ASYNC(uint32_t, "b32", "r")
LOCKSTEP_ST_ASYNC(int32_t, "b32", "r")
LOCKSTEP_ST_ASYNC(float, "f32", "f")
LOCKSTEP_ST_ASYNC(uint64_t, "b64", "l")
LOCKSTEP_ST_ASYNC(int64_t, "b64", "l")
LOCKSTEP_ST_ASYNC(double, "f64", "d")
LOCKSTEP_ST_ASYNC_FOUR(uint32_t, "b32", "r")
LOCKSTEP_ST_ASYNC_FOUR(int32_t, "b32", "r")
LOCKSTEP_ST_ASYNC_FOUR(float, "f32", "f")
#undef LOCKSTEP_ST_ASYNC
#undef LOCKSTEP_ST_ASYNC_FOUR

#define LOCKSTEP_RED_ASYNC(op, word, type, suffix, letter)                                         \
    LOCKSTEP_PTX(void) red_async(op_##op##_t, type *to, const type &v, uint64_t *b)                \
    {                                                                                              \
        __asm__ __volatile__(                                                                      \
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." word         \
            "." suffix " [%0], %1, [%2];" ::LOCKSTEP_AT(to),                                       \
            letter(v), LOCKSTEP_AT(b)                                                              \
            : "memory");                                                                           \
    }
LOCKSTEP_RED_ASYNC(add, "add", uint32_t, "u32", "r")
LOCKSTEP_RED_ASYNC(add, "add", int32_t, "s32", "r")
LOCKSTEP_RED_ASYNC(add, "add", uint64_t, "u64", "l")
LOCKSTEP_RED_ASYNC(add, "add", int64_t, "u64", "l")
LOCKSTEP_RED_ASYNC(min, "min", uint32_t, "u32", "r")
LOCKSTEP_RED_ASYNC(min, "min", int32_t, "s32", "r")
LOCKSTEP_RED_ASYNC(max, "max", uint32_t, "u32", "r")
LOCKSTEP_RED_ASYNC(max, "max", int32_t, "s32", "r")
LOCKSTEP_RED_ASYNC(inc, "inc", uint32_t, "u32", "r")
LOCKSTEP_RED_ASYNC(dec, "dec", uint32_t, "u32", "r")
LOCKSTEP_RED_ASYNC(and_op, "and", uint32_t, "b32", "r")
LOCKSTEP_RED_ASYNC(or_op, "or", uint32_t, "b32", "r")
LOCKSTEP_RED_ASYNC(xor_op, "xor", uint32_t, "b32", "r")
#undef LOCKSTEP_RED_ASYNC

/* -- changes of tensor maps -------------------------------------------------------------------- */

#define LOCKSTEP_REPLACE_AT(name, field, space, place, at, parameters, operands, bits, more)       \
    LOCKSTEP_PTX(void)                                                                             \
    tensormap_replace_##name(space_##space##_t, void *map, LOCKSTEP_REST parameters)               \
    {                                                                                              \
        __asm__ __volatile__("tensormap.replace.tile." field "." place ".b1024." bits              \
                             " [%0], " more ";" ::at(map),                                         \
                             LOCKSTEP_REST operands                                                \
                             : "memory");                                                          \
    }
/* In global and in shared memory. */
#define LOCKSTEP_REPLACE(heading, name, field, parameters, operands, bits, more)                   \
    LOCKSTEP_REST heading LOCKSTEP_REPLACE_AT(name, field, global, "global", LOCKSTEP_GLOBAL,      \
                                              parameters, operands, bits, more)                    \
    LOCKSTEP_REST heading LOCKSTEP_REPLACE_AT(name, field, shared, "shared::cta", LOCKSTEP_AT,     \
                                              parameters, operands, bits, more)
LOCKSTEP_REPLACE((template <class T>), global_address, "global_address", (T value),
                 ("l"((uint64_t)value)), "b64", "%1")
LOCKSTEP_REPLACE((template <class T>), rank, "rank", (T value), ("r"((uint32_t)value)), "b32", "%1")
#define LOCKSTEP_REPLACE_DIMENSION(name, field, bits, type, letter)                                \
    LOCKSTEP_REPLACE((template <int N, class T>), name, field, (n32_t<N>, T value),                \
                     ("n"(N), letter((type)value)), bits, "%1, %2")
LOCKSTEP_REPLACE_DIMENSION(box_dim, "box_dim", "b32", uint32_t, "r")
LOCKSTEP_REPLACE_DIMENSION(global_dim, "global_dim", "b32", uint32_t, "r")
LOCKSTEP_REPLACE_DIMENSION(global_stride, "global_stride", "b64", uint64_t, "l")
LOCKSTEP_REPLACE_DIMENSION(element_size, "element_stride", "b32", uint32_t, "r")
#undef LOCKSTEP_REPLACE_DIMENSION
#define LOCKSTEP_REPLACE_MODE(name)                                                                \
    LOCKSTEP_REPLACE((template <int N>), name, #name, (n32_t<N>), ("n"(N)), "b32", "%1")
LOCKSTEP_REPLACE_MODE(elemtype)
LOCKSTEP_REPLACE_MODE(interleave_layout)
LOCKSTEP_REPLACE_MODE(swizzle_mode)
LOCKSTEP_REPLACE_MODE(fill_mode)
#undef LOCKSTEP_REPLACE_MODE
#undef LOCKSTEP_REPLACE
#undef LOCKSTEP_REPLACE_AT
#undef LOCKSTEP_REST
#undef LOCKSTEP_GLOBAL
#undef LOCKSTEP_AT
#undef LOCKSTEP_PTX

} // namespace ptx
} // namespace cuda

#endif
