/* SPDX-License-Identifier: Apache-2.0
 *
 * quoted_symbol.cu: a variable's name in quotes is an invalid symbol, as since CUDA 5.0, and the
 * reason of the failed call names it; of another string or address it says that there is no such
 * symbol.
 */
#include <cstdio>
#include <cstring>
#include <unistd.h>

__constant__ float centres[4];

__global__ void
use(float *out)
{
    out[threadIdx.x] = centres[threadIdx.x];
}

int
main()
{
    float values[4] = {1, 2, 3, 4}, *out;
    char said[1000] = "";
    int bad = 0, ends[2], error = dup(2);
    bad |= pipe(ends) || dup2(ends[1], 2) < 0;
    bad |= cudaMemcpyToSymbol("other", values, sizeof values) != cudaErrorInvalidSymbol;
    bad |= cudaMemcpyToSymbol("centres", values, sizeof values) != cudaErrorInvalidSymbol;
    bad |= cudaMemcpyToSymbol("centres", values, sizeof values) != cudaErrorInvalidSymbol;
    dup2(error, 2);
    close(ends[1]);
    for (ssize_t n, at = 0; (n = read(ends[0], said + at, sizeof said - 1 - at)) > 0;)
        at += n;
    const char *name = strstr(said, "\"centres\" in quotes");
    bad |= !name || (strstr(said, "\"other\" in quotes") != nullptr);
    bad |= cudaMemcpyToSymbol(centres, values, sizeof values) != cudaSuccess;
    cudaMallocManaged(&out, sizeof values);
    use<<<1, 4>>>(out);
    bad |= cudaDeviceSynchronize() != cudaSuccess || memcmp(out, values, sizeof values);
    puts(bad ? "wrong" : "ok");
    return 0;
}
