/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_device_runtime_api.h: the runtime API inside kernels. Launching kernels from kernels
 * (dynamic parallelism) is not supported: clang does not compile it, and says so at the launch.
 */
#ifndef LOCKSTEP_CUDA_DEVICE_RUNTIME_API_H
#define LOCKSTEP_CUDA_DEVICE_RUNTIME_API_H
#include "driver_types.h"
#endif
