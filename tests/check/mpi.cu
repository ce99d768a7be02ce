/* SPDX-License-Identifier: Apache-2.0
 *
 * mpi.cu: device memory given to MPI, in two ranks: rightly, and while a kernel still writes or
 * reads it. The argument says which; mpi_test.py has what must come of it.
 */
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <vector>

enum { N = 50000 };

__global__ void
fill(int *x, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        x[i] = v + i;
}

__global__ void
sum(const int *x, int *out)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < N; i++)
            *out += x[i];
}

static const char *which;
static bool
is(const char *name)
{
    return !strcmp(which, name);
}

int
main(int argc, char **argv)
{
    int rank, *x, *out, bad = 0;
    which = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cudaMalloc(&x, N * sizeof *x);
    cudaMalloc(&out, sizeof *out);
    cudaMemset(out, 0, sizeof *out);
    int blocks = (N + 255) / 256;
    MPI_Request r;
    if (is("in-place") || is("in-place-early")) { /* both ranks sum up 7 + i and nothing */
        cudaMemset(x, 0, N * sizeof *x);
        cudaDeviceSynchronize();
        if (rank == 0)
            fill<<<blocks, 256>>>(x, 7);
        if (is("in-place"))
            cudaDeviceSynchronize();
        MPI_Allreduce(MPI_IN_PLACE, x, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else if (rank == 0) {
        fill<<<blocks, 256>>>(x, 7);
        if (!is("send-early"))
            cudaDeviceSynchronize();
        if (is("isend-early-write") || is("isend")) {
            MPI_Isend(x, N, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
            if (is("isend-early-write"))
                fill<<<blocks, 256>>>(x, 8); /* what is still being sent */
            MPI_Wait(&r, MPI_STATUS_IGNORE);
            if (is("isend"))
                fill<<<blocks, 256>>>(x, 8);
        } else {
            MPI_Send(x, N, MPI_INT, 1, 0, MPI_COMM_WORLD);
        }
    } else if (is("irecv-early-read") || is("irecv")) {
        MPI_Irecv(x, N, MPI_INT, 0, 0, MPI_COMM_WORLD, &r);
        if (is("irecv-early-read"))
            sum<<<1, 32>>>(x, out);
        MPI_Waitall(1, &r, MPI_STATUSES_IGNORE);
        if (is("irecv"))
            sum<<<1, 32>>>(x, out);
    } else {
        MPI_Recv(x, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum<<<1, 32>>>(x, out);
    }
    if (rank == 1 && !is("isend-early-write") && !is("in-place-early")) {
        std::vector<int> h(N);
        cudaMemcpy(h.data(), x, N * sizeof(int), cudaMemcpyDeviceToHost);
        for (int i = 0; i < N; i++)
            bad += h[i] != 7 + i;
    }
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(out);
    MPI_Finalize();
    printf("rank %d: %d bad\n", rank, bad);
    return bad != 0;
}
