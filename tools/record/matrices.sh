#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Records the results of every form of mma and wmma on this machine's GPU, as instructions.sh does those
# of instructions. matrices.sh OUT.xz
FORMS=matrices exec "$(dirname "$0")/instructions.sh" "$@"
