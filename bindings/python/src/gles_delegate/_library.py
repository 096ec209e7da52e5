"""libgles_delegate.so by ctypes."""

import ctypes
import functools
import json
import os
from dataclasses import dataclass
from typing import Any, Dict, List

from ._errors import own_words
from ._options import Options, typed_options


@dataclass(frozen=True)
class Device:
    """One way to a GPU, as tried.

    Attributes:
      index: what the option `device` takes.
      description: "EGL device 0 (/dev/dri/renderD128)", "surfaceless", ...
      renderer: OpenGL's name; empty if there is an error.
      version: the same.
      software: the CPU renders.
      error: why there is no OpenGL ES 3.1 here; empty if there is.
    """

    index: int
    description: str
    renderer: str
    version: str
    software: bool
    error: str


@dataclass(frozen=True)
class Compatibility:
    """Whether this machine has a GPU that the delegate runs on.

    Attributes:
      supported: False if there is only software rendering: the CPU is faster by itself.
      reason: what each way to a GPU lacks; empty if it is supported.
      best_options: keyword arguments of load_delegate() and interpreter().
    """

    supported: bool
    reason: str
    best_options: Options


def library_path() -> str:
    """The library that the package loads: GLES_DELEGATE_LIBRARY, else its own."""
    return os.environ.get("GLES_DELEGATE_LIBRARY") or os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "libgles_delegate.so.1")


def litert_runtime_dir() -> str:
    """The folder with the accelerator of LiteRT's CompiledModel, for its `runtime_path`.

    Raises FileNotFoundError if this package was built without it.
    """
    folder = os.path.dirname(os.path.abspath(library_path()))
    accelerator = os.path.join(folder, "libLiteRtGpuAccelerator.so")
    if not os.path.exists(accelerator):
        raise FileNotFoundError(
            f"{accelerator} does not exist: gles_delegate was built without "
            "libtomlplusplus-dev")
    return folder


@functools.lru_cache(maxsize=None)
def _opened(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    library.TfLiteGlesDelegateReport.argtypes = [ctypes.c_void_p]
    for name in ("Report", "Version", "Devices", "LastError"):
        getattr(library, "TfLiteGlesDelegate" + name).restype = ctypes.c_char_p
    return library


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def library_version() -> str:
    """The library's version, "1.0.0"."""
    return _text(_opened(library_path()).TfLiteGlesDelegateVersion())


def devices() -> List[Device]:
    """Every way to a GPU that this machine has, hardware or software, opened and tried.

    Takes as long as its drivers take to start.
    """
    text = _opened(library_path()).TfLiteGlesDelegateDevices()
    return [Device(**device) for device in json.loads(_text(text))]


def compatibility() -> Compatibility:
    """Asks this machine's drivers whether the delegate has a GPU here; keeps no list of devices.

        found = gles_delegate.compatibility()
        if found.supported:
            interpreter = gles_delegate.interpreter(model, **found.best_options)
        else:
            interpreter = Interpreter(model, num_threads=4)

    Takes as long as the drivers take to start. GLES_DELEGATE_DEVICE and GLES_DELEGATE_OPTIONS
    count as they do for a delegate.
    """
    library = _opened(library_path())
    best_options = library.TfLiteGlesDelegateBestOptionsText
    best_options.restype = ctypes.c_char_p
    supported = library.TfLiteGlesDelegateIsSupported(None) == 1  # of the best options
    return Compatibility(supported, "" if supported else own_words(_text(library.TfLiteGlesDelegateLastError())),
                         typed_options(_text(best_options())))


def report_at(pointer: int) -> Dict[str, Any]:
    """TfLiteGlesDelegateReport of the delegate at an address, parsed.

    Raises ValueError if the delegate is not this library's, or is that of the process which
    this one was forked from.
    """
    library = _opened(library_path())
    text = library.TfLiteGlesDelegateReport(pointer)
    if text is None:
        raise ValueError(_text(library.TfLiteGlesDelegateLastError())
                         + " (" + library_path() + ")")
    return dict(json.loads(_text(text)))
