# SPDX-License-Identifier: Apache-2.0
"""lockstep: a virtual GPU. What Python programs use of it:

lockstep.triton   Triton's kernels run, are checked and profiled without a GPU
lockstep.magic    CUDA C in the cells of a notebook: %load_ext lockstep
"""

__version__ = "0.1.0"


def load_ipython_extension(shell):
    """%load_ext lockstep"""
    from lockstep import magic

    magic.register(shell)
