"""The TensorFlow Lite that this Python has: LiteRT, tflite_runtime or TensorFlow."""

import contextlib
import importlib
import importlib.metadata
import importlib.util
import sys
from typing import Any, Callable, NamedTuple, Optional


class Runtime(NamedTuple):
    """A TensorFlow Lite: its Interpreter class and its loader of external delegates."""

    name: str
    version: str
    Interpreter: Callable[..., Any]
    load_delegate: Callable[..., Any]


# Package: names of the distributions that may have it; the newest kind first.
_KNOWN = {"ai_edge_litert": ("ai-edge-litert",), "tflite_runtime": ("tflite-runtime",),
          "tensorflow": ("tensorflow", "tensorflow-cpu")}


def version_of(*distributions: str) -> str:
    """That of the first which is installed; "unknown" if none is."""
    for name in distributions:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version(name)
    return "unknown"


def find(name: Optional[str] = None) -> Runtime:
    """The runtime `name`; without a name the one that is imported already, else the
    first that is installed.

    Raises ImportError with the names that are known.
    """
    if name is None:
        names = [n for n in _KNOWN if n in sys.modules] or [
            n for n in _KNOWN if importlib.util.find_spec(n) is not None]
        if not names:
            raise ImportError("no TensorFlow Lite in this Python: pip install one of "
                              "ai-edge-litert, tflite-runtime, tensorflow")
        name = names[0]
    if name not in _KNOWN:
        raise ImportError(f"runtime {name!r} is none of {', '.join(_KNOWN)}")
    version = version_of(*_KNOWN[name])
    if name == "tensorflow":
        lite = importlib.import_module(name).lite
        return Runtime(name, version, lite.Interpreter, lite.experimental.load_delegate)
    module = importlib.import_module(name + ".interpreter")
    return Runtime(name, version, module.Interpreter, module.load_delegate)
