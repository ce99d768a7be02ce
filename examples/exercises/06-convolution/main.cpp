// Arguments: length, seed. Prints the data convolved with a mask of seven; outside there are zeros.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

void convolve(const float *in, float *out, int n,
              const float *mask); // the exercise: in, out on the device, mask here

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10;
    srand(argc > 2 ? atoi(argv[2]) : 1);
    std::vector<float> host(n);
    float mask[7], *in, *out;
    for (float &x : host)
        x = rand() % 100;
    for (float &x : mask)
        x = rand() % 5 - 2;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice);
    convolve(in, out, n, mask);
    cudaMemcpy(host.data(), out, n * sizeof *in, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    for (int i = 0; i < n; i++)
        printf("%g\n", host[i]);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
