/* SPDX-License-Identifier: Apache-2.0
 *
 * host_config.h: what the host compiler must be. Included by every translation unit, before
 * anything else.
 */
#ifndef LOCKSTEP_HOST_CONFIG_H
#define LOCKSTEP_HOST_CONFIG_H

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "lockstep's headers describe 64-bit Linux (x86-64, AArch64)"
#endif
#if defined(__cplusplus) && __cplusplus < 201103L
#error "CUDA C++ needs C++11 or newer (-std=c++17 is the default of lockstep cc)"
#endif
#include <features.h>

#endif
