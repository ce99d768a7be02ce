// Arguments: rows, columns, seed. Prints the transpose.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

void transpose(const float *in, float *out, int rows,
               int columns); // the exercise: in device memory

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 32, columns = argc > 2 ? atoi(argv[2]) : 32,
        n = rows * columns;
    srand(argc > 3 ? atoi(argv[3]) : 1);
    std::vector<float> host(n);
    for (float &x : host)
        x = rand() % 10000;
    float *in, *out;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice);
    transpose(in, out, rows, columns);
    cudaMemcpy(host.data(), out, n * sizeof *in, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    for (int i = 0; i < n; i++)
        printf("%g%c", host[i], i % rows == rows - 1 ? '\n' : ' ');
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
