/* SPDX-License-Identifier: Apache-2.0
 *
 * Checked calls: every call returns cudaSuccess or says what is wrong. This program makes some fail
 * on purpose, one for each thing that goes wrong most often, and prints the error's name and text;
 * each must be the one that the documentation names. A launch returns nothing: cudaGetLastError
 * knows. --size N: elements of the copy that follows, which must work after all that.
 *
 * systems: E2
 * title: calls that fail, each with its error
 * rung: 2
 * sizes: 1 17 1000 1537 100003
 * check: 17
 */
#include "../common/suite.h"

__global__ void
nothing(void)
{
}

static void
expect(struct suite *s, const char *what, cudaError_t found, cudaError_t right)
{
    cudaGetLastError(); /* taken note of */
    suite_say(s, "%-44s %s: %s\n", what, cudaGetErrorName(found), cudaGetErrorString(found));
    if (found != right)
        suite_wrong(s, "%s: %s, should be %s", what, cudaGetErrorName(found),
                    cudaGetErrorName(right));
    s->checked++;
}

static cudaError_t
launch(dim3 grid, dim3 block)
{
    nothing<<<grid, block>>>();
    return cudaGetLastError();
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("checked/errors", "calls that fail", 1000, NULL, 0, argc, argv);
    int n = s.size[0], count = 0, threads = s.device.maxThreadsPerBlock;
    int *host = suite_host<int>(n), *back = suite_host<int>(n), *at = suite_upload(host, n);
    void *none = NULL;
    struct cudaDeviceProp p;
    CHECK(cudaGetDeviceCount(&count));
    expect(&s, "cudaSetDevice, one too many", cudaSetDevice(count), cudaErrorInvalidDevice);
    expect(&s, "cudaGetDeviceProperties, one too many", cudaGetDeviceProperties(&p, count),
           cudaErrorInvalidDevice);
    expect(&s, "cudaMalloc of 2^60 bytes", cudaMalloc(&none, (size_t)1 << 60),
           cudaErrorMemoryAllocation);
    expect(&s, "cudaMemcpy to NULL", cudaMemcpy(NULL, host, 4, cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);
    expect(&s, "cudaMemcpy, no such direction", cudaMemcpy(at, host, 4, (enum cudaMemcpyKind)77),
           cudaErrorInvalidMemcpyDirection);
    expect(&s, "a block of more threads than there may be", launch(1, threads + 1),
           cudaErrorInvalidConfiguration);
    expect(&s, "a block of no threads", launch(1, 0), cudaErrorInvalidConfiguration);
    expect(&s, "a grid of no blocks", launch(0, 1), cudaErrorInvalidConfiguration);
    expect(&s, "a launch as it should be", launch(1, threads), cudaSuccess);
    expect(&s, "cudaFree(NULL)", cudaFree(NULL), cudaSuccess);
    suite_fill_ints(host, n, 1000, 1);
    suite_to_device(at, host, n);
    suite_download(back, at, n);
    suite_compare_equal(&s, "copied", back, host, n);
    CHECK(cudaFree(at));
    suite_free_host(host, back);
    return suite_end(&s);
}
