"""The TensorFlow Lite that this Python has: LiteRT, tflite_runtime or TensorFlow."""

import importlib
import importlib.metadata
import importlib.util
import sys
from typing import Any, Callable, List, NamedTuple, Optional


class Runtime(NamedTuple):
    """A TensorFlow Lite: its Interpreter class and its loader of external delegates."""

    name: str
    version: str
    Interpreter: Callable[..., Any]
    load_delegate: Callable[..., Any]


# Package, module, names of the distributions that may have it; the newest kind first.
_KNOWN = (
    ("ai_edge_litert", "ai_edge_litert.interpreter", ("ai-edge-litert",)),
    ("tflite_runtime", "tflite_runtime.interpreter", ("tflite-runtime",)),
    ("tensorflow", "tensorflow", ("tensorflow", "tensorflow-cpu")),
)


def _version(distributions: Any) -> str:
    for name in distributions:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "unknown"


def installed() -> List[str]:
    """Which of "ai_edge_litert", "tflite_runtime" and "tensorflow" there are."""
    return [package for package, _, _ in _KNOWN
            if importlib.util.find_spec(package) is not None]


def find(name: Optional[str] = None) -> Runtime:
    """The runtime `name`; without a name the one that is imported already, else the
    first that is installed.

    Raises ImportError with the names that are known.
    """
    known = [package for package, _, _ in _KNOWN]
    if name is None:
        names = [n for n in known if n in sys.modules] or installed()
        if not names:
            raise ImportError("no TensorFlow Lite in this Python: pip install one of "
                              "ai-edge-litert, tflite-runtime, tensorflow")
        name = names[0]
    if name not in known:
        raise ImportError(f"runtime {name!r} is none of {', '.join(known)}")
    _, module_name, distributions = next(k for k in _KNOWN if k[0] == name)
    module = importlib.import_module(module_name)
    if name == "tensorflow":
        return Runtime(name, _version(distributions), module.lite.Interpreter,
                       module.lite.experimental.load_delegate)
    return Runtime(name, _version(distributions), module.Interpreter, module.load_delegate)
