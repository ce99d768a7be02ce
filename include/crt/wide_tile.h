/* SPDX-License-Identifier: Apache-2.0
 *
 * wide_tile.h: tiles of 64 to 512 threads, which exchange values through shared memory: the
 * block_tile_memory that the program gave, else some of our own, and synchronise by the block's named
 * barriers, so that a block has 15 of them at most. Included by cooperative_groups.h.
 */
#ifndef LOCKSTEP_WIDE_TILE_H
#define LOCKSTEP_WIDE_TILE_H

namespace cooperative_groups
{

namespace details
{

LOCKSTEP_CG unsigned long long *
own_tile_memory()
{
    static __shared__ unsigned long long slots[1024];
    return slots;
}

template <unsigned int Size> class wide_tile
{
    unsigned int meta_rank_, meta_size_;
    unsigned long long *memory_;

    LOCKSTEP_CG unsigned long long *slots() const
    {
        return memory_ + meta_rank_ * Size;
    }
    template <class ty_> LOCKSTEP_CG ty_ exchange(const ty_ &value, unsigned int from) const
    {
        static_assert(sizeof(ty_) <= 8, "lockstep: tiles of several warps exchange up to 8 bytes");
        memcpy(&slots()[thread_rank()], &value, sizeof(ty_));
        sync();
        ty_ result;
        memcpy(&result, &slots()[from], sizeof(ty_));
        sync();
        return result;
    }

  public:
    LOCKSTEP_CG wide_tile(unsigned int meta_rank, unsigned int meta_size, unsigned long long *memory)
        : meta_rank_(meta_rank), meta_size_(meta_size), memory_(memory)
    {
    }
    LOCKSTEP_CG void sync() const
    {
        if (meta_rank_ >= 15) /* there are 16 barriers, one of them the block's own */
            __trap();
        asm volatile("bar.sync %0, %1;" ::"r"(meta_rank_ + 1), "n"(Size) : "memory");
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
        return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % Size;
    }
    LOCKSTEP_CG unsigned int meta_group_rank() const
    {
        return meta_rank_;
    }
    LOCKSTEP_CG unsigned int meta_group_size() const
    {
        return meta_size_;
    }
    template <class ty_> LOCKSTEP_CG ty_ shfl(ty_ value, int rank) const
    {
        return exchange(value, (unsigned int)rank % Size);
    }
    template <class ty_> LOCKSTEP_CG ty_ shfl_up(ty_ value, unsigned int delta) const
    {
        unsigned int rank = thread_rank();
        return exchange(value, rank >= delta ? rank - delta : rank);
    }
    template <class ty_> LOCKSTEP_CG ty_ shfl_down(ty_ value, unsigned int delta) const
    {
        unsigned int rank = thread_rank();
        return exchange(value, rank + delta < Size ? rank + delta : rank);
    }
    template <class ty_> LOCKSTEP_CG ty_ shfl_xor(ty_ value, unsigned int lanes) const
    {
        unsigned int rank = thread_rank(), other = rank ^ lanes;
        return exchange(value, other < Size ? other : rank);
    }
    LOCKSTEP_CG int any(int predicate) const
    {
        slots()[thread_rank()] = predicate != 0;
        sync();
        int result = 0;
        for (unsigned int i = 0; i < Size; i++)
            result |= (int)slots()[i];
        sync();
        return result;
    }
    LOCKSTEP_CG int all(int predicate) const
    {
        return !any(!predicate);
    }
};

} // namespace details

template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {
    unsigned long long lockstep_slots[MaxBlockSize];
};

#define LOCKSTEP_WIDE_TILE(size)                                                                   \
    template <class Parent>                                                                        \
    class thread_block_tile<size, Parent> : public details::wide_tile<size>                        \
    {                                                                                              \
        using details::wide_tile<size>::wide_tile;                                                 \
    };
LOCKSTEP_WIDE_TILE(64)
LOCKSTEP_WIDE_TILE(128)
LOCKSTEP_WIDE_TILE(256)
LOCKSTEP_WIDE_TILE(512)
LOCKSTEP_WIDE_TILE(1024)
#undef LOCKSTEP_WIDE_TILE

/* A block whose wide tiles use the given memory, in shared memory. */
class thread_block_with_memory : public thread_block
{
    unsigned long long *memory_;

  public:
    LOCKSTEP_CG explicit thread_block_with_memory(unsigned long long *memory) : memory_(memory)
    {
    }
    LOCKSTEP_CG unsigned long long *lockstep_memory() const
    {
        return memory_;
    }
};

template <unsigned int MaxBlockSize>
LOCKSTEP_CG thread_block_with_memory
this_thread_block(block_tile_memory<MaxBlockSize> &memory)
{
    return thread_block_with_memory(memory.lockstep_slots);
}

namespace details
{
template <bool Wide> struct tile_of_block {
    template <unsigned int Size, class Block>
    static LOCKSTEP_CG thread_block_tile<Size, thread_block> make(const Block &, unsigned int rank,
                                                                  unsigned int count)
    {
        return thread_block_tile<Size, thread_block>(rank, count);
    }
};
template <> struct tile_of_block<true> {
    template <unsigned int Size>
    static LOCKSTEP_CG thread_block_tile<Size, thread_block>
    make(const thread_block &, unsigned int rank, unsigned int count)
    {
        return thread_block_tile<Size, thread_block>(rank, count, own_tile_memory());
    }
    template <unsigned int Size>
    static LOCKSTEP_CG thread_block_tile<Size, thread_block>
    make(const thread_block_with_memory &block, unsigned int rank, unsigned int count)
    {
        return thread_block_tile<Size, thread_block>(rank, count, block.lockstep_memory());
    }
};
} // namespace details

template <unsigned int Size>
LOCKSTEP_CG thread_block_tile<Size, thread_block>
tiled_partition(const thread_block_with_memory &block)
{
    return details::tile_of_block<(Size > 32)>::template make<Size>(
        block, thread_block::thread_rank() / Size, (thread_block::size() + Size - 1) / Size);
}

} // namespace cooperative_groups

#endif
