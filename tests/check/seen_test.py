# SPDX-License-Identifier: Apache-2.0
"""seen.cu under `lockstep check`: silent, however workers take turns. A mistake there shows in few launches: a check that
takes a read for older than a write that it brings told of 1 to 4 races in 4,000 of them, with three workers."""
import sys

import watched

bad = ["%s workers: %s" % (workers, found) for workers in ("1", "3", "3") if (found := watched.kinds("seen.cu", workers))]
sys.exit("\n".join(bad) or 0)
