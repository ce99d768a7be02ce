#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every rung of these systems verifies at its sizes, the lectures' mistakes do not: textures, atomics, a x + b, device queries, products, smoothing.
"$LOCKSTEP" suite run D4 D5 D7 E1 E2 E3 E4
