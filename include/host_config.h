/* SPDX-License-Identifier: Apache-2.0
 *
 * host_config.h: what the host compiler must be; see crt/host_config.h.
 */
#ifndef LOCKSTEP_HOST_CONFIG_FORWARD_H
#define LOCKSTEP_HOST_CONFIG_FORWARD_H
#include "crt/host_config.h"
#endif
