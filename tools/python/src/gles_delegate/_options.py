"""The delegate's options: Python's values as the text that the library takes."""

import os
from typing import Any, Dict, Iterable, Optional, Tuple, Union

# Nodes by their index in the model's execution order: "3,17-20", or numbers, ranges and
# pairs (first, last).
Nodes = Union[str, Iterable[Union[int, range, Tuple[int, int]]]]
Path = Union[str, "os.PathLike[str]"]


def _nodes(name: str, value: Nodes) -> str:
    """Nodes as text.

    >>> _nodes("exclude_nodes", [3, range(17, 21), (30, 31)])
    '3,17-20,30-31'
    """
    if isinstance(value, str):
        return value
    parts = []
    for part in value:
        if isinstance(part, range):
            if part.step != 1:
                raise ValueError(f"option {name}: {part} has a step")
            if len(part):
                parts.append(f"{part[0]}-{part[-1]}")
        elif isinstance(part, tuple):
            first, last = part
            parts.append(f"{first:d}-{last:d}")
        else:
            parts.append(f"{part:d}")
    return ",".join(parts)


def _text(name: str, kind: str, value: Any) -> str:
    if kind == "flag":
        if not isinstance(value, (bool, int)):
            raise TypeError(f"option {name}: {value!r} is not True or False")
        return "1" if value else "0"
    if kind == "integer":
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"option {name}: {value!r} is not an integer")
        return str(value)
    if kind == "path":
        return os.fspath(value)
    if kind == "nodes":
        return _nodes(name, value)
    if kind == "device":
        return str(value)
    if not isinstance(value, str):
        raise TypeError(f"option {name}: {value!r} is not a text")
    return value


KINDS = {
    "is_precision_loss_allowed": "flag",
    "float16_overflow": "choice",
    "quantized_compute": "choice",
    "storage": "choice",
    "max_delegated_partitions": "integer",
    "exclude_nodes": "nodes",
    "float32_nodes": "nodes",
    "device": "device",
    "fallback_to_cpu": "flag",
    "self_check": "flag",
    "thread_mode": "choice",
    "keep_context_current": "choice",
    "wait_type": "choice",
    "zero_copy": "choice",
    "startup": "choice",
    "serialization_dir": "path",
    "model_token": "text",
    "serialization_max_bytes": "integer",
    "tuning_file": "path",
    "memory_limit_bytes": "integer",
    "share_key": "text",
    "verbosity": "integer",
    "enable_op_profiling": "flag",
    "report_file": "path",
}


def option_texts(options: Dict[str, Optional[Any]]) -> Dict[str, str]:
    """Each option that is not None as the library's text for it.

    >>> option_texts({"verbosity": 2, "self_check": False, "device": None})
    {'verbosity': '2', 'self_check': '0'}
    """
    texts = {}
    for name, value in options.items():
        if name not in KINDS:
            raise TypeError(f"unknown option {name!r}; known are: {', '.join(KINDS)}")
        if value is not None:
            texts[name] = _text(name, KINDS[name], value)
    return texts


def typed_options(text: str) -> Dict[str, Any]:
    """"key:value;key:value" as load_delegate() has the options.

    >>> typed_options("verbosity:2;self_check:0;device:mali")
    {'verbosity': 2, 'self_check': False, 'device': 'mali'}
    """
    values: Dict[str, Any] = {}
    for item in filter(None, text.split(";")):
        key, value = item.split(":", 1)
        kind = KINDS.get(key)
        values[key] = (value != "0" if kind == "flag" else
                       int(value) if kind == "integer" else value)
    return values
