/* SPDX-License-Identifier: Apache-2.0
 *
 * host_defines.h: CUDA's qualifiers; see crt/host_defines.h.
 */
#ifndef LOCKSTEP_HOST_DEFINES_FORWARD_H
#define LOCKSTEP_HOST_DEFINES_FORWARD_H
#include "crt/host_defines.h"
#endif
