/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_mbarrier.h: mbarriers, fences, clusters and special registers of <cuda/ptx>.
 */
#ifndef LOCKSTEP_CRT_PTX_MBARRIER
#define LOCKSTEP_CRT_PTX_MBARRIER

#define LOCKSTEP_PTX(result) static __device__ __forceinline__ result
#define LOCKSTEP_AT(p) "r"(__lockstep_shared(p))

namespace cuda
{
namespace ptx
{

/* -- fences ------------------------------------------------------------------------------------ */

/* An instruction without operands. */
#define LOCKSTEP_PLAIN(name, parameters, text)                                                     \
    LOCKSTEP_PTX(void) name parameters                                                             \
    {                                                                                              \
        __asm__ __volatile__(text ";" ::: "memory");                                               \
    }
#define LOCKSTEP_FENCES(sem)                                                                       \
    LOCKSTEP_PLAIN(fence, (sem_##sem##_t, scope_cta_t), "fence." #sem ".cta")                      \
    LOCKSTEP_PLAIN(fence, (sem_##sem##_t, scope_cluster_t), "fence." #sem ".cluster")              \
    LOCKSTEP_PLAIN(fence, (sem_##sem##_t, scope_gpu_t), "fence." #sem ".gpu")                      \
    LOCKSTEP_PLAIN(fence, (sem_##sem##_t, scope_sys_t), "fence." #sem ".sys")
LOCKSTEP_FENCES(sc)
LOCKSTEP_FENCES(acq_rel)
#undef LOCKSTEP_FENCES
LOCKSTEP_PLAIN(fence_mbarrier_init, (sem_release_t, scope_cluster_t),
               "fence.mbarrier_init.release.cluster")
LOCKSTEP_PLAIN(fence_proxy_alias, (), "fence.proxy.alias")
LOCKSTEP_PLAIN(fence_proxy_async, (), "fence.proxy.async")
LOCKSTEP_PLAIN(fence_proxy_async, (space_global_t), "fence.proxy.async.global")
LOCKSTEP_PLAIN(fence_proxy_async, (space_cluster_t), "fence.proxy.async.shared::cluster")
LOCKSTEP_PLAIN(fence_proxy_async, (space_shared_t), "fence.proxy.async.shared::cta")
#define LOCKSTEP_TENSORMAP_FENCE(scope)                                                            \
    LOCKSTEP_PLAIN(fence_proxy_tensormap_generic, (sem_release_t, scope_##scope##_t),              \
                   "fence.proxy.tensormap::generic.release." #scope)                               \
    template <int N>                                                                               \
    LOCKSTEP_PTX(void)                                                                             \
    fence_proxy_tensormap_generic(sem_acquire_t, scope_##scope##_t, const void *at, n32_t<N>)      \
    {                                                                                              \
        __asm__ __volatile__("fence.proxy.tensormap::generic.acquire." #scope " [%0], %1;" ::"l"(  \
                                 at),                                                              \
                             "n"(N)                                                                \
                             : "memory");                                                          \
    }                                                                                              \
    template <int N>                                                                               \
    LOCKSTEP_PTX(void)                                                                             \
    tensormap_cp_fenceproxy(sem_release_t, scope_##scope##_t, void *to, const void *from,          \
                            n32_t<N>)                                                              \
    {                                                                                              \
        __asm__ __volatile__(                                                                      \
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release." #scope        \
            ".sync.aligned [%0], [%1], %2;" ::"l"(__lockstep_global(to)),                          \
            LOCKSTEP_AT(from), "n"(N)                                                              \
            : "memory");                                                                           \
    }
LOCKSTEP_TENSORMAP_FENCE(cta)
LOCKSTEP_TENSORMAP_FENCE(cluster)
LOCKSTEP_TENSORMAP_FENCE(gpu)
LOCKSTEP_TENSORMAP_FENCE(sys)
#undef LOCKSTEP_TENSORMAP_FENCE

/* -- clusters ---------------------------------------------------------------------------------- */

LOCKSTEP_PLAIN(barrier_cluster_arrive, (), "barrier.cluster.arrive")
LOCKSTEP_PLAIN(barrier_cluster_arrive, (sem_release_t), "barrier.cluster.arrive.release")
LOCKSTEP_PLAIN(barrier_cluster_arrive, (sem_relaxed_t), "barrier.cluster.arrive.relaxed")
LOCKSTEP_PLAIN(barrier_cluster_wait, (), "barrier.cluster.wait")
LOCKSTEP_PLAIN(barrier_cluster_wait, (sem_acquire_t), "barrier.cluster.wait.acquire")
LOCKSTEP_PLAIN(barrier_cluster_arrive_aligned, (), "barrier.cluster.arrive.aligned")
LOCKSTEP_PLAIN(barrier_cluster_arrive_aligned, (sem_release_t),
               "barrier.cluster.arrive.release.aligned")
LOCKSTEP_PLAIN(barrier_cluster_arrive_aligned, (sem_relaxed_t),
               "barrier.cluster.arrive.relaxed.aligned")
LOCKSTEP_PLAIN(barrier_cluster_wait_aligned, (), "barrier.cluster.wait.aligned")
LOCKSTEP_PLAIN(barrier_cluster_wait_aligned, (sem_acquire_t), "barrier.cluster.wait.acquire.aligned")
LOCKSTEP_PLAIN(exit, (), "exit")
LOCKSTEP_PLAIN(trap, (), "trap")
#undef LOCKSTEP_PLAIN

LOCKSTEP_PTX(uint32_t)
getctarank(space_cluster_t, const void *at)
{
    uint32_t rank;
    __asm__("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : LOCKSTEP_AT(at));
    return rank;
}
LOCKSTEP_PTX(bool)
elect_sync(const uint32_t &mask)
{
    uint32_t elected;
    __asm__ __volatile__("{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }"
                         : "=r"(elected)
                         : "r"(mask));
    return elected != 0;
}

/* -- mbarriers --------------------------------------------------------------------------------- */

LOCKSTEP_PTX(void)
mbarrier_init(uint64_t *b, const uint32_t &count)
{
    __asm__ __volatile__("mbarrier.init.shared::cta.b64 [%0], %1;" ::LOCKSTEP_AT(b), "r"(count)
                         : "memory");
}
LOCKSTEP_PTX(void)
mbarrier_inval(uint64_t *b)
{
    __asm__ __volatile__("mbarrier.inval.shared::cta.b64 [%0];" ::LOCKSTEP_AT(b) : "memory");
}
LOCKSTEP_PTX(uint64_t)
mbarrier_arrive(uint64_t *b)
{
    uint64_t state;
    __asm__ __volatile__("mbarrier.arrive.shared::cta.b64 %0, [%1];"
                         : "=l"(state)
                         : LOCKSTEP_AT(b)
                         : "memory");
    return state;
}
LOCKSTEP_PTX(uint64_t)
mbarrier_arrive(uint64_t *b, const uint32_t &count)
{
    uint64_t state;
    __asm__ __volatile__("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
                         : "=l"(state)
                         : LOCKSTEP_AT(b), "r"(count)
                         : "memory");
    return state;
}
LOCKSTEP_PTX(uint64_t)
mbarrier_arrive_no_complete(uint64_t *b, const uint32_t &count)
{
    uint64_t state;
    __asm__ __volatile__("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], %2;"
                         : "=l"(state)
                         : LOCKSTEP_AT(b), "r"(count)
                         : "memory");
    return state;
}

/* With .sem and .scope: of the block's own barrier with a state, of another block's without one. */
#define LOCKSTEP_ARRIVE(sem, scope)                                                                \
    LOCKSTEP_PTX(uint64_t)                                                                         \
    mbarrier_arrive(sem_##sem##_t, scope_##scope##_t, space_shared_t, uint64_t *b)                 \
    {                                                                                              \
        uint64_t state;                                                                            \
        __asm__ __volatile__("mbarrier.arrive." #sem "." #scope ".shared::cta.b64 %0, [%1];"       \
                             : "=l"(state)                                                         \
                             : LOCKSTEP_AT(b)                                                      \
                             : "memory");                                                          \
        return state;                                                                              \
    }                                                                                              \
    LOCKSTEP_PTX(uint64_t)                                                                         \
    mbarrier_arrive(sem_##sem##_t, scope_##scope##_t, space_shared_t, uint64_t *b,                 \
                    const uint32_t &count)                                                         \
    {                                                                                              \
        uint64_t state;                                                                            \
        __asm__ __volatile__("mbarrier.arrive." #sem "." #scope ".shared::cta.b64 %0, [%1], %2;"   \
                             : "=l"(state)                                                         \
                             : LOCKSTEP_AT(b), "r"(count)                                          \
                             : "memory");                                                          \
        return state;                                                                              \
    }                                                                                              \
    LOCKSTEP_PTX(uint64_t)                                                                         \
    mbarrier_arrive_expect_tx(sem_##sem##_t, scope_##scope##_t, space_shared_t, uint64_t *b,       \
                              const uint32_t &bytes)                                               \
    {                                                                                              \
        uint64_t state;                                                                            \
        __asm__ __volatile__("mbarrier.arrive.expect_tx." #sem "." #scope                          \
                             ".shared::cta.b64 %0, [%1], %2;"                                      \
                             : "=l"(state)                                                         \
                             : LOCKSTEP_AT(b), "r"(bytes)                                          \
                             : "memory");                                                          \
        return state;                                                                              \
    }
#define LOCKSTEP_ARRIVE_FAR(sem)                                                                   \
    LOCKSTEP_PTX(void)                                                                             \
    mbarrier_arrive(sem_##sem##_t, scope_cluster_t, space_cluster_t, uint64_t *b,                  \
                    const uint32_t &count)                                                         \
    {                                                                                              \
        __asm__ __volatile__("mbarrier.arrive." #sem ".cluster.shared::cluster.b64 _, [%0], %1;" :: \
                                 LOCKSTEP_AT(b),                                                   \
                             "r"(count)                                                            \
                             : "memory");                                                          \
    }                                                                                              \
    LOCKSTEP_PTX(void)                                                                             \
    mbarrier_arrive(sem_##sem##_t, scope_cluster_t, space_cluster_t, uint64_t *b)                  \
    {                                                                                              \
        __asm__ __volatile__("mbarrier.arrive." #sem ".cluster.shared::cluster.b64 _, [%0];" ::    \
                                 LOCKSTEP_AT(b)                                                    \
                             : "memory");                                                          \
    }                                                                                              \
    LOCKSTEP_PTX(void)                                                                             \
    mbarrier_arrive_expect_tx(sem_##sem##_t, scope_cluster_t, space_cluster_t, uint64_t *b,        \
                              const uint32_t &bytes)                                               \
    {                                                                                              \
        __asm__ __volatile__("mbarrier.arrive.expect_tx." #sem                                     \
                             ".cluster.shared::cluster.b64 _, [%0], %1;" ::LOCKSTEP_AT(b),         \
                             "r"(bytes)                                                            \
                             : "memory");                                                          \
    }
LOCKSTEP_ARRIVE(release, cta)
LOCKSTEP_ARRIVE(release, cluster)
LOCKSTEP_ARRIVE(relaxed, cta)
LOCKSTEP_ARRIVE(relaxed, cluster)
LOCKSTEP_ARRIVE_FAR(release)
LOCKSTEP_ARRIVE_FAR(relaxed)
#undef LOCKSTEP_ARRIVE
#undef LOCKSTEP_ARRIVE_FAR

#define LOCKSTEP_EXPECT(scope, space, state)                                                       \
    LOCKSTEP_PTX(void)                                                                             \
    mbarrier_expect_tx(sem_relaxed_t, scope_##scope##_t, space_##space##_t, uint64_t *b,           \
                       uint32_t bytes)                                                             \
    {                                                                                              \
        __asm__ __volatile__("mbarrier.expect_tx.relaxed." #scope "." state ".b64 [%0], %1;" ::    \
                                 LOCKSTEP_AT(b),                                                   \
                             "r"(bytes)                                                            \
                             : "memory");                                                          \
    }
LOCKSTEP_EXPECT(cta, shared, "shared::cta")
LOCKSTEP_EXPECT(cluster, shared, "shared::cta")
LOCKSTEP_EXPECT(cluster, cluster, "shared::cluster")
#undef LOCKSTEP_EXPECT

/* A question for the end of a phase, by its state or its parity. */
#define LOCKSTEP_WAIT(name, tags, text, type, letter)                                              \
    LOCKSTEP_PTX(bool) name(LOCKSTEP_REST tags uint64_t *b, const type &which)                     \
    {                                                                                              \
        uint32_t over;                                                                             \
        __asm__ __volatile__("{ .reg .pred p; " text ".shared::cta.b64 p, [%1], %2;"               \
                             " selp.u32 %0, 1, 0, p; }"                                            \
                             : "=r"(over)                                                          \
                             : LOCKSTEP_AT(b), letter(which)                                       \
                             : "memory");                                                          \
        return over != 0;                                                                          \
    }
#define LOCKSTEP_WAIT_HINT(name, tags, text, type, letter)                                         \
    LOCKSTEP_PTX(bool)                                                                             \
    name(LOCKSTEP_REST tags uint64_t *b, const type &which, const uint32_t &hint)                  \
    {                                                                                              \
        uint32_t over;                                                                             \
        __asm__ __volatile__("{ .reg .pred p; " text ".shared::cta.b64 p, [%1], %2, %3;"           \
                             " selp.u32 %0, 1, 0, p; }"                                            \
                             : "=r"(over)                                                          \
                             : LOCKSTEP_AT(b), letter(which), "r"(hint)                            \
                             : "memory");                                                          \
        return over != 0;                                                                          \
    }
#define LOCKSTEP_REST(...) __VA_ARGS__
#define LOCKSTEP_WAITS(form, name, text, type, letter)                                             \
    form(name, (), text, type, letter)                                                             \
    form(name, (sem_acquire_t, scope_cta_t, ), text ".acquire.cta", type, letter)                  \
    form(name, (sem_acquire_t, scope_cluster_t, ), text ".acquire.cluster", type, letter)          \
    form(name, (sem_relaxed_t, scope_cta_t, ), text ".relaxed.cta", type, letter)                  \
    form(name, (sem_relaxed_t, scope_cluster_t, ), text ".relaxed.cluster", type, letter)
LOCKSTEP_WAITS(LOCKSTEP_WAIT, mbarrier_test_wait, "mbarrier.test_wait", uint64_t, "l")
LOCKSTEP_WAITS(LOCKSTEP_WAIT, mbarrier_test_wait_parity, "mbarrier.test_wait.parity", uint32_t, "r")
LOCKSTEP_WAITS(LOCKSTEP_WAIT, mbarrier_try_wait, "mbarrier.try_wait", uint64_t, "l")
LOCKSTEP_WAITS(LOCKSTEP_WAIT, mbarrier_try_wait_parity, "mbarrier.try_wait.parity", uint32_t, "r")
LOCKSTEP_WAITS(LOCKSTEP_WAIT_HINT, mbarrier_try_wait, "mbarrier.try_wait", uint64_t, "l")
LOCKSTEP_WAITS(LOCKSTEP_WAIT_HINT, mbarrier_try_wait_parity, "mbarrier.try_wait.parity", uint32_t,
               "r")
#undef LOCKSTEP_WAIT
#undef LOCKSTEP_WAIT_HINT
#undef LOCKSTEP_WAITS
#undef LOCKSTEP_REST

LOCKSTEP_PTX(void)
cp_async_mbarrier_arrive(uint64_t *b)
{
    __asm__ __volatile__("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::LOCKSTEP_AT(b)
                         : "memory");
}
LOCKSTEP_PTX(void)
cp_async_mbarrier_arrive_noinc(uint64_t *b)
{
    __asm__ __volatile__("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::LOCKSTEP_AT(b)
                         : "memory");
}

/* -- special registers ------------------------------------------------------------------------- */

#define LOCKSTEP_REGISTER(name, word) LOCKSTEP_REGISTER_OF(uint32_t, "u32", "=r", name, word)
#define LOCKSTEP_REGISTER_OF(type, text, letter, name, word)                                       \
    LOCKSTEP_PTX(type) get_sreg_##name()                                                           \
    {                                                                                              \
        type value;                                                                                \
        __asm__ __volatile__("mov." text " %0, %%" word ";" : letter(value));                      \
        return value;                                                                              \
    }
#define LOCKSTEP_REGISTERS(name)                                                                   \
    LOCKSTEP_REGISTER(name##_x, #name ".x")                                                        \
    LOCKSTEP_REGISTER(name##_y, #name ".y")                                                        \
    LOCKSTEP_REGISTER(name##_z, #name ".z")
LOCKSTEP_REGISTERS(tid)
LOCKSTEP_REGISTERS(ntid)
LOCKSTEP_REGISTERS(ctaid)
LOCKSTEP_REGISTERS(nctaid)
LOCKSTEP_REGISTERS(clusterid)
LOCKSTEP_REGISTERS(nclusterid)
LOCKSTEP_REGISTERS(cluster_ctaid)
LOCKSTEP_REGISTERS(cluster_nctaid)
LOCKSTEP_REGISTER(cluster_ctarank, "cluster_ctarank")
LOCKSTEP_REGISTER(cluster_nctarank, "cluster_nctarank")
LOCKSTEP_REGISTER(laneid, "laneid")
LOCKSTEP_REGISTER(warpid, "warpid")
LOCKSTEP_REGISTER(nwarpid, "nwarpid")
LOCKSTEP_REGISTER(smid, "smid")
LOCKSTEP_REGISTER(nsmid, "nsmid")
LOCKSTEP_REGISTER(lanemask_eq, "lanemask_eq")
LOCKSTEP_REGISTER(lanemask_le, "lanemask_le")
LOCKSTEP_REGISTER(lanemask_lt, "lanemask_lt")
LOCKSTEP_REGISTER(lanemask_ge, "lanemask_ge")
LOCKSTEP_REGISTER(lanemask_gt, "lanemask_gt")
LOCKSTEP_REGISTER(clock, "clock")
LOCKSTEP_REGISTER(clock_hi, "clock_hi")
LOCKSTEP_REGISTER_OF(uint64_t, "u64", "=l", clock64, "clock64")
LOCKSTEP_REGISTER_OF(uint64_t, "u64", "=l", globaltimer, "globaltimer")
LOCKSTEP_REGISTER(globaltimer_lo, "globaltimer_lo")
LOCKSTEP_REGISTER(globaltimer_hi, "globaltimer_hi")
LOCKSTEP_REGISTER(total_smem_size, "total_smem_size")
LOCKSTEP_REGISTER(aggr_smem_size, "aggr_smem_size")
LOCKSTEP_REGISTER(dynamic_smem_size, "dynamic_smem_size")
LOCKSTEP_REGISTER_OF(uint64_t, "u64", "=l", gridid, "gridid")
#undef LOCKSTEP_REGISTER
#undef LOCKSTEP_REGISTER_OF
#undef LOCKSTEP_REGISTERS

} // namespace ptx
} // namespace cuda

#endif
