// Arguments: length, seed: random bytes; without them standard input is read. Prints the counts
// that are not zero.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

void histogram(const unsigned char *data, int n,
               int *bins); // the exercise: data and 256 bins in device memory

int main(int argc, char **argv)
{
    std::vector<unsigned char> host;
    srand(argc > 2 ? atoi(argv[2]) : 1);
    for (int k = argc > 1 ? atoi(argv[1]) : 0; k > 0; k--)
        host.push_back(rand() % 7 ? 'a' + rand() % 4 : rand());
    for (int c; argc < 2 && (c = getchar()) != EOF;)
        host.push_back(c);
    int n = host.size(), *bins, found[256];
    unsigned char *data;
    cudaMalloc(&data, n + 1);
    cudaMalloc(&bins, sizeof found);
    cudaMemcpy(data, host.data(), n, cudaMemcpyHostToDevice);
    histogram(data, n, bins);
    cudaMemcpy(found, bins, sizeof found, cudaMemcpyDeviceToHost);
    cudaFree(data);
    cudaFree(bins);
    for (int k = 0; k < 256; k++)
        if (found[k])
            printf("%d: %d\n", k, found[k]);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
