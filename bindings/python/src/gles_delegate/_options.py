"""The delegate's options: Python's values as the text that the library takes."""

import difflib
import os
from typing import (Any, Callable, Dict, Iterable, Literal, Mapping, Optional, Tuple, TypedDict,
                    Union, get_type_hints)

from ._errors import check_path

Path = Union[str, os.PathLike[str]]
# Nodes by their index in the model's execution order: "3,17-20", or numbers, ranges and
# pairs (first, last).
Nodes = Union[str, Iterable[Union[int, range, Tuple[int, int]]]]


class Options(TypedDict, total=False):
    """The delegate's options, keyword arguments of interpreter(), load_delegate(), benchmark().

    An option that is None has its default, or what the environment variable
    GLES_DELEGATE_OPTIONS has for it.

    is_precision_loss_allowed: store tensors and weights in 16-bit floats. Default False.
    float16_overflow: values past 65504 become 65504 ("saturate", default) or "infinity".
    quantized_compute: how quantized nodes compute; "cpu": they stay on the CPU. Default "auto".
    storage: how tensors are stored. Default "auto".
    max_delegated_partitions: maximum number of partitions to delegate, those with the most
      nodes first; 0: no limit. Default -1: those estimated to pay for their transfers.
    exclude_nodes: nodes that stay on the CPU: "3,17-20", or [3, range(17, 21)].
    float32_nodes: nodes whose outputs stay in 32 bits, as exclude_nodes.
    device: which GPU: an index of devices(), part of a renderer's name, or "hardware": no
      software renderer. Default: hardware first.
    fallback_to_cpu: if the delegate cannot be applied, everything stays on the CPU after a
      message, without an error. Default False.
    self_check: check each program once against the CPU. Default True.
    thread_mode: "caller" (default); "caller_own_context": never in the app's context;
      "worker": the delegate works on its own thread, and any thread may invoke the
      interpreter; "worker_sharing": in a context that shares objects with the one that is
      current on this thread.
    keep_context_current: whether the delegate's own context stays current on this thread.
      Default "auto": unless DISPLAY is set.
    wait_type: "passive" (default), "active", which polls for up to 2 ms, "aggressive",
      which polls to the end, or "do_not_wait", for apps that bind all outputs to GL objects.
    zero_copy: whether the model's inputs and outputs are in memory that the GPU accesses.
      Default "auto": the device preset decides. An array of `interpreter.tensor(i)()` then ends
      with the interpreter's next allocate_tensors().
    startup: "direct" (default), "tiered": first answers come from a baseline plan while the
      optimized plan is compiled, or "baseline": the baseline plan stays.
    serialization_dir: an existing folder for the start-up cache.
    model_token: names the model in that folder.
    serialization_max_bytes: maximum size of all caches in the folder; 0: no limit.
    tuning_file: tuning parameters, as the program gles_tune writes them.
    memory_limit_bytes: maximum GPU memory of the delegate's partitions; 0 (default): no limit.
    share_key: delegates of this process with the same text share programs and weights on
      the GPU, and with thread_mode "worker" their thread and GPU context. Default: nothing
      is shared.
    verbosity: 0 errors; 1 (default) also why nodes stay on the CPU; 2 also the device and
      each partition.
    enable_op_profiling: each invoke times every dispatch, for report().profile.
    report_file: a file that gets the report as JSON.
    input_shapes: the sizes that inputs with free axes will have: "ids=1x128,mask=1x128", by name
      or tensor index; the model is then built for them once. Default: the file's.
    """

    is_precision_loss_allowed: Optional[bool]
    float16_overflow: Optional[Literal["infinity", "saturate"]]
    quantized_compute: Optional[Literal["auto", "integer", "float", "float_unsimulated", "cpu"]]
    storage: Optional[Literal["auto", "texture_array", "texture_2d", "buffer"]]
    max_delegated_partitions: Optional[int]
    exclude_nodes: Optional[Nodes]
    float32_nodes: Optional[Nodes]
    device: Optional[Union[str, int]]
    fallback_to_cpu: Optional[bool]
    self_check: Optional[bool]
    thread_mode: Optional[Literal["caller", "caller_own_context", "worker", "worker_sharing"]]
    keep_context_current: Optional[Literal["auto", "on", "off"]]
    wait_type: Optional[Literal["passive", "active", "aggressive", "do_not_wait"]]
    zero_copy: Optional[Literal["auto", "on", "off"]]
    startup: Optional[Literal["direct", "tiered", "baseline"]]
    serialization_dir: Optional[Path]
    model_token: Optional[str]
    serialization_max_bytes: Optional[int]
    tuning_file: Optional[Path]
    memory_limit_bytes: Optional[int]
    share_key: Optional[str]
    verbosity: Optional[int]
    enable_op_profiling: Optional[bool]
    report_file: Optional[Path]
    input_shapes: Optional[str]


