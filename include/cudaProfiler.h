/* SPDX-License-Identifier: Apache-2.0
 *
 * cudaProfiler.h: cuProfilerStart and cuProfilerStop, which cuda.h declares.
 */
#ifndef LOCKSTEP_CUDAPROFILER_H
#define LOCKSTEP_CUDAPROFILER_H
#include "cuda.h"
#endif
