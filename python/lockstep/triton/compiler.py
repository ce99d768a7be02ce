# SPDX-License-Identifier: Apache-2.0
"""Triton's compiler for NVIDIA's GPUs up to the PTX text, which is the binary here: no assembler, and no library of
mathematical functions (liblockstep has those that PTX calls by name)."""

import functools
import hashlib
import os

import triton.backends.nvidia.compiler as nvidia
from triton import knobs
from triton.backends.compiler import GPUTarget

from .. import __version__
from .ptx import prepared
from .subnormal import flushed

# What Triton writes as the text's version: LLVM's newest that the assemblers of Triton's wheels know, too.
PTX_VERSION = 87
TOOLS_VERSION = "12.8"  # of the toolkit that brought PTX 8.7: what programs ask the assembler for

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


def _no_tool(setting, theirs=knobs.env_nvidia_tool.get):
    """knobs.nvidia.ptxas and its like start the tool to ask for its version."""
    return knobs.NvidiaTool("lockstep", TOOLS_VERSION) if in_use() else theirs(setting)


knobs.env_nvidia_tool.get = _no_tool


def no_machine_code(kernel, theirs):
    """asm["sass"] would start a disassembler on what is no machine code."""
    if in_use():
        raise NotImplementedError('asm["sass"]: there is no machine code here; asm["ptx"] is what runs')
    return theirs(kernel)


class LockstepBackend(nvidia.CUDABackend):

    @staticmethod
    def supports_target(target: GPUTarget):
        return target.backend == "cuda" and in_use()

    def parse_options(self, opts):
        options = super().parse_options({"ptx_version": PTX_VERSION, **{k: v for k, v in opts.items() if v is not None}})
        libraries = tuple((name, path) for name, path in options.extern_libs if name != "libdevice")
        object.__setattr__(options, "extern_libs", libraries)
        return options

    def make_ptx(self, src, metadata, opt, capability):
        ptx = super().make_ptx(src, metadata, opt, capability)
        return flushed(ptx) if getattr(opt, "enable_reflect_ftz", False) else ptx

    def make_cubin(self, src, metadata, opt, capability):
        return prepared(src).encode()

    @functools.lru_cache
    def hash(self):
        """Of what the PTX text depends on but Triton: kernels in its cache are of this package as it is."""
        text = hashlib.sha256()
        for name in ("compiler", "ptx", "subnormal"):
            with open(os.path.join(os.path.dirname(__file__), name + ".py"), "rb") as file:
                text.update(file.read())
        return f"lockstep-{__version__}-{self.target.arch}-{text.hexdigest()[:16]}"
