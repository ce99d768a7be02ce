# SPDX-License-Identifier: Apache-2.0
"""The commands of a wheel: they become the programs that lie in it."""

import os
import sys

_ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_root")


def _become(name):
    program = os.path.join(_ROOT, "bin", "lockstep")
    if not os.path.exists(program):
        sys.exit(f"{name}: {program} is not there: this is not the package of a wheel")
    os.execv(program, [name, *sys.argv[1:]])


def lockstep():
    _become("lockstep")


def nvcc():
    _become("lockstep-nvcc")
