/* SPDX-License-Identifier: Apache-2.0
 *
 * curand.h: the part of cuRAND's host side that clients of curand_kernel.h ask for: versions,
 * types, and the calls for tables. The tables themselves (Joe and Kuo's direction vectors, the
 * scramble constants) are not here, nor are generators that the host calls: such calls are refused,
 * generators when a program is compiled.
 */
#ifndef LOCKSTEP_CURAND_H
#define LOCKSTEP_CURAND_H

#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stddef.h>

#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 3
#define CURAND_VER_PATCH 5
#define CURAND_VER_BUILD 0
#define CURAND_VERSION (CURAND_VER_MAJOR * 1000 + CURAND_VER_MINOR * 100 + CURAND_VER_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

typedef enum curandStatus {
    CURAND_STATUS_SUCCESS = 0,
    CURAND_STATUS_VERSION_MISMATCH = 100,
    CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_TYPE_ERROR = 103,
    CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
    CURAND_STATUS_PREEXISTING_FAILURE = 202,
    CURAND_STATUS_INITIALIZATION_FAILED = 203,
    CURAND_STATUS_ARCH_MISMATCH = 204,
    CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;

typedef enum curandRngType {
    CURAND_RNG_TEST = 0,
    CURAND_RNG_PSEUDO_DEFAULT = 100,
    CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937 = 142,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
    CURAND_RNG_QUASI_DEFAULT = 200,
    CURAND_RNG_QUASI_SOBOL32 = 201,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
    CURAND_RNG_QUASI_SOBOL64 = 203,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
} curandRngType_t;

typedef enum curandDirectionVectorSet {
    CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101,
    CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
    CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103,
    CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104
} curandDirectionVectorSet_t;

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
typedef struct curandGenerator_st *curandGenerator_t;

curandStatus_t curandGetVersion(int *version);
curandStatus_t curandGetProperty(libraryPropertyType type, int *value);
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[],
                                           curandDirectionVectorSet_t set);
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[],
                                           curandDirectionVectorSet_t set);
curandStatus_t curandGetScrambleConstants32(unsigned int **constants);
curandStatus_t curandGetScrambleConstants64(unsigned long long **constants);

/* Without one no other call has anything to work on. */
#define LOCKSTEP_NO_GENERATORS                                                                     \
    __attribute__((error("lockstep has no generators of cuRAND's host side; those of "             \
                         "<curand_kernel.h> run in kernels")))
curandStatus_t curandCreateGenerator(curandGenerator_t *generator,
                                     curandRngType_t type) LOCKSTEP_NO_GENERATORS;
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator,
                                         curandRngType_t type) LOCKSTEP_NO_GENERATORS;
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) LOCKSTEP_NO_GENERATORS;
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *out,
                              size_t count) LOCKSTEP_NO_GENERATORS;
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *out,
                                     size_t count) LOCKSTEP_NO_GENERATORS;
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *out, size_t count,
                                    float mean, float deviation) LOCKSTEP_NO_GENERATORS;
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) LOCKSTEP_NO_GENERATORS;
#undef LOCKSTEP_NO_GENERATORS

#ifdef __cplusplus
}
#endif

#endif
