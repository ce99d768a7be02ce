/* SPDX-License-Identifier: Apache-2.0
 *
 * cooperative_groups.h: groups of threads that synchronise and exchange values: thread blocks, tiles
 * of a warp, coalesced threads, clusters, grids.
 *
 * A grid's sync() needs a cooperative launch and is a barrier in global memory: one counter a translation unit, so two cooperative
 * kernels of one unit must not run at the same time. Groups over several devices are not provided
 * (the API dropped them with version 13).
 */
#ifndef LOCKSTEP_COOPERATIVE_GROUPS_H
#define LOCKSTEP_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_ /* programs ask for this name */

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)

#include "crt/quiet_begin.h"

#define LOCKSTEP_CG __device__ __inline__

namespace cooperative_groups
{

namespace details
{

LOCKSTEP_CG unsigned int
lane()
{
    return __nvvm_read_ptx_sreg_laneid();
}
LOCKSTEP_CG unsigned int
rank_in(unsigned int mask)
{
    return __popc(mask & ((1u << lane()) - 1));
}
/* The lane that has the given rank within the mask. */
LOCKSTEP_CG unsigned int
lane_of(unsigned int mask, unsigned int rank)
{
    for (unsigned int i = 0; i < rank; i++)
        mask &= mask - 1;
    return __ffs(mask) - 1;
}
/* A shuffle of anything that can be copied bytewise, a word at a time. */
template <class ty_>
LOCKSTEP_CG ty_
shuffle(unsigned int mask, const ty_ &value, unsigned int from)
{
    enum { WORDS = (sizeof(ty_) + 3) / 4 };
    unsigned int words[WORDS] = {};
    memcpy(words, &value, sizeof(ty_));
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        words[i] = __shfl_sync(mask, words[i], from);
    alignas(ty_) unsigned char bytes[sizeof(ty_)];
    memcpy(bytes, words, sizeof(ty_));
    return *(ty_ *)bytes;
}

/* Bit 31 of the counter turns over when the last block has arrived: all blocks but the first add 1,
 * the first adds what is missing to 2^31. */
static __device__ unsigned int grid_barrier;
/* What a driver puts there at a cooperative launch, and at no other. */
LOCKSTEP_CG bool
grid_is_cooperative()
{
    unsigned int high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    return (high | low) != 0;
}
LOCKSTEP_CG unsigned int
grid_arrive()
{
    if (!grid_is_cooperative())
        __trap();
    __syncthreads();
    unsigned int old = 0;
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
        unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
        bool first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
        __threadfence();
        old = atomicAdd(&grid_barrier, first ? 0x80000000u - (blocks - 1) : 1u);
    }
    return old;
}
LOCKSTEP_CG void
grid_wait(unsigned int old)
{
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
        while (((old ^ *(volatile unsigned int *)&grid_barrier) & 0x80000000u) == 0)
            ;
        __threadfence();
    }
    __syncthreads();
}

enum kind { block_kind, tile_kind, coalesced_kind, grid_kind };

} // namespace details

/* Any group, its kind known at run time only. */
class thread_group
{
  protected:
    details::kind kind_;
    unsigned int mask_, size_, meta_rank_, meta_size_;

  public:
    LOCKSTEP_CG thread_group(details::kind kind, unsigned int mask, unsigned int size,
                             unsigned int meta_rank = 0, unsigned int meta_size = 1)
        : kind_(kind), mask_(mask), size_(size), meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }
    LOCKSTEP_CG unsigned long long size() const
    {
        return size_;
    }
    LOCKSTEP_CG unsigned long long num_threads() const
    {
        return size_;
    }
    LOCKSTEP_CG unsigned long long thread_rank() const
    {
        if (kind_ == details::block_kind)
            return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        return details::rank_in(mask_);
    }
    LOCKSTEP_CG void sync() const
    {
        if (kind_ == details::block_kind)
            __syncthreads();
        else
            __syncwarp(mask_);
    }
    LOCKSTEP_CG bool is_valid() const
    {
        return true;
    }
    LOCKSTEP_CG unsigned int lockstep_mask() const
    {
        return mask_;
    }
    LOCKSTEP_CG bool lockstep_is_block() const
    {
        return kind_ == details::block_kind;
    }
};

/* -- thread block -------------------------------------------------------------------------- */

