# SPDX-License-Identifier: Apache-2.0
"""Programs that say device="cuda" on torch's CPU build: the device's memory is the processor's, and torch.cuda tells of
lockstep's GPU (LOCKSTEP_TORCH_CUDA=1, or lockstep.triton.torch_cuda()).

Operations of torch itself run on the processor. What torch.cuda has beyond the names below is left as it is and
says that torch was built without CUDA. Memory from torch.empty and its kin is noted for check (arrays.py)."""

import contextlib
import sys
import types

_installed = None  # the mode of torch's functions
_replaced = False


def _device_of(value, torch):
    """value where it names no GPU, else the processor."""
    if isinstance(value, str) and value.split(":")[0] == "cuda":
        return torch.device("cpu")
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return value


def _asked_by_torch():
    """Whether torch itself asks what the caller answers: it decides by that which of its operations to use."""
    return sys._getframe(2).f_globals.get("__name__", "").partition(".")[0] == "torch"


def _mode(torch, replace):
    from torch.overrides import TorchFunctionMode
    from . import arrays

    is_cuda = torch.Tensor.is_cuda.__get__
    fresh = {"empty", "empty_like", "empty_strided", "new_empty", "empty_permuted", "new_empty_strided"}

    class Mode(TorchFunctionMode):

        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            name = getattr(func, "__name__", "")
            if replace and name == "cuda":  # tensor.cuda()
                return args[0]
            if replace and func == is_cuda and not _asked_by_torch():
                return True
            if replace:
                if "device" in kwargs:
                    kwargs["device"] = _device_of(kwargs["device"], torch)
                if name == "to":
                    args = tuple(_device_of(a, torch) for a in args)
                kwargs.pop("pin_memory", None)
            out = func(*args, **kwargs)
            if name in fresh:
                arrays.note_fresh(out)
            return out

    return Mode()


class Stream:
    """torch.cuda.Stream: work is over when the call that submits it returns."""

    cuda_stream = 0

    def __init__(self, *unused, **also):
        pass

    def synchronize(self):
        pass

    wait_stream = wait_event = record_event = lambda self, *unused: None

    def query(self):
        return True


def _functions(torch):
    """What torch.cuda's names become."""
    from .driver import DeviceInterface, Event, Utils
    from .. import native

    utils = Utils()

    def properties(device=None):
        of = utils.get_device_properties(0)
        major, minor = utils.get_device_capability()
        return types.SimpleNamespace(name=name(), major=major, minor=minor, warp_size=of["warpSize"],
                                     multi_processor_count=of["multiprocessor_count"], regs_per_multiprocessor=65536,
                                     shared_memory_per_block_optin=of["max_shared_mem"])

    def name(device=None):
        import ctypes
        text = ctypes.create_string_buffer(256)
        native.call("cuDeviceGetName", text, 256, 0)
        return text.value.decode()

    @contextlib.contextmanager
    def nothing(*unused):
        yield

    none = lambda *unused, **also: None
    return {
        "is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0, "set_device": none,
        "get_device_capability": lambda device=None: utils.get_device_capability(), "get_device_name": name,
        "get_device_properties": properties, "synchronize": DeviceInterface.synchronize, "Event": Event,
        "Stream": Stream, "current_stream": lambda device=None: Stream(), "stream": nothing, "device": nothing,
        "default_stream": lambda device=None: Stream(), "empty_cache": none, "init": none,
        "is_initialized": lambda: True, "manual_seed": none, "manual_seed_all": none,
    }


def install():
    """Once; there is no way back in this process."""
    global _installed, _replaced
    if _replaced:
        return
    import torch

    if torch.version.cuda or torch.version.hip:
        raise RuntimeError("LOCKSTEP_TORCH_CUDA is for torch's CPU build; this one has a GPU's")
    _replaced = True
    for name, value in _functions(torch).items():
        setattr(torch.cuda, name, value)
    if _installed is not None:  # watch() did it
        _installed.__exit__(None, None, None)
    _installed = _mode(torch, True)
    _installed.__enter__()


def watch():
    """Notes what torch.empty makes, for check; changes nothing else."""
    global _installed
    if _installed is None:
        import torch

        _installed = _mode(torch, False)
        _installed.__enter__()
