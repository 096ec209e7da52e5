"""Runs TensorFlow Lite models on the GPU, by OpenGL ES 3.1 compute shaders.

    import gles_delegate

    interpreter = gles_delegate.interpreter("model.tflite", device="nvidia")
    interpreter.allocate_tensors()
    ...
    print(gles_delegate.report(interpreter)["nodes_delegated"])

or, where the app makes its interpreter itself:

    delegate = gles_delegate.load_delegate(is_precision_loss_allowed=True)
    interpreter = Interpreter("model.tflite", experimental_delegates=[delegate])

or, for LiteRT's CompiledModel (2.2 and newer):

    environment = Environment.create(runtime_path=gles_delegate.litert_runtime_dir())
    model = CompiledModel.from_file("model.tflite", HardwareAccelerator.GPU, environment)

The interpreter is that of ai_edge_litert, tflite_runtime or tensorflow, whichever is
installed. An interpreter must be invoked on the thread that made it, unless the option
thread_mode is "worker" or an EGL context of the app's own is current there.
"""

import importlib.metadata
import os
import weakref
from typing import Any, Dict, Optional, Union

from ._errors import DelegateError
from ._library import (Compatibility, Device, compatibility, devices, library_path,
                       library_version, litert_runtime_dir, report_at)
from ._options import Nodes, Path, option_texts
from ._runtimes import Runtime
from ._runtimes import find as find_runtime

__all__ = ["Compatibility", "DelegateError", "Device", "Runtime", "compatibility", "devices",
           "find_runtime", "interpreter", "library_path", "library_version",
           "litert_runtime_dir", "load_delegate", "report"]

try:
    __version__ = importlib.metadata.version("gles-delegate")
except importlib.metadata.PackageNotFoundError:  # imported from the source tree
    __version__ = "unknown"

_delegate_of: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()
_last: Optional["weakref.ref[Any]"] = None


def load_delegate(
    *,
    runtime: Optional[str] = None,
    is_precision_loss_allowed: Optional[bool] = None,
    max_delegated_partitions: Optional[int] = None,
    min_nodes_per_partition: Optional[int] = None,
    enable_quantization: Optional[bool] = None,
    storage: Optional[str] = None,
    force_own_context: Optional[bool] = None,
    verbosity: Optional[int] = None,
    device: Union[str, int, None] = None,
    exclude_nodes: Optional[Nodes] = None,
    enable_op_profiling: Optional[bool] = None,
    fallback_to_cpu: Optional[bool] = None,
    serialization_dir: Optional[Path] = None,
    model_token: Optional[str] = None,
    enable_serialization: Optional[bool] = None,
    serialization_max_bytes: Optional[int] = None,
    quantized_compute: Optional[str] = None,
    tuning: Optional[str] = None,
    integer_rounding: Optional[str] = None,
    allow_software: Optional[bool] = None,
    self_check: Optional[bool] = None,
    wait_type: Optional[str] = None,
    float16_overflow: Optional[str] = None,
    float32_nodes: Optional[Nodes] = None,
    thread_mode: Optional[str] = None,
    report_file: Optional[Path] = None,
    memory_limit_bytes: Optional[int] = None,
    share_key: Optional[str] = None,
    float16_arithmetic: Optional[str] = None,
    zero_copy: Optional[str] = None,
    inference_preference: Optional[str] = None,
    background_compilation: Optional[str] = None,
) -> Any:
    """Makes a delegate for an interpreter's `experimental_delegates`.

    An option that is None has its default, or what the environment variable
    GLES_DELEGATE_OPTIONS has for it.

    Args:
      runtime: "ai_edge_litert", "tflite_runtime" or "tensorflow". Default: the one that is
        imported already, else the first that is installed.
      is_precision_loss_allowed: tensors and weights are stored in 16-bit floats
        (float16_arithmetic says what is computed in them). Default False.
      max_delegated_partitions: maximum number of partitions to delegate, those with the most
        nodes first; 0: no limit. Default -1: each that pays for its way to the GPU and back.
      min_nodes_per_partition: partitions of fewer nodes stay on the CPU. Default 1.
      enable_quantization: quantized nodes run on the GPU. Default True.
      storage: where tensors live: "auto" (default), "texture_array", "texture_2d", "buffer".
      force_own_context: an EGL context of the delegate's own even where the thread has one.
        Default False.
      verbosity: 0 errors; 1 (default) also why nodes stay on the CPU; 2 also the device and
        each partition.
      device: which GPU: an index of devices(), or a part of a renderer's name. Default:
        hardware first.
      exclude_nodes: nodes that stay on the CPU: "3,17-20", or [3, range(17, 21)].
      enable_op_profiling: each invoke times every dispatch, for report()["profile"].
      fallback_to_cpu: where the delegate cannot be applied, everything stays on the CPU
        after a message, without an error. Default False.
      serialization_dir: an existing folder of the app's own for the start-up cache.
      model_token: names the model among those that share that folder.
      enable_serialization: False: no start-up cache. Default True.
      serialization_max_bytes: the most that all caches of the folder take; 0: no limit.
      quantized_compute: "auto" (default), "float", "float_unsimulated", "integer".
      tuning: "default", or "exhaustive": a search for the fastest settings, seconds on a
        GPU, minutes on a software driver.
      integer_rounding: whose codes quantized nodes give: "auto" (default: this runtime's),
        "tflite", "tflite_wheel", "litert", "xnnpack", "reference".
      allow_software: False: no delegate where only the CPU renders. Default True.
      self_check: each program is held against the CPU before it is used. Default True.
      wait_type: "passive" (default), "active", which polls for up to 2 ms, "aggressive",
        which polls to the end, or "do_not_wait", for apps that bind all outputs to GL
        objects.
      float16_overflow: "infinity" (default) or "saturate".
      float32_nodes: nodes whose outputs stay in 32 bits, as exclude_nodes.
      thread_mode: "caller" (default), or "worker": the delegate works on a thread of its
        own, and any thread may invoke the interpreter. "worker_sharing": in a context that
        shares objects with the one that is current on this thread. With "caller" the
        delegate's own context stays current on this thread, unless DISPLAY is set;
        "caller_keeps_context": with DISPLAY set, too; "caller_lets_go": never.
      report_file: a file that takes the report as JSON.
      memory_limit_bytes: the most GPU memory that the delegate's partitions take together;
        0 (default): no limit.
      share_key: delegates of this process with the same text share programs and weights on
        the GPU, and with thread_mode "worker" their thread and GPU context. Default: nothing
        is shared.
      float16_arithmetic: with is_precision_loss_allowed, whether convolutions multiply in
        16 bits: "auto" (default: where the device gains by it), "on" or "off".
      zero_copy: whether the model's inputs and outputs lie in memory that the GPU reads and
        writes: "auto" (default: where the device gains by it), "on" or "off". An array of
        `interpreter.tensor(i)()` then ends with the interpreter's next allocate_tensors().
      inference_preference: "sustained_speed" (default) or "fast_single_answer": partitions
        stay with their stand-in, where the driver takes long to compile, and inferences
        take two to four times as long.
      background_compilation: whether first answers come from a stand-in, a plan of few and
        plain programs, while the plan proper is compiled in the background: "auto"
        (default: where the driver takes long to compile), "on" or "off".

    Returns:
      The runtime's own delegate object; keep it as long as its interpreters.

    Raises:
      DelegateError: an option's value is not one that it may have; the text lists those.
      TypeError: a value is of the wrong type.
      ImportError: there is no TensorFlow Lite.
    """
    global _last
    options = dict(locals())
    del options["runtime"]
    texts = option_texts(options)
    loader = find_runtime(runtime)
    path = library_path()
    try:
        delegate = loader.load_delegate(path, texts)
    except ValueError as error:
        text = str(error).replace(f"Failed to load delegate from {path}\n", "", 1)
        raise DelegateError(text) from error
    _last = weakref.ref(delegate)
    return delegate


