// SPDX-License-Identifier: Apache-2.0
//
// Work that differs from thread to thread and from block to block, addresses out of memory, arrays of a thread.
#include "shapes.h"

__global__ void
gather(const int *at, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[at[i]];
}

__global__ void
scatter(const int *at, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[at[i]] = x[i];
}

__global__ void
rows_by_thread(const int *first, const int *column, const float *value, const float *x, float *y, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows)
        return;
    float s = 0;
    for (int k = first[i]; k < first[i + 1]; k++)
        s += value[k] * x[column[k]];
    y[i] = s;
}

/* One step of a search in breadth. */
__global__ void
step(const int *first, const int *column, char *now, char *next, char *seen, int *cost, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nodes || !now[i])
        return;
    now[i] = 0;
    for (int k = first[i]; k < first[i + 1]; k++) {
        int other = column[k];
        if (!seen[other]) {
            cost[other] = cost[i] + 1;
            next[other] = 1;
        }
    }
}

__global__ void
search(const int *sorted, const int *keys, int *found, int n, int most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int low = 0, high = most;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < keys[i])
            low = middle + 1;
        else
            high = middle;
    }
    found[i] = low;
}

__global__ void
find_first(const float *sums, const float *u, float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = -1;
    for (int k = 0; k < n; k++)
        if (sums[k] >= u[i]) {
            at = k;
            break;
        }
    x[i] = at < 0 ? n - 1 : at;
}

__global__ void
escape(int *out, int width, int height, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, n = 0;
    if (x >= width || y >= height)
        return;
    float cx = -2.f + 3.f * x / width, cy = -1.2f + 2.4f * y / height, a = 0, b = 0;
    while (n < most && a * a + b * b < 4.f) {
        float t = a * a - b * b + cx;
        b = 2 * a * b + cy;
        a = t;
        n++;
    }
    out[y * width + x] = n;
}

__global__ void
collatz(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
    if (i >= n)
        return;
    for (unsigned v = i + 1; v != 1; steps++)
        v = v & 1 ? 3 * v + 1 : v / 2;
    out[i] = steps;
}

/* The first blocks have all the work. */
__global__ void
few_busy(const float *x, float *y, int busy, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    int n = (int)blockIdx.x < busy ? turns : 1;
    for (int k = 0; k < n; k++)
        v = v * 0.999f + 0.1f;
    y[i] = v;
}

__global__ void
branches(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    switch (i & 3) {
    case 0: v = sinf(v); break;
    case 1: v = expf(v); break;
    case 2: v = logf(v + 1); break;
    default: v = sqrtf(v); break;
    }
    y[i] = v;
}

/* Distances to centres, features of a point far apart. */
__global__ void
nearest_centre(const float *features, const float *centres, int *member, int n, int clusters, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, index = -1;
    if (i >= n)
        return;
    float least = 1e30f;
    for (int c = 0; c < clusters; c++) {
        float d = 0;
        for (int f = 0; f < count; f++)
            d += (features[f * n + i] - centres[c * count + f]) * (features[f * n + i] - centres[c * count + f]);
        if (d < least) {
            least = d;
            index = c;
        }
    }
    member[i] = index;
}

__global__ void
turned(const float *in, float *out, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int f = 0; f < count; f++)
            out[f * n + i] = in[i * count + f];
}

__global__ void
bodies(const float4 *from, float4 *to, int n)
{
    __shared__ float4 tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = from[i], a = make_float4(0, 0, 0, 0);
    for (int t = 0; t < n / 256; t++) {
        tile[threadIdx.x] = from[t * 256 + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++) {
            float x = tile[k].x - me.x, y = tile[k].y - me.y, z = tile[k].z - me.z, d = x * x + y * y + z * z + 0.01f;
            float r = rsqrtf(d), s = tile[k].w * r * r * r;
            a.x += x * s;
            a.y += y * s;
            a.z += z * s;
        }
        __syncthreads();
    }
    to[i] = a;
}

/* An array of the thread, by numbers known at run time: local memory. */
__global__ void
own_counts(const int *x, int *y, int n, int each)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, count[64];
    for (int k = 0; k < 64; k++)
        count[k] = 0;
    if (i >= n)
        return;
    for (int k = 0; k < each; k++)
        count[x[k * n + i] & 63]++;
    int best = 0;
    for (int k = 1; k < 64; k++)
        if (count[k] > count[best])
            best = k;
    y[i] = best;
}

__global__ void
middle_of_nine(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, n = 0;
    unsigned char v[9];
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            v[n++] = in[(y + dy) * width + x + dx];
    for (int i = 0; i < 5; i++)
        for (int k = i + 1; k < 9; k++)
            if (v[k] < v[i]) {
                unsigned char t = v[i];
                v[i] = v[k];
                v[k] = t;
            }
    out[y * width + x] = v[4];
}

