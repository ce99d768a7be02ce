#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Records the results of every form of mma.sp on this machine's GPU, as instructions.sh does those of
# instructions. sparse.sh OUT.xz
FORMS=sparse exec "$(dirname "$0")/instructions.sh" "$@"
