/* SPDX-License-Identifier: Apache-2.0
 *
 * crt/host_runtime.h: an inner header of other tool kits; all of it is in cuda_runtime.h.
 */
#ifndef LOCKSTEP_CRT_HOST_RUNTIME_H
#define LOCKSTEP_CRT_HOST_RUNTIME_H
#include "../cuda_runtime.h"
#endif
