// Reads its input from the arguments (length, seed), calls the student's function, prints the
// result.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

void add(const float *a, const float *b, float *c,
         int n); // the exercise: host arrays of n elements

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    srand(argc > 2 ? atoi(argv[2]) : 1);
    std::vector<float> a(n + 1), b(n + 1), c(n + 1, -1);
    for (int i = 0; i < n; i++) {
        a[i] = rand() % 1000 / 8.0f;
        b[i] = rand() % 1000 / 8.0f;
    }
    add(a.data(), b.data(), c.data(), n);
    for (int i = 0; i < n; i++)
        printf("%g\n", c[i]);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
