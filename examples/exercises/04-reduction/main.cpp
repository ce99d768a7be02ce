// Arguments: length, seed. Prints the sum of that many whole numbers.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

void sum(const int *data, int n,
         int *result); // the exercise: data and the one result in device memory

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256, *data, *result, found = -1;
    srand(argc > 2 ? atoi(argv[2]) : 1);
    std::vector<int> host(n);
    for (int &x : host)
        x = rand() % 1000;
    cudaMalloc(&data, n * sizeof *data);
    cudaMalloc(&result, sizeof *result);
    cudaMemcpy(data, host.data(), n * sizeof *data, cudaMemcpyHostToDevice);
    sum(data, n, result);
    cudaMemcpy(&found, result, sizeof found, cudaMemcpyDeviceToHost);
    cudaFree(data);
    cudaFree(result);
    printf("%d\n%s\n", found, cudaGetErrorName(cudaGetLastError()));
}
