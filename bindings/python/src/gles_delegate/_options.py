"""The delegate's options: Python's values as the text that the library takes."""

import difflib
import os
from typing import (Any, Callable, Dict, Iterable, Literal, Mapping, Optional, Tuple, TypedDict,
                    Union, get_type_hints)

from ._errors import DelegateError, check_path

Path = Union[str, os.PathLike[str]]
# Nodes by their index in the model's execution order: "3,17-20", or numbers, ranges and
# pairs (first, last).
Nodes = Union[str, Iterable[Union[int, range, Tuple[int, int]]]]


class Options(TypedDict, total=False):
    """The delegate's options, keyword arguments of interpreter(), load_delegate(), benchmark().

    An option that is None has its default, or what the environment variable
    GLES_DELEGATE_OPTIONS has for it. Nodes are indices in execution order: "3,17-20", or
    [3, range(17, 21)].

    Attributes:
      device: which GPU: an index, or part of a renderer's name; empty: GLES_DELEGATE_DEVICE if
        set, otherwise hardware first; hardware: the same, but a software renderer is an error.
      is_precision_loss_allowed: fp16 (half precision): store tensors and weights in 16-bit
        floats; sums stay in 32 bits. Default False.
      fallback_to_cpu: if the whole model or a partition cannot be built, run it on the CPU with a
        message instead of an error. Default False.
      max_delegated_partitions: maximum number of partitions to delegate, those with the most
        nodes first; 0: no limit; -1: each partition that gains more than its transfers to and
        from the GPU cost, by an estimate that the report has. Default -1.
      input_shapes: the sizes that inputs with free axes will have, such as ids=1x128,3=8x16, by
        the tensor's name or index: nodes are chosen and built for them at once, and not again
        when the app resizes to them; empty: the file's sizes, or others if those only hold a
        place.
      serialization_dir: an existing folder for the start-up cache; needs model_token.
      model_token: names the model among those that share that folder.
      report_file: a file that receives the report as JSON.
      verbosity: what goes to the error reporter: 0 errors; 1 also warnings and why nodes stay on
        the CPU; 2 also the device and each partition. Default 1.
      thread_mode: who runs the delegate: the calling thread, in the app's context if one is
        current; the same, but never in the app's context; a thread of the delegate's, which any
        thread may call; the same, in a context that shares objects with the app's. Default
        "caller".
      quantized_compute: how quantized nodes are computed; cpu: they stay on the CPU. Default
        "auto".
      exclude_nodes: these nodes stay on the CPU.
      float32_nodes: these nodes stay in 32 bits, with their constants, outputs and the model
        inputs that they read, although is_precision_loss_allowed is set.
      float16_overflow: what a finite value past 65504 becomes when it is stored in 16 bits:
        saturate, 65504. Default "saturate".
      self_check: run each program once and compare it with the host before a partition is
        accepted. Default True.
      wait_type: how Invoke waits for the GPU: active polls for up to 2 ms, aggressive to the end;
        do_not_wait is for apps that bind all outputs to GL objects. Default "passive".
      zero_copy: keep the model's inputs and outputs in memory that the GPU reads and writes, so
        that the host copies nothing; auto: if the device preset says that the device gains.
        Pointers to such tensors, and Python's views, end with the next AllocateTensors. Default
        "auto".
      startup: which plan runs first: the optimized plan; a baseline plan, until the optimized
        plan is compiled in the background; the baseline plan for good; or as the driver needs it:
        tiered if it compiles slowly, otherwise direct. Default "direct".
      keep_context_current: whether the delegate's own context stays current between calls, on the
        thread that applied the delegate first; auto: unless DISPLAY is set. Default "auto".
      storage: how tensors are stored on the GPU; auto: the device preset decides. Default "auto".
      tuning_file: a file of tuning parameters, as gles_tune writes it.
      enable_op_profiling: each Invoke times every dispatch, for the report; slows Invoke. Default
        False.
      state_pairs: auto: inputs and outputs between which a model only updates a slice, such as a
        decoder's caches of keys and values, stay on the GPU between calls; an interpreter's
        tensors then hold a mark instead of values; empty: none.
      memory_limit_bytes: maximum GPU memory of the delegate's partitions together, in bytes; a
        partition beyond it stays on the CPU; 0: no limit. Default 0.
      serialization_max_bytes: maximum size of all caches in serialization_dir together, in bytes;
        0: no limit. Default 0.
      share_key: delegates of the process with the same text share programs and weights on the
        GPU, and in thread_mode: worker their thread and context; empty: nothing is shared.
    """

    device: Optional[Union[str, int]]
    is_precision_loss_allowed: Optional[bool]
    fallback_to_cpu: Optional[bool]
    max_delegated_partitions: Optional[int]
    input_shapes: Optional[str]
    serialization_dir: Optional[Path]
    model_token: Optional[str]
    report_file: Optional[Path]
    verbosity: Optional[int]
    thread_mode: Optional[Literal["caller", "caller_own_context", "worker", "worker_sharing"]]
    quantized_compute: Optional[Literal["auto", "float", "float_unsimulated", "integer", "cpu"]]
    exclude_nodes: Optional[Nodes]
    float32_nodes: Optional[Nodes]
    float16_overflow: Optional[Literal["infinity", "saturate"]]
    self_check: Optional[bool]
    wait_type: Optional[Literal["passive", "active", "do_not_wait", "aggressive"]]
    zero_copy: Optional[Literal["auto", "on", "off"]]
    startup: Optional[Literal["direct", "tiered", "baseline", "auto"]]
    keep_context_current: Optional[Literal["auto", "on", "off"]]
    storage: Optional[Literal["auto", "texture_array", "texture_2d", "buffer"]]
    tuning_file: Optional[Path]
    enable_op_profiling: Optional[bool]
    state_pairs: Optional[str]
    memory_limit_bytes: Optional[int]
    serialization_max_bytes: Optional[int]
    share_key: Optional[str]


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


def split_options(text: str) -> Dict[str, str]:
    """"key:value;key:value" in parts. Raises DelegateError."""
    options: Dict[str, str] = {}
    for item in filter(None, text.split(";")):
        key, colon, value = item.partition(":")
        if not colon:
            raise DelegateError("the delegate was not made",
                                f"{item!r} of the options {text!r} is not key:value")
        options[key.strip()] = value
    return options


def typed_options(text: str) -> Options:
    """"key:value;key:value" as load_delegate() has the options.

    >>> typed_options("verbosity:2;self_check:0;device:mali")
    {'verbosity': 2, 'self_check': False, 'device': 'mali'}
    """
    values: Any = {}
    for key, value in split_options(text).items():
        kind = KINDS.get(key)
        values[key] = value != "0" if kind is _flag else int(value) if kind is _integer else value
    result: Options = values
    return result
