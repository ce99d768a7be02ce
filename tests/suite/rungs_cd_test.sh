#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every rung of these systems verifies at its sizes, the lectures' mistakes do not: shared sizes, cache preferences, local memory, differences, coalescing.
"$LOCKSTEP" suite run C5 C6 D1 D2 D3 D6