def _flag(value: Any) -> str:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is not True or False")
    return "1" if value else "0"


def _integer(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is not an integer")
    return str(value)


def _plain_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _path(value: Path) -> str:
    return os.fspath(value)


def _nodes(value: Nodes) -> str:
    """Nodes as text.

    >>> _nodes([3, range(17, 21), (30, 31)])
    '3,17-20,30-31'
    """
    if isinstance(value, str):
        return value
    parts: list[str] = []
    for part in value:
        if isinstance(part, range):
            if part.step != 1:
                raise ValueError(f"{part} has a step")
            if len(part):
                parts.append(f"{part[0]}-{part[-1]}")
        elif isinstance(part, tuple):
            first, last = part
            parts.append(f"{first:d}-{last:d}")
        else:
            parts.append(f"{part:d}")
    return ",".join(parts)


# By the type that Options has; a choice, which the library checks, is a text.
_TEXT_OF: Dict[Any, Callable[[Any], str]] = {
    Optional[bool]: _flag, Optional[int]: _integer,
    Optional[Path]: _path, Optional[Nodes]: _nodes, Optional[Union[str, int]]: str}
KINDS = {name: _TEXT_OF.get(hint, _plain_text) for name, hint in get_type_hints(Options).items()}


def _check_report(path: str) -> None:
    if os.path.exists(path):
        check_path(path, os.W_OK)
    else:
        check_path(os.path.dirname(path) or ".", os.W_OK, folder=True)


# Before the library is asked, which ignores a cache that it cannot use.
_PATH_CHECKS: Dict[str, Callable[[str], None]] = {
    "serialization_dir": lambda path: check_path(path, os.X_OK, folder=True),
    "tuning_file": lambda path: check_path(path, os.R_OK), "report_file": _check_report}


def option_texts(options: Mapping[str, Any]) -> Dict[str, str]:
    """Each option that is not None as the library's text for it.

    >>> option_texts({"verbosity": 2, "self_check": False, "device": None})
    {'verbosity': '2', 'self_check': '0'}
    """
    texts: Dict[str, str] = {}
    for name, value in options.items():
        if name not in KINDS:
            close = difflib.get_close_matches(name, KINDS, 1)
            meant = f" (did you mean {close[0]!r}?)" if close else ""
            raise TypeError(f"unknown option {name!r}{meant}; known are: {', '.join(KINDS)}")
        if value is not None:
            try:
                texts[name] = KINDS[name](value)
            except (TypeError, ValueError) as error:
                raise type(error)(f"option {name}: {error}") from None
            if texts[name] and name in _PATH_CHECKS:
                _PATH_CHECKS[name](texts[name])
    return texts


def typed_options(text: str) -> Options:
    """"key:value;key:value" as load_delegate() has the options.

    >>> typed_options("verbosity:2;self_check:0;device:mali")
    {'verbosity': 2, 'self_check': False, 'device': 'mali'}
    """
    values: Any = {}
    for item in filter(None, text.split(";")):
        key, value = item.split(":", 1)
        kind = KINDS.get(key)
        values[key] = value != "0" if kind is _flag else int(value) if kind is _integer else value
    result: Options = values
    return result