class thread_block : public thread_group
{
  public:
    struct arrival_token {
    };
    LOCKSTEP_CG thread_block()
        : thread_group(details::block_kind, 0xffffffffu, blockDim.x * blockDim.y * blockDim.z)
    {
    }
    static LOCKSTEP_CG void sync()
    {
        __syncthreads();
    }
    LOCKSTEP_CG arrival_token barrier_arrive() const
    {
        return arrival_token();
    }
    LOCKSTEP_CG void barrier_wait(arrival_token &&) const
    {
        __syncthreads();
    }
    static LOCKSTEP_CG unsigned int size()
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    static LOCKSTEP_CG unsigned int num_threads()
    {
        return size();
    }
    static LOCKSTEP_CG unsigned int thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    static LOCKSTEP_CG dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static LOCKSTEP_CG dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    static LOCKSTEP_CG dim3 group_dim()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    static LOCKSTEP_CG dim3 dim_threads()
    {
        return group_dim();
    }
};

LOCKSTEP_CG thread_block
this_thread_block()
{
    return thread_block();
}

/* -- grid ------------------------------------------------------------------------------------ */

class grid_group
{
  public:
    struct arrival_token {
        unsigned int old;
    };
    LOCKSTEP_CG bool is_valid() const
    {
        return details::grid_is_cooperative();
    }
    LOCKSTEP_CG void sync() const
    {
        details::grid_wait(details::grid_arrive());
    }
    LOCKSTEP_CG arrival_token barrier_arrive() const
    {
        return arrival_token{details::grid_arrive()};
    }
    LOCKSTEP_CG void barrier_wait(arrival_token &&token) const
    {
        details::grid_wait(token.old);
    }
    static LOCKSTEP_CG unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static LOCKSTEP_CG unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static LOCKSTEP_CG unsigned long long num_threads()
    {
        return num_blocks() * thread_block::size();
    }
    static LOCKSTEP_CG unsigned long long size()
    {
        return num_threads();
    }
    static LOCKSTEP_CG unsigned long long thread_rank()
    {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    static LOCKSTEP_CG dim3 group_dim()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    static LOCKSTEP_CG dim3 dim_blocks()
    {
        return group_dim();
    }
    static LOCKSTEP_CG dim3 block_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
};

LOCKSTEP_CG grid_group
this_grid()
{
    return grid_group();
}

/* -- cluster: the blocks that share their shared memory; one block where the launch names no size -- */

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define _CG_HAS_CLUSTER_GROUP /* programs ask for this name */

class cluster_group
{
  public:
    struct arrival_token {
    };
    /* The barrier's two halves take every thread of the cluster. */
    static LOCKSTEP_CG arrival_token barrier_arrive()
    {
        asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
        return arrival_token();
    }
    static LOCKSTEP_CG void barrier_wait()
    {
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    }
    static LOCKSTEP_CG void barrier_wait(arrival_token &&)
    {
        barrier_wait();
    }
    static LOCKSTEP_CG void sync()
    {
        barrier_arrive();
        barrier_wait();
    }
    static LOCKSTEP_CG dim3 dim_blocks()
    {
        unsigned int x, y, z;
        asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(x));
        asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(y));
        asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(z));
        return dim3(x, y, z);
    }
    static LOCKSTEP_CG dim3 block_index()
    {
        unsigned int x, y, z;
        asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(x));
        asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(y));
        asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(z));
        return dim3(x, y, z);
    }
    static LOCKSTEP_CG unsigned int num_blocks()
    {
        unsigned int n;
        asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
        return n;
    }
    static LOCKSTEP_CG unsigned int block_rank()
    {
        unsigned int n;
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(n));
        return n;
    }
    static LOCKSTEP_CG dim3 dim_threads()
    {
        dim3 blocks = dim_blocks();
        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    static LOCKSTEP_CG dim3 thread_index()
    {
        dim3 block = block_index();
        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                    block.z * blockDim.z + threadIdx.z);
    }
    static LOCKSTEP_CG unsigned int num_threads()
    {
        return num_blocks() * thread_block::size();
    }
    static LOCKSTEP_CG unsigned int size()
    {
        return num_threads();
    }
    static LOCKSTEP_CG unsigned int thread_rank()
    {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    /* The block whose shared memory holds the address. */
    static LOCKSTEP_CG unsigned int query_shared_rank(const void *address)
    {
        unsigned int rank;
        asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
        return rank;
    }
    /* The same variable in another block's shared memory. */
    template <class ty_>
    static LOCKSTEP_CG ty_ *map_shared_rank(ty_ *address, int rank)
    {
        unsigned long long mapped;
        asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(address), "r"(rank));
        return (ty_ *)mapped;
    }
};

LOCKSTEP_CG cluster_group
this_cluster()
{
    return cluster_group();
}
#endif

/* -- parts of a warp: what tiles and coalesced groups have in common ----------------------------- */

/* Ranks are positions within the mask; Derived::lane_at turns one into a lane. */
template <class Derived>
class warp_part : public thread_group
{
    LOCKSTEP_CG const Derived &self() const
    {
        return *(const Derived *)this;
    }