/* Fluxes over the four sides of a cell, whose neighbours are in a list. */
__global__ void
fluxes(const int *neighbour, const float *normal, const float *v, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float d = v[i] + 1, mx = v[i + n], my = v[i + 2 * n], mz = v[i + 3 * n], e = v[i + 4 * n] + 2;
    float speed2 = (mx * mx + my * my + mz * mz) / (d * d), p = 0.4f * (e - 0.5f * d * speed2), c = sqrtf(1.4f * p / d);
    float fd = 0, fe = 0, fx = 0;
    for (int j = 0; j < 4; j++) {
        int other = neighbour[i + j * n];
        float nx = normal[i + 3 * j * n], ny = normal[i + (3 * j + 1) * n], nz = normal[i + (3 * j + 2) * n];
        float length = sqrtf(nx * nx + ny * ny + nz * nz);
        float d2 = v[other] + 1, x2 = v[other + n], y2 = v[other + 2 * n], z2 = v[other + 3 * n], e2 = v[other + 4 * n] + 2;
        float s2 = (x2 * x2 + y2 * y2 + z2 * z2) / (d2 * d2), p2 = 0.4f * (e2 - 0.5f * d2 * s2), c2 = sqrtf(1.4f * p2 / d2);
        float factor = -length * 0.2f * 0.5f * (sqrtf(speed2) + sqrtf(s2) + c + c2);
        fd += factor * (d - d2) + 0.5f * nx * (x2 + mx) + 0.5f * ny * (y2 + my) + 0.5f * nz * (z2 + mz);
        fe += factor * (e - e2) + 0.5f * nx * (e2 + p2) * x2 / d2;
        fx += factor * (mx - x2) + 0.5f * nx * (p + p2);
    }
    out[i] = fd;
    out[i + n] = fx;
    out[i + 4 * n] = fe;
}

int
main(void)
{
    const int most = 1 << 22, nodes = 1 << 17;
    float *a = numbers<float>(most), *b = numbers<float>(most), *c = numbers<float>(most);
    int *p = numbers<int>(most, most), *near = numbers<int>(most, nodes), *q = numbers<int>(most, 256), *r = numbers<int>(most);
    char *flags = (char *)numbers<int>(most);
    std::vector<int> even(nodes + 1), uneven(nodes + 1);
    unsigned x = 1;
    for (int i = 0; i < nodes; i++) {
        x = x * 1664525u + 1013904223u;
        even[i + 1] = even[i] + 8;
        uneven[i + 1] = uneven[i] + ((x >> 20) % 64 == 0 ? 200 : 4);
    }
    int *first = numbers<int>(nodes + 1), *ragged = numbers<int>(nodes + 1), *sorted = numbers<int>(1 << 20);
    std::vector<int> rising(1 << 20);
    for (int i = 0; i < 1 << 20; i++)
        rising[i] = 4 * i;
    CHECK(cudaMemcpy(sorted, rising.data(), rising.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(first, even.data(), even.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(ragged, uneven.data(), uneven.size() * 4, cudaMemcpyHostToDevice));
    for (int n : {1 << 18, 1 << 20, most}) {
        THRICE(gather<<<over(n, 256), 256>>>(p, a, b, n));
        THRICE(gather<<<over(n, 256), 256>>>(near, a, b, n));
        THRICE(scatter<<<over(n, 256), 256>>>(p, a, b, n));
    }
    for (int n : {1 << 15, nodes}) {
        THRICE(rows_by_thread<<<over(n, 256), 256>>>(first, near, a, b, c, n));
        THRICE(rows_by_thread<<<over(n, 256), 256>>>(ragged, near, a, b, c, n));
        CHECK(cudaMemset(flags, 1, n));
        CHECK(cudaMemset(flags + (most), 0, 3 * n));
        step<<<over(n, 512), 512>>>(first, near, flags, flags + most, flags + most + nodes, r, n);
        CHECK(cudaDeviceSynchronize());
        THRICE(nearest_centre<<<over(n, 256), 256>>>(a, b, r, n, 5, 30));
        THRICE(turned<<<over(n, 256), 256>>>(a, b, n, 32));
        THRICE(fluxes<<<over(n, 192), 192>>>(near, a, b, c, n / 4 * 3));
        THRICE(own_counts<<<over(n, 128), 128>>>(q, r, n, 32));
    }
    for (int n : {1 << 18, 1 << 20}) {
        THRICE(search<<<over(n, 256), 256>>>(sorted, p, r, n, 1 << 20));
        THRICE(branches<<<over(n, 256), 256>>>(a, b, n));
        THRICE(collatz<<<over(n, 256), 256>>>(r, n));
    }
    std::vector<float> share(8192);
    for (int i = 0; i < 8192; i++)
        share[i] = i / 8192.f;
    CHECK(cudaMemcpy(c, share.data(), 4 * 8192, cudaMemcpyHostToDevice));
    THRICE(find_first<<<over(1000, 128), 128>>>(c, a, b, 1000));
    THRICE(find_first<<<over(8192, 512), 512>>>(c, a, b, 8192));
    THRICE(escape<<<dim3(32, 32), dim3(16, 16)>>>(r, 512, 512, 256));
    THRICE(escape<<<dim3(64, 64), dim3(16, 16)>>>(r, 1024, 1024, 500));
    THRICE(few_busy<<<1056, 128>>>(a, b, 8, 2000));
    THRICE(few_busy<<<4224, 128>>>(a, b, 1056, 2000));
    THRICE(few_busy<<<4224, 128>>>(a, b, 100, 4000));
    for (int n : {2048, 8192})
        THRICE(bodies<<<n / 256, 256>>>((float4 *)a, (float4 *)b, n));
    for (int n : {512, 1024})
        THRICE(middle_of_nine<<<dim3(n / 16, n / 16), dim3(16, 16)>>>((unsigned char *)a, (unsigned char *)b, n, n));
    return 0;
}
