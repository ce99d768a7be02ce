/* SPDX-License-Identifier: Apache-2.0
 *
 * ok.h: a call that has to succeed: else the program ends.
 */
#include <cstdio>
#include <cstdlib>

#define OK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t e = (call);                                                                    \
        if (e != cudaSuccess) {                                                                    \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e));           \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)
