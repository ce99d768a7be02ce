// SPDX-License-Identifier: Apache-2.0
//
// Runs one warp's access per row of a CSV of patterns (columns as for `lockstep access --csv`), one
// kernel launch each, in the order of the file, so that a profiler's n-th kernel is the n-th row.
// The addresses come from memory, so that the compiler can merge nothing.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "check.h"

enum { LOAD, STORE, ATOMIC, REDUCE };
enum { SHARED_BYTES = 128 * 1024 };

template <typename T> __device__ uint32_t folded(T v)
{
    return (uint32_t)v;
}
template <> __device__ uint32_t folded(uint4 v)
{
    return v.x ^ v.y ^ v.z ^ v.w;
}
template <typename T> __device__ T value_of(uint32_t v)
{
    return (T)v;
}
template <> __device__ uint4 value_of(uint32_t v)
{
    return make_uint4(v, v, v, v);
}

// Atomics are of 4 and 8 bytes only; other widths have no row.
template <typename T, int OP> __device__ uint32_t act(char *at, uint32_t lane)
{
    if constexpr (OP == LOAD)
        return folded(*(volatile T *)at);
    else if constexpr (OP == STORE)
        *(volatile T *)at = value_of<T>(lane);
    else if constexpr (OP == ATOMIC && sizeof(T) == 4)
        return atomicAdd((unsigned *)at, lane);
    else if constexpr (OP == ATOMIC && sizeof(T) == 8)
        return (uint32_t)atomicAdd((unsigned long long *)at, (unsigned long long)lane);
    else if constexpr (OP == REDUCE && sizeof(T) == 4)
        atomicAdd((unsigned *)at, lane);
    else if constexpr (OP == REDUCE && sizeof(T) == 8)
        atomicAdd((unsigned long long *)at, (unsigned long long)lane);
    return 0;
}
template <> __device__ uint32_t act<uint4, LOAD>(char *at, uint32_t)
{
    uint4 v;
    asm volatile("{ .reg .u64 g; mov.u64 g, %4; ld.v4.u32 {%0, %1, %2, %3}, [g]; }"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(at)
                 : "memory");
    return folded(v);
}
template <> __device__ uint32_t act<uint4, STORE>(char *at, uint32_t lane)
{
    *(uint4 *)at = make_uint4(lane, lane, lane, lane);
    return 0;
}

template <typename T, int OP, bool SHARED>
__global__ void one_access(const uint64_t *address, uint32_t mask, char *data, uint32_t *sink)
{
    extern __shared__ __align__(128) char shared[];
    uint32_t lane = threadIdx.x, seen = 0;
    uint64_t offset = address[lane];
    if (mask >> lane & 1)
        seen = SHARED ? act<T, OP>(shared + offset, lane) : act<T, OP>(data + offset, lane);
    if (seen == 0x9e3779b9u) // keeps the load; never true for zeroed memory
        *sink = seen;
}

typedef void (*kernel)(const uint64_t *, uint32_t, char *, uint32_t *);

template <typename T, bool SHARED> static kernel by_op(int op)
{
    switch (op) {
    case LOAD:
        return one_access<T, LOAD, SHARED>;
    case STORE:
        return one_access<T, STORE, SHARED>;
    case ATOMIC:
        return one_access<T, ATOMIC, SHARED>;
    default:
        return one_access<T, REDUCE, SHARED>;
    }
}

template <bool SHARED> static kernel by_width(int width, int op)
{
    switch (width) {
    case 1:
        return by_op<uint8_t, SHARED>(op);
    case 2:
        return by_op<uint16_t, SHARED>(op);
    case 4:
        return by_op<uint32_t, SHARED>(op);
    case 8:
        return by_op<unsigned long long, SHARED>(op);
    default:
        return by_op<uint4, SHARED>(op);
    }
}

int
main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "r") : nullptr;
    if (!f) {
        fprintf(stderr, "usage: access PATTERNS.csv\n");
        return 2;
    }
    uint64_t *address;
    uint32_t *sink;
    char *data, line[8192];
    CHECK(cudaMallocManaged(&address, 32 * sizeof *address));
    CHECK(cudaMalloc(&sink, 4));
    CHECK(cudaMalloc(&data, 1 << 20)); // aligned to 256 at least; the first 4 KiB border is taken
    CHECK(cudaMemset(data, 0, 1 << 20));
    char *border = (char *)(((uintptr_t)data + 4095) / 4096 * 4096);
    std::map<std::string, int> column;
    while (fgets(line, sizeof line, f)) {
        std::vector<std::string> field;
        std::stringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');)
            field.push_back(cell.substr(0, cell.find_last_not_of("\r\n") + 1));
        if (column.empty()) {
            for (size_t i = 0; i < field.size(); i++)
                column[field[i]] = (int)i;
            continue;
        }
        auto text = [&](const std::string &name) { return field[column.at(name)]; };
        for (int i = 0; i < 32; i++)
            address[i] = strtoull(text("a" + std::to_string(i)).c_str(), nullptr, 10);
        const std::string name = text("op");
        int op = name == "ld" ? LOAD : name == "st" ? STORE : name == "atom" ? ATOMIC : REDUCE;
        int width = atoi(text("width").c_str());
        bool shared = text("space") == "shared";
        kernel k = shared ? by_width<true>(width, op) : by_width<false>(width, op);
        if (shared)
            CHECK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       SHARED_BYTES));
        uint32_t mask = (uint32_t)strtoul(text("mask").c_str(), nullptr, 10);
        k<<<1, 32, shared ? SHARED_BYTES : 0>>>(address, mask, border, sink);
        CHECK(cudaDeviceSynchronize());
    }
    return 0;
}
