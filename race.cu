__global__ void race(int *p) { __shared__ int s[64]; s[threadIdx.x] = 1; p[threadIdx.x] = s[63 - threadIdx.x]; }
int main() { int *p; cudaMalloc(&p, 256); race<<<1, 64>>>(p); cudaDeviceSynchronize(); cudaFree(p); }
