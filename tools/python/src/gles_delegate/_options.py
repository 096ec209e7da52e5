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
    "max_delegated_partitions": "integer",
    "min_nodes_per_partition": "integer",
    "enable_quantization": "flag",
    "storage": "choice",
    "force_own_context": "flag",
    "verbosity": "integer",
    "device": "device",
    "exclude_nodes": "nodes",
    "enable_op_profiling": "flag",
    "fallback_to_cpu": "flag",
    "serialization_dir": "path",
    "model_token": "text",
    "enable_serialization": "flag",
    "serialization_max_bytes": "integer",
    "quantized_compute": "choice",
    "tuning": "choice",
    "integer_rounding": "choice",
    "allow_software": "flag",
    "self_check": "flag",
    "wait_type": "choice",
    "float16_overflow": "choice",
    "float32_nodes": "nodes",
    "thread_mode": "choice",
    "report_file": "path",
    "memory_limit_bytes": "integer",
    "share_key": "text",
    "float16_arithmetic": "choice",
    "zero_copy": "choice",
    "inference_preference": "choice",
    "background_compilation": "choice",
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
