/* SPDX-License-Identifier: Apache-2.0
 *
 * The tile size study: the tiled product for every tile size that the device takes. For each:
 * threads a block, blocks, words loaded and operations a tile, reuse (multiply-adds a loaded word),
 * shared memory a block, blocks resident on a multiprocessor (asked of the runtime), speed, and a
 * chart. The speed is this machine's; the other columns are the device's that was asked for.
 *
 * systems: A5
 * title: tile size study: reuse, resident blocks, speed
 * rung: 21
 * sizes: 0 1 17 100 200
 * check: 17 50
 * bench: 256
 */
#include "../common/product.h"

/* Without this bound the compiler takes so many registers that large blocks do not fit. */
enum { MOST_TILE = 32 };

__global__ void
__launch_bounds__(MOST_TILE *MOST_TILE)
    product(const float *a, const float *b, float *c, int m, int k, int n)
{
    extern __shared__ float shared[];
    int tile = blockDim.x;
    float *tile_a = shared, *tile_b = shared + tile * tile;
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * tile + x, row = blockIdx.y * tile + y;
    float sum = 0;
    for (int at = 0; at < k; at += tile) {
        tile_a[y * tile + x] = row < m && at + x < k ? a[(size_t)row * k + at + x] : 0;
        tile_b[y * tile + x] = col < n && at + y < k ? b[(size_t)(at + y) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < tile; i++)
            sum += tile_a[y * tile + i] * tile_b[i * tile + x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] = sum;
}

struct outcome {
    int tile, blocks, resident;
    double gflops;
};

static void
print(const struct suite *s, const struct outcome *o, int count)
{
    double best = 1e-9;
    for (int i = 0; i < count; i++)
        best = o[i].gflops > best ? o[i].gflops : best;
    suite_say(s, "tile threads  blocks  loads  mul+add  reuse  shared  resident  GFLOP/s\n");
    for (int i = 0; i < count; i++) {
        int t = o[i].tile;
        suite_say(s, "%4d %7d %7d %6d %8d %6.1f %7d %9d %8.2f  ", t, t * t, o[i].blocks, 2 * t * t,
                  2 * t * t * t, t / 2.0, 8 * t * t, o[i].resident, o[i].gflops);
        for (int star = 0; star < 30 * o[i].gflops / best; star++)
            suite_say(s, "*");
        suite_say(s, "\n");
    }
    suite_say(s, "\n");
}

int
main(int argc, char **argv)
{
    static const int tiles[] = {1, 2, 4, 8, 12, 16, 20, 24, 28, MOST_TILE};
    struct suite s = suite_begin("matmul/study", "tile size study", 256, NULL, 0, argc, argv);
    struct outcome outcomes[16];
    int n = s.size[0], count = 0;
    size_t words = (size_t)n * n;
    float *host_a = suite_host<float>(words), *host_b = suite_host<float>(words);
    float *found = suite_host<float>(words);
    suite_fill(host_a, words, 1);
    suite_fill(host_b, words, 2);
    float *a = suite_upload(host_a, words), *b = suite_upload(host_b, words);
    for (int t : tiles) {
        size_t shared_bytes = 2 * (size_t)t * t * sizeof(float);
        if (t * t > s.device.maxThreadsPerBlock || shared_bytes > s.device.sharedMemPerBlock)
            continue;
        float *c = suite_device<float>(words);
        int side = suite_div_up(n, t), resident = 0;
        CHECK(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, product, t * t, shared_bytes));
        if (n)
            SUITE_TIME(&s,
                       product<<<dim3(side, side), dim3(t, t), shared_bytes>>>(a, b, c, n, n, n));
        suite_download(found, c, words);
        if (s.verify)
            suite_compare_product(&s, host_a, host_b, found, n, n, n);
        double flop = 2.0 * n * n * n;
        outcomes[count++] = {t, side * side, resident, s.best_ms > 0 ? 1e-6 * flop / s.best_ms : 0};
        char name[40];
        snprintf(name, sizeof name, "resident_%d", t);
        suite_figure(&s, name, resident);
        CHECK(cudaFree(c));
    }
    print(&s, outcomes, count);
    suite_free_device(a, b);
    suite_free_host(host_a, host_b, found);
    return suite_end(&s);
}
