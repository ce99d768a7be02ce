# SPDX-License-Identifier: Apache-2.0
"""lockstep: a virtual GPU. What Python programs use of it:

lockstep.triton   Triton's kernels run, are checked and profiled without a GPU
"""

__version__ = "0.1.0"
