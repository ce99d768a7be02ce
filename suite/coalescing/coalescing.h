/* SPDX-License-Identifier: Apache-2.0
 *
 * coalescing.h: the programs of the coalescing rules: out[i] = in[PLACE(i)], one load of TYPE a
 * thread. What the warp's 32 addresses become is each generation's own rule; `lockstep suite
 * profile coalescing` counts it, `lockstep access` draws it. The store is always in order.
 *
 *     #define TYPE float
 *     #define PLACE(i) ((i) + 1)
 *     #define ROOM(n) ((n) + 1)
 *     #define NAME "coalescing/misaligned"
 *     #define TITLE "in order, one element off"
 *     #include "coalescing.h"
 */
#ifndef COALESCING_H
#define COALESCING_H

#include "../common/suite.h"

enum { BLOCK = 128 };

static inline bool
operator==(int2 a, int2 b)
{
    return a.x == b.x && a.y == b.y;
}

__global__ void
copy(const TYPE *in, TYPE *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[PLACE(i)];
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin(NAME, TITLE, 1024, NULL, 0, argc, argv);
    int n = s.size[0];
    size_t room = ROOM((size_t)n), wrong = 0;
    TYPE *host = suite_host<TYPE>(room), *found = suite_host<TYPE>(n);
    for (size_t k = 0; k < room * sizeof(TYPE); k++)
        ((unsigned char *)host)[k] = (unsigned char)(suite_random(k, 1) % 100);
    TYPE *in = suite_upload(host, room), *out = suite_device<TYPE>(n);
    if (n)
        SUITE_TIME(&s, copy<<<suite_div_up(n, BLOCK), BLOCK>>>(in, out, n));
    suite_download(found, out, n);
    for (int i = 0; i < n; i++)
        wrong += !(found[i] == host[PLACE((size_t)i)]);
    s.checked = n;
    if (wrong)
        suite_wrong(&s, "%zu of %d elements differ", wrong, n);
    suite_figure(&s, "bytes loaded by a warp, needed", 32.0 * sizeof(TYPE));
    suite_free_device(in, out);
    suite_free_host(host, found);
    return suite_end(&s);
}

#endif