  protected:
    using thread_group::thread_group;

  public:
    LOCKSTEP_CG unsigned int size() const
    {
        return size_;
    }
    LOCKSTEP_CG unsigned int num_threads() const
    {
        return size_;
    }
    LOCKSTEP_CG unsigned int thread_rank() const
    {
        return details::rank_in(mask_);
    }
    LOCKSTEP_CG unsigned int meta_group_rank() const
    {
        return meta_rank_;
    }
    LOCKSTEP_CG unsigned int meta_group_size() const
    {
        return meta_size_;
    }
    LOCKSTEP_CG void sync() const
    {
        __syncwarp(mask_);
    }
    template <class ty_> LOCKSTEP_CG ty_ shfl(ty_ value, int rank) const
    {
        return details::shuffle(mask_, value, self().lane_at((unsigned int)rank % size_));
    }
    template <class ty_> LOCKSTEP_CG ty_ shfl_up(ty_ value, unsigned int delta) const
    {
        unsigned int rank = thread_rank();
        return details::shuffle(mask_, value, self().lane_at(rank >= delta ? rank - delta : rank));
    }
    template <class ty_> LOCKSTEP_CG ty_ shfl_down(ty_ value, unsigned int delta) const
    {
        unsigned int rank = thread_rank();
        return details::shuffle(mask_, value,
                                self().lane_at(rank + delta < size_ ? rank + delta : rank));
    }
    template <class ty_> LOCKSTEP_CG ty_ shfl_xor(ty_ value, unsigned int lanes) const
    {
        unsigned int rank = thread_rank(), other = rank ^ lanes;
        return details::shuffle(mask_, value, self().lane_at(other < size_ ? other : rank));
    }
    LOCKSTEP_CG int any(int predicate) const
    {
        return __any_sync(mask_, predicate);
    }
    LOCKSTEP_CG int all(int predicate) const
    {
        return __all_sync(mask_, predicate);
    }
    LOCKSTEP_CG unsigned int ballot(int predicate) const
    {
        return self().pack(__ballot_sync(mask_, predicate));
    }
    template <class ty_> LOCKSTEP_CG unsigned int match_any(ty_ value) const
    {
        return self().pack(__match_any_sync(mask_, value));
    }
    template <class ty_> LOCKSTEP_CG unsigned int match_all(ty_ value, int &predicate) const
    {
        return self().pack(__match_all_sync(mask_, value, &predicate));
    }
};

/* -- coalesced groups ------------------------------------------------------------------------------ */

class coalesced_group : public warp_part<coalesced_group>
{
  public:
    LOCKSTEP_CG explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0,
                                         unsigned int meta_size = 1)
        : warp_part<coalesced_group>(details::coalesced_kind, mask, __popc(mask), meta_rank, meta_size)
    {
    }
    LOCKSTEP_CG unsigned int lane_at(unsigned int rank) const
    {
        return details::lane_of(mask_, rank);
    }
    /* Bits of lanes to bits of ranks. */
    LOCKSTEP_CG unsigned int pack(unsigned int lanes) const
    {
        unsigned int packed = 0, rank = 0;
        for (unsigned int m = mask_; m; m &= m - 1, rank++)
            packed |= (lanes >> (__ffs(m) - 1) & 1u) << rank;
        return packed;
    }
};

LOCKSTEP_CG coalesced_group
coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* -- tiles ------------------------------------------------------------------------------------------- */

template <unsigned int Size, class Parent = void>
class thread_block_tile : public warp_part<thread_block_tile<Size, Parent>>
{
    static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "lockstep: tiles have 1, 2, 4, ... or 512 threads");
    typedef warp_part<thread_block_tile<Size, Parent>> base;
    static LOCKSTEP_CG unsigned int tile_mask()
    {
        return Size == 32 ? 0xffffffffu
                          : ((1u << (Size & 31)) - 1) << (details::lane() & ~(Size - 1));
    }

  public:
    LOCKSTEP_CG thread_block_tile(unsigned int meta_rank, unsigned int meta_size)
        : base(details::tile_kind, tile_mask(), Size, meta_rank, meta_size)
    {
    }
    template <class OtherParent>
    LOCKSTEP_CG thread_block_tile(const thread_block_tile<Size, OtherParent> &other)
        : base(details::tile_kind, tile_mask(), Size, other.meta_group_rank(), other.meta_group_size())
    {
    }
    static constexpr LOCKSTEP_CG unsigned int size()
    {
        return Size;
    }
    static constexpr LOCKSTEP_CG unsigned int num_threads()
    {
        return Size;
    }
    static LOCKSTEP_CG unsigned int thread_rank()
    {
        return details::lane() & (Size - 1);
    }
    LOCKSTEP_CG unsigned int lane_at(unsigned int rank) const
    {
        return (details::lane() & ~(Size - 1)) + rank;
    }
    LOCKSTEP_CG unsigned int pack(unsigned int lanes) const
    {
        return (lanes & tile_mask()) >> (details::lane() & ~(Size - 1));
    }
};

} // namespace cooperative_groups

