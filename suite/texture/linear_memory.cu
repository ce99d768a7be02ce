/* SPDX-License-Identifier: Apache-2.0
 *
 * A 1-D texture on plain device memory: no filter, no modes; texels are read by their number,
 * through the texture cache, and numbers outside give 0 instead of a fault. Here each thread reads
 * a number that another array names, one in eight of them outside. Bytes are read as they are and
 * as floats in 0..1.
 *
 * systems: D4
 * title: tex1Dfetch from linear memory, elements and normalised
 * since: 3.0 texture objects
 * rung: 4
 * sizes: 1 17 1000 1537 100003
 * check: 17 300
 */
#include "../common/suite.h"

enum { BLOCK = 128 };

__global__ void
fetch(cudaTextureObject_t bytes, cudaTextureObject_t floats, const int *which, int *element,
      float *share, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    element[i] = tex1Dfetch<unsigned char>(bytes, which[i]);
    share[i] = tex1Dfetch<float>(floats, which[i]);
}

static cudaTextureObject_t
texture_of(unsigned char *at, size_t n, enum cudaTextureReadMode mode)
{
    cudaTextureObject_t t = 0;
    struct cudaResourceDesc from = {};
    struct cudaTextureDesc how = {};
    from.resType = cudaResourceTypeLinear;
    from.res.linear.devPtr = at;
    from.res.linear.sizeInBytes = n;
    from.res.linear.desc = cudaCreateChannelDesc<unsigned char>();
    how.readMode = mode;
    CHECK(cudaCreateTextureObject(&t, &from, &how, NULL));
    return t;
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("texture/linear_memory", "1-D texture on linear memory", 1000,
                                 NULL, 0, argc, argv);
    int n = s.size[0], outside = 0;
    unsigned char *host = suite_host<unsigned char>(n);
    int *which = suite_host<int>(n), *right = suite_host<int>(n), *found = suite_host<int>(n);
    float *right_share = suite_host<float>(n), *found_share = suite_host<float>(n);
    for (int i = 0; i < n; i++)
        host[i] = (unsigned char)suite_random(i, 1);
    for (int i = 0; i < n; i++) {
        uint32_t r = suite_random(i, 2);
        which[i] = (int)((r >> 3) % n) + (r % 8 == 0 ? n : 0);
        outside += which[i] >= n;
        right[i] = which[i] < n ? host[which[i]] : 0;
        right_share[i] = (float)right[i] / 255.0f;
    }
    unsigned char *at = suite_upload(host, n);
    int *which_at = suite_upload(which, n), *element = suite_device<int>(n);
    float *share = suite_device<float>(n);
    cudaTextureObject_t bytes = texture_of(at, n, cudaReadModeElementType);
    cudaTextureObject_t floats = texture_of(at, n, cudaReadModeNormalizedFloat);
    SUITE_TIME(
        &s, fetch<<<suite_div_up(n, BLOCK), BLOCK>>>(bytes, floats, which_at, element, share, n));
    suite_download(found, element, n);
    suite_download(found_share, share, n);
    suite_compare_equal(&s, "element", found, right, n);
    suite_compare_floats(&s, "share", found_share, right_share, n, 1e-6);
    suite_figure(&s, "reads outside, which give 0", outside);
    CHECK(cudaDestroyTextureObject(bytes));
    CHECK(cudaDestroyTextureObject(floats));
    suite_free_device(at, which_at, element, share);
    suite_free_host(host, which, right, found, right_share, found_share);
    return suite_end(&s);
}
