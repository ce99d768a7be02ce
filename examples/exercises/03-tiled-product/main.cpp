// Arguments: m, k, n, seed. Prints the product of an m x k and a k x n matrix.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

void multiply(const float *a, const float *b, float *c, int m, int k,
              int n); // the exercise: in device memory

static float *on_device(std::vector<float> &host)
{
    float *at;
    cudaMalloc(&at, host.size() * sizeof *at);
    cudaMemcpy(at, host.data(), host.size() * sizeof *at, cudaMemcpyHostToDevice);
    return at;
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 16, k = argc > 2 ? atoi(argv[2]) : 16,
        n = argc > 3 ? atoi(argv[3]) : 16;
    srand(argc > 4 ? atoi(argv[4]) : 1);
    std::vector<float> a(m * k), b(k * n), c(m * n, -1);
    for (float &x : a)
        x = rand() % 17 - 8;
    for (float &x : b)
        x = rand() % 17 - 8;
    float *da = on_device(a), *db = on_device(b), *dc;
    cudaMalloc(&dc, c.size() * sizeof *dc);
    multiply(da, db, dc, m, k, n);
    cudaMemcpy(c.data(), dc, c.size() * sizeof *dc, cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    for (int i = 0; i < m * n; i++)
        printf("%g%c", c[i], i % n == n - 1 ? '\n' : ' ');
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
