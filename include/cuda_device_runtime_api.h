/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_device_runtime_api.h: the runtime API inside kernels. Launching kernels from kernels
 * (dynamic parallelism): crt/device_runtime_calls.h.
 */
#ifndef LOCKSTEP_CUDA_DEVICE_RUNTIME_API_H
#define LOCKSTEP_CUDA_DEVICE_RUNTIME_API_H
#include "driver_types.h"
#endif
