# SPDX-License-Identifier: Apache-2.0
"""seen.cu under `lockstep check`: silent, however workers take turns. (Where it was not, one run with three workers told
of 1 to 4 races in 4,000 launches of a kernel: both right kernels whose readers were announced too early, and those of
which a cell had kept one reader alone.)"""
import sys

import watched

bad = ["%s workers: %s" % (workers, found) for workers in ("1", "3", "3") if (found := watched.kinds("seen.cu", workers))]
sys.exit("\n".join(bad) or 0)
