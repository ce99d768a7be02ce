# SPDX-License-Identifier: Apache-2.0
"""Triton's compiler for NVIDIA's GPUs up to the PTX text, which is the binary here: no assembler, and no library of
mathematical functions (liblockstep has those that PTX calls by name)."""

import re

import triton.backends.nvidia.compiler as nvidia
from triton.backends.compiler import GPUTarget

from .. import __version__

# What Triton writes as the text's version: LLVM's newest that the assemblers of Triton's wheels know, too.
PTX_VERSION = 87

_in_use = None  # says whether the active driver is ours; driver.py sets it


def in_use():
    """Whether the process's active driver is lockstep's. False before any was made."""
    return _in_use is not None and _in_use()


def set_in_use(question):
    global _in_use
    _in_use = question


# Triton takes a target that exactly one backend supports, and both have "cuda" (what programs ask for).
_theirs = nvidia.CUDABackend.supports_target
nvidia.CUDABackend.supports_target = staticmethod(lambda target: _theirs(target) and not in_use())


_INLINE = re.compile(r"(// begin inline asm\n)(.*?)(// end inline asm\n)", re.DOTALL)
_LOC = re.compile(r"^\s*\.loc\b.*\n", re.MULTILINE)


def prepared(ptx):
    """The PTX text for liblockstep: instructions as they are.

    Lines: LLVM's printer of PTX counts the lines of an inline assembly text as if the source went on there, so that
    a load of three instructions ends two lines below its own (the IR has one place for the whole text). Such counted
    places are taken out: the place before the text is right.

    Copies: a reduction's threads that hold the same element all store it; check is told that this is meant."""
    ptx = _INLINE.sub(lambda m: m.group(1) + _LOC.sub("", m.group(2)) + m.group(3), ptx)
    return re.sub(r"^(\.address_size \d+\n)", r'\1.pragma "lockstep replicated";\n', ptx, count=1, flags=re.MULTILINE)


class LockstepBackend(nvidia.CUDABackend):

    @staticmethod
    def supports_target(target: GPUTarget):
        return target.backend == "cuda" and in_use()

    def parse_options(self, opts):
        options = super().parse_options({"ptx_version": PTX_VERSION, **{k: v for k, v in opts.items() if v is not None}})
        libraries = tuple((name, path) for name, path in options.extern_libs if name != "libdevice")
        object.__setattr__(options, "extern_libs", libraries)
        return options

    def make_cubin(self, src, metadata, opt, capability):
        return prepared(src).encode()

    def hash(self):
        return f"lockstep-{__version__}-{self.target.arch}"
