/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_profiler_api.h: cudaProfilerStart and cudaProfilerStop, which cuda_runtime_api.h declares.
 */
#ifndef LOCKSTEP_CUDA_PROFILER_API_H
#define LOCKSTEP_CUDA_PROFILER_API_H
#include "cuda_runtime_api.h"
#endif
