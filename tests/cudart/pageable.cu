// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are given ordinary memory of the host: pageable CASE. What a GPU answers with an
// illegal address, and, from "fine" on, what it runs.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 1000 };

struct Rows {
    int *row[4];
    size_t size;
};
struct Both {
    int *device, *host;
    long long key;
};

__global__ void copy(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}
__global__ void copy_row(int *out, int **row, int k)
{
    out[threadIdx.x] = row[k][threadIdx.x];
}
__global__ void copy_struct(int *out, Rows r, int k)
{
    out[threadIdx.x] = r.row[k][threadIdx.x];
}
__global__ void copy_pointed(int *out, const Both *b)
{
    out[threadIdx.x] = b->host[threadIdx.x];
}
__global__ void device_part(int *out, Both b)
{
    out[threadIdx.x] = b.device[threadIdx.x] + (b.host != nullptr) + (int)(b.key & 1);
}
__global__ void maybe(int *out, const int *in, int which)
{
    out[threadIdx.x] = which ? in[threadIdx.x] : 7;
}
__device__ __noinline__ int sum(const int *p, int n)
{
    return n ? p[n - 1] + sum(p, n - 1) : 0;
}
__global__ void recursive(int *out, const int *in)
{
    out[threadIdx.x] = sum(in, 3);
}
__global__ void add(int *to)
{
    atomicAdd(to, 1);
}
__global__ void child(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x];
}
__global__ void parent(int *out, const int *in)
{
    if (threadIdx.x == 0)
        child<<<1, 32>>>(out, in);
}
__global__ void whole(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x];
    cooperative_groups::this_grid().sync();
}
__constant__ int *table[2];
__global__ void from_table(int *out)
{
    out[threadIdx.x] = table[1][threadIdx.x];
}

static int global[N];

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *d, *e, *h = (int *)calloc(N, sizeof(int)), local[32] = {}, *pinned, *managed, *registered;
    cudaMalloc(&d, N * sizeof(int));
    cudaMalloc(&e, N * sizeof(int));
    cudaMemset(e, 0, N * sizeof(int));
    cudaMallocHost(&pinned, N * sizeof(int));
    cudaMallocManaged(&managed, N * sizeof(int));
    registered = (int *)calloc(N, sizeof(int));
    cudaHostRegister(registered, N * sizeof(int), cudaHostRegisterDefault);
    memset(pinned, 0, N * sizeof(int));
    memset(managed, 0, N * sizeof(int));
    bool is = true;
#define CASE(name) else if (!strcmp(what, name))
    if (!*what)
        is = false;
    CASE("heap") copy<<<4, 256>>>(d, h, N);
    CASE("result") copy<<<4, 256>>>(h, e, N);
    CASE("global") copy<<<4, 256>>>(d, global, N);
    CASE("stack") copy<<<1, 32>>>(d, local, 32);
    CASE("inside") copy<<<1, 32>>>(d, h + 100, 32);
    CASE("atomic") add<<<1, 32>>>(h);
    CASE("rows")
    {
        int *rows[3] = {e, e, h}, **device_rows;
        cudaMalloc(&device_rows, sizeof rows);
        cudaMemcpy(device_rows, rows, sizeof rows, cudaMemcpyHostToDevice);
        copy_row<<<1, 32>>>(d, device_rows, 2);
    }
    CASE("struct")
    {
        Rows r = {{e, e, h, e}, N};
        copy_struct<<<1, 32>>>(d, r, 2);
    }
    CASE("pointed")
    {
        Both b = {e, h, 5}, *p;
        cudaMalloc(&p, sizeof b);
        cudaMemcpy(p, &b, sizeof b, cudaMemcpyHostToDevice);
        copy_pointed<<<1, 32>>>(d, p);
    }
    CASE("second") // right at first
    {
        maybe<<<1, 32>>>(d, h, 0);
        if (cudaDeviceSynchronize() == cudaSuccess)
            maybe<<<1, 32>>>(d, h, 1);
    }
    CASE("recursive") recursive<<<1, 32>>>(d, h);
    CASE("child") parent<<<1, 32>>>(d, h);
    CASE("grid")
    {
        void *args[] = {&d, &h};
        cudaLaunchCooperativeKernel((void *)whole, dim3(1), dim3(32), args, 0, 0);
    }
    CASE("constant")
    {
        int *rows[2] = {e, h};
        cudaMemcpyToSymbol(table, rows, sizeof rows);
        from_table<<<1, 32>>>(d);
    }
    CASE("fine pinned") copy<<<4, 256>>>(d, pinned, N);
    CASE("fine managed") copy<<<4, 256>>>(managed, managed, N);
    CASE("fine registered") copy<<<4, 256>>>(registered, registered, N);
    CASE("fine interior") copy<<<1, 32>>>(d + 100, pinned + 100, 32);
    CASE("fine unused")
    {
        Both b = {e, h, 5};
        device_part<<<1, 32>>>(d, b);
    }
    CASE("fine not followed") maybe<<<1, 32>>>(d, h, 0);
    CASE("fine number")
    {
        Both b = {e, nullptr, (long long)(size_t)h};
        device_part<<<1, 32>>>(d, b);
    }
    CASE("fine rows")
    {
        int *rows[3] = {e, e, h}, **device_rows;
        cudaMalloc(&device_rows, sizeof rows);
        cudaMemcpy(device_rows, rows, sizeof rows, cudaMemcpyHostToDevice);
        copy_row<<<1, 32>>>(d, device_rows, 1);
        recursive<<<1, 32>>>(d, e);
        parent<<<1, 32>>>(d, pinned);
    }
    else is = false;
    if (!is) {
        fprintf(stderr, "pageable: no case %s\n", what);
        return 2;
    }
    cudaError_t r = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(r));
    cudaHostUnregister(registered);
    free(registered);
    free(h);
    return r != cudaSuccess;
}