def interpreter(
    model: Union[str, "os.PathLike[str]", bytes],
    *,
    runtime: Optional[str] = None,
    num_threads: Optional[int] = None,
    interpreter_options: Optional[Dict[str, Any]] = None,
    **options: Any,
) -> Any:
    """Makes an interpreter that runs `model` with the delegate.

    Args:
      model: the path of a .tflite file, or the model itself.
      runtime: as load_delegate().
      num_threads: of the CPU's kernels, for what stays there.
      interpreter_options: further keyword arguments of the runtime's Interpreter.
      **options: the options of load_delegate().

    Returns:
      The runtime's own Interpreter; its tensors are not allocated yet.

    Raises:
      DelegateError: the delegate was not made or not applied.
      As the runtime's Interpreter where the model cannot be read.
    """
    chosen = find_runtime(runtime)
    arguments = dict(interpreter_options or {})
    arguments["num_threads"] = num_threads
    arguments["model_content" if isinstance(model, bytes) else "model_path"] = (
        model if isinstance(model, bytes) else os.fspath(model))
    delegate = load_delegate(runtime=chosen.name, **options)
    try:
        made = chosen.Interpreter(experimental_delegates=[delegate], **arguments)
    except RuntimeError as error:
        raise DelegateError(str(error)) from error
    _delegate_of[made] = delegate
    return made


def report(of: Any = None) -> Dict[str, Any]:
    """What a delegate did: device, partitions, why nodes stay on the CPU, memory, times.

    Args:
      of: a delegate of load_delegate(), or an interpreter of interpreter(). Default: the
        delegate that was made last.

    Raises:
      ValueError: there is no such delegate, or it is another library's.
    """
    delegate = of
    if of is None:
        delegate = _last() if _last is not None else None
        if delegate is None:
            raise ValueError("no delegate was made yet, or the last one is gone")
    elif not hasattr(of, "_get_native_delegate_pointer"):
        try:
            delegate = _delegate_of[of]
        except (KeyError, TypeError):  # TypeError: an object that takes no weak reference
            raise ValueError(f"{of!r} is neither a delegate nor an interpreter of "
                             "gles_delegate.interpreter()") from None
    return report_at(delegate._get_native_delegate_pointer())
