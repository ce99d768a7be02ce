# SPDX-License-Identifier: Apache-2.0
"""Triton without a GPU: kernels are compiled by Triton to PTX as for a GPU, and lockstep runs, checks and profiles
them. Where this package is installed beside Triton there is nothing to call:

    pip install lockstep triton
    python3 script.py                        # on a machine without a GPU
    lockstep check python3 script.py

Triton finds the package as a backend (entry point `lockstep` of the group `triton.backends`). It is the one that
is used where there is no GPU, under lockstep's tools, and where TRITON_DEFAULT_BACKEND=lockstep says so. Without
the entry point (a folder in PYTHONPATH): `import lockstep.triton; lockstep.triton.activate()`.

Tensors lie in ordinary memory: torch's tensors of its CPU build, and without torch arrays of numpy:

    x = lockstep.triton.array(numpy.arange(1000, dtype="float32"))
    y = lockstep.triton.empty(1000, "float32")
    kernel[grid](x, y, 1000, BLOCK=256)

LOCKSTEP_CC or LOCKSTEP_GPU says which GPU to be; without either it is 8.0. LOCKSTEP_TORCH_CUDA=1 lets programs
that say device="cuda" run with torch's CPU build (torch_cuda.py). docs/triton.md has the rest.
"""

__all__ = ["activate", "array", "empty", "zeros", "torch_cuda"]


def activate():
    """Makes lockstep the driver that Triton uses from now on, in this process."""
    import triton
    from triton.backends import Backend, backends
    from . import compiler, driver

    if "lockstep" not in backends:  # no entry point
        backends["lockstep"] = Backend(compiler.LockstepBackend, driver.LockstepDriver)
    triton.runtime.driver.set_active(driver.LockstepDriver())


def torch_cuda():
    """Programs that say device="cuda" use torch's CPU build from now on; as LOCKSTEP_TORCH_CUDA=1 does."""
    from .torch_cuda import install

    install()


def __getattr__(name):
    if name in ("array", "empty", "zeros"):
        from . import arrays

        return getattr(arrays, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
