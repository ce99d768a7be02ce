# SPDX-License-Identifier: Apache-2.0
"""Triton's driver on lockstep: devices, modules, launches, events, by the driver API of liblockstep."""

import ctypes
import functools
import os
import sys

import triton
from triton.backends.compiler import GPUTarget
import triton.backends.driver as base
import triton.backends.nvidia.driver as nvidia

from .. import native
from . import compiler
from .launcher import Launcher

# CUdevice_attribute, CUfunction_attribute
_MAX_SHARED_OPTIN, _MAX_REGISTERS, _PROCESSORS, _WARP = 97, 12, 16, 10
_CLOCK, _MEMORY_CLOCK, _BUS, _MAJOR, _MINOR = 13, 36, 37, 75, 76
_FUNC_MAX_THREADS, _FUNC_SHARED, _FUNC_LOCAL, _FUNC_REGISTERS, _FUNC_MAX_DYNAMIC = 0, 1, 3, 4, 8
_LIMIT_PRINTF = 1
_MOST_STATIC_SHARED = 48 * 1024


class Utils:
    """driver.utils: what Triton asks of devices and binaries."""

    def __init__(self):
        native.start("8.0")
        self.set_current_device(0)

    def get_device_properties(self, device):
        number = device or 0  # the index of torch's device "cpu" is None
        names = {"max_shared_mem": _MAX_SHARED_OPTIN, "max_num_regs": _MAX_REGISTERS,
                 "multiprocessor_count": _PROCESSORS, "warpSize": _WARP, "sm_clock_rate": _CLOCK,
                 "mem_clock_rate": _MEMORY_CLOCK, "mem_bus_width": _BUS}
        return {name: native.attribute(which, number) for name, which in names.items()}

    def get_device_capability(self, device=None):
        return native.attribute(_MAJOR, device or 0), native.attribute(_MINOR, device or 0)

    def get_current_device(self):
        device = ctypes.c_int()
        native.call("cuCtxGetDevice", ctypes.byref(device))
        return device.value

    def set_current_device(self, device):
        context = ctypes.c_void_p()
        native.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        native.call("cuCtxSetCurrent", context)

    def get_default_stream(self, device):
        return 0

    def is_stream_capturing(self, stream):
        status = ctypes.c_int()
        native.call("cuStreamIsCapturing", ctypes.c_void_p(stream), ctypes.byref(status))
        return status.value != 0

    def load_binary(self, name, kernel, shared, device):
        """(module, function, registers, spilled words, most threads) of PTX text."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        text = kernel if isinstance(kernel, bytes) else kernel.encode()
        native.call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(text))
        native.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        if shared > _MOST_STATIC_SHARED:
            room = native.attribute(_MAX_SHARED_OPTIN, device or 0) - self._of(function, _FUNC_SHARED)
            native.call("cuFuncSetAttribute", function, _FUNC_MAX_DYNAMIC, room)
        return (module.value, function.value, self._of(function, _FUNC_REGISTERS),
                self._of(function, _FUNC_LOCAL) // 4, self._of(function, _FUNC_MAX_THREADS))

    def _of(self, function, number):
        value = ctypes.c_int()
        native.call("cuFuncGetAttribute", ctypes.byref(value), number, function)
        return value.value

    def unload_module(self, module):
        # Kernels are collected when the interpreter ends, too; the library's own end may be over then.
        native.library().cuModuleUnload(ctypes.c_void_p(module))

    def set_printf_fifo_size(self, size):
        native.call("cuCtxSetLimit", _LIMIT_PRINTF, ctypes.c_size_t(size))

    def cuOccupancyMaxActiveClusters(self, function, shared, num_ctas):
        raise NotImplementedError("cuOccupancyMaxActiveClusters")


# -- time ------------------------------------------------------------------------------------------------------------------


class Event:
    """torch.cuda.Event: times of LOCKSTEP_CLOCK (cpu, or model: the modelled GPU's)."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self.handle = ctypes.c_void_p()
        native.call("cuEventCreate", ctypes.byref(self.handle), 0 if enable_timing else 2)

    def record(self, stream=None):
        native.call("cuEventRecord", self.handle, None)

    def wait(self, stream=None):
        pass  # work is over when the call that submits it returns

    def synchronize(self):
        native.call("cuEventSynchronize", self.handle)

    def query(self):
        return True

    def elapsed_time(self, end):
        milliseconds = ctypes.c_float()
        native.call("cuEventElapsedTime", ctypes.byref(milliseconds), self.handle, end.handle)
        return milliseconds.value

    def __del__(self):
        native.library().cuEventDestroy_v2(self.handle)


class DeviceInterface:
    """What Triton and its benchmarks use of a module like torch.cuda."""

    Event = Event

    @staticmethod
    def synchronize(device=None):
        native.call("cuCtxSynchronize")

    @staticmethod
    def current_device():
        return triton.runtime.driver.active.get_current_device()

    @staticmethod
    def get_device_capability(device=None):
        return triton.runtime.driver.active.utils.get_device_capability(0)


# -- the driver ------------------------------------------------------------------------------------------------------------

_theirs_is_active = nvidia.CudaDriver.is_active


def _is_ours(library):
    return hasattr(library, "lockstep_tool")


def _real_gpu():
    """Whether Triton's own driver finds a GPU, behind a library that is not this one under its name."""
    try:
        if _is_ours(ctypes.CDLL("libcuda.so.1")):
            return False
    except OSError:
        return False
    return _theirs_is_active()


class LockstepDriver(base.GPUDriver):

    def __init__(self):
        self.utils = Utils()
        self.launcher_cls = Launcher
        self.get_device_capability = self.utils.get_device_capability
        self.get_current_stream = self.utils.get_default_stream
        self.get_current_device = self.utils.get_current_device
        self.set_current_device = self.utils.set_current_device
        if native.tool() == native.TOOL_CHECK and "torch" in sys.modules:
            from .torch_cuda import watch
            watch()
        from triton.compiler import compiler as of_triton  # not there yet while Triton finds its backends
        if not hasattr(of_triton.get_sass, "lockstep"):
            of_triton.get_sass = functools.partial(compiler.no_machine_code, theirs=of_triton.get_sass)
            of_triton.get_sass.lockstep = True
        compiler.set_in_use(lambda: isinstance(triton.runtime.driver.active, LockstepDriver))

    @staticmethod
    def is_active():
        asked = os.environ.get("TRITON_DEFAULT_BACKEND") == "lockstep" or "LOCKSTEP_TOOL" in os.environ
        return asked or not _real_gpu()

    def get_current_target(self):
        major, minor = self.utils.get_device_capability(self.get_current_device())
        return GPUTarget("cuda", 10 * major + minor, 32)

    def get_active_torch_device(self):
        import torch
        return torch.device("cpu")

    def get_device_interface(self):
        return DeviceInterface

    def map_python_to_cpp_type(self, ty):
        return nvidia.ty_to_cpp(ty)

    def get_benchmarker(self):
        from triton.testing import do_bench
        return do_bench

    def get_empty_cache_for_benchmark(self):
        return None  # there is no second-level cache to be cleared: times are the processor's, or modelled

    def clear_cache(self, cache):
        pass

    def allocate_default_profile_scratch(self, size, alignment, stream):
        from . import arrays
        return arrays.zeros(size + alignment, "int8")


# Triton wants exactly one active driver, and its own is active where libcuda.so.1 is this library by that name.
nvidia.CudaDriver.is_active = staticmethod(lambda: not LockstepDriver.is_active() and _theirs_is_active())

if os.environ.get("LOCKSTEP_TORCH_CUDA") == "1":
    from .torch_cuda import install

    install()