#include "crt/wide_tile.h"

namespace cooperative_groups
{

template <unsigned int Size>
LOCKSTEP_CG thread_block_tile<Size, thread_block>
tiled_partition(const thread_block &block)
{
    return details::tile_of_block<(Size > 32)>::template make<Size>(
        block, thread_block::thread_rank() / Size, (thread_block::size() + Size - 1) / Size);
}
template <unsigned int Size, unsigned int ParentSize, class Parent>
LOCKSTEP_CG thread_block_tile<Size, thread_block_tile<ParentSize, Parent>>
tiled_partition(const thread_block_tile<ParentSize, Parent> &parent)
{
    static_assert(Size <= ParentSize, "lockstep: a tile is not larger than its group");
    return thread_block_tile<Size, thread_block_tile<ParentSize, Parent>>(
        parent.thread_rank() / Size, ParentSize / Size);
}
template <unsigned int Size>
LOCKSTEP_CG thread_block_tile<Size>
tiled_partition(const thread_group &parent)
{
    return thread_block_tile<Size>((unsigned int)parent.thread_rank() / Size,
                                   ((unsigned int)parent.size() + Size - 1) / Size);
}
/* The size known at run time: threads whose ranks have the same quotient. */
LOCKSTEP_CG thread_group
tiled_partition(const thread_group &parent, unsigned int size)
{
    if (parent.lockstep_is_block()) {
        unsigned int first = details::lane() & ~(size - 1);
        unsigned int mask = size >= 32 ? 0xffffffffu : ((1u << size) - 1) << first;
        return thread_group(details::tile_kind, mask & __activemask(), size,
                            (unsigned int)parent.thread_rank() / size,
                            ((unsigned int)parent.size() + size - 1) / size);
    }
    unsigned int mask = 0, rank = 0, wanted = (unsigned int)parent.thread_rank() / size;
    for (unsigned int m = parent.lockstep_mask(); m; m &= m - 1, rank++)
        if (rank / size == wanted)
            mask |= m & -m;
    return thread_group(details::tile_kind, mask, __popc(mask), wanted,
                        ((unsigned int)parent.size() + size - 1) / size);
}
LOCKSTEP_CG coalesced_group
tiled_partition(const coalesced_group &parent, unsigned int size)
{
    unsigned int mask = 0, rank = 0, wanted = parent.thread_rank() / size;
    for (unsigned int m = parent.lockstep_mask(); m; m &= m - 1, rank++)
        if (rank / size == wanted)
            mask |= m & -m;
    return coalesced_group(mask, wanted, (parent.size() + size - 1) / size);
}

template <class Group, class Label>
LOCKSTEP_CG coalesced_group
labeled_partition(const Group &group, Label label)
{
    unsigned int mine = __match_any_sync(group.lockstep_mask(), label);
    /* Ranks of the new groups in the order of their lowest lanes. */
    unsigned int leaders = __ballot_sync(group.lockstep_mask(), details::rank_in(mine) == 0);
    unsigned int lowest = __ffs(mine) - 1;
    return coalesced_group(mine, __popc(leaders & ((1u << lowest) - 1)), __popc(leaders));
}
template <class Group>
LOCKSTEP_CG coalesced_group
binary_partition(const Group &group, bool predicate)
{
    unsigned int mask = group.lockstep_mask(), yes = __ballot_sync(mask, predicate);
    unsigned int mine = predicate ? yes : mask & ~yes;
    bool both = yes && yes != mask;
    return coalesced_group(mine, both && predicate, both ? 2 : 1);
}

/* -- functions ------------------------------------------------------------------------------------------ */

template <class Group>
LOCKSTEP_CG void
sync(const Group &group)
{
    group.sync();
}
template <class Group>
LOCKSTEP_CG auto
thread_rank(const Group &group) -> decltype(group.thread_rank())
{
    return group.thread_rank();
}
template <class Group>
LOCKSTEP_CG auto
group_size(const Group &group) -> decltype(group.size())
{
    return group.size();
}
template <class Group, class Function, class... Arguments>
LOCKSTEP_CG void
invoke_one(const Group &group, Function &&function, Arguments &&...arguments)
{
    if (group.thread_rank() == 0)
        function((Arguments &&)arguments...);
}

} // namespace cooperative_groups

#undef LOCKSTEP_CG
#include "crt/quiet_end.h"

#endif

#endif
