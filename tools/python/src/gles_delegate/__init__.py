"""Runs TensorFlow Lite models on the GPU, by OpenGL ES 3.1 compute shaders.

    import gles_delegate

    interpreter = gles_delegate.interpreter("model.tflite", device="nvidia")
    interpreter.allocate_tensors()
    ...
    print(gles_delegate.report(interpreter)["nodes_delegated"])

or, if the app makes its interpreter itself:

    delegate = gles_delegate.load_delegate(is_precision_loss_allowed=True)
    interpreter = Interpreter("model.tflite", experimental_delegates=[delegate])

or, for LiteRT's CompiledModel (2.2 and newer):

    environment = Environment.create(runtime_path=gles_delegate.litert_runtime_dir())
    model = CompiledModel.from_file("model.tflite", HardwareAccelerator.GPU, environment)

The interpreter is that of ai_edge_litert, tflite_runtime or tensorflow, whichever is
installed. An interpreter must be invoked on the thread that made it, unless the option
thread_mode is "worker" or the app's own EGL context is current there.
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
    float16_overflow: Optional[str] = None,
    quantized_compute: Optional[str] = None,
    storage: Optional[str] = None,
    max_delegated_partitions: Optional[int] = None,
    exclude_nodes: Optional[Nodes] = None,
    float32_nodes: Optional[Nodes] = None,
    device: Union[str, int, None] = None,
    fallback_to_cpu: Optional[bool] = None,
    self_check: Optional[bool] = None,
    thread_mode: Optional[str] = None,
    keep_context_current: Optional[str] = None,
    wait_type: Optional[str] = None,
    zero_copy: Optional[str] = None,
    startup: Optional[str] = None,
    serialization_dir: Optional[Path] = None,
    model_token: Optional[str] = None,
    serialization_max_bytes: Optional[int] = None,
    tuning_file: Optional[Path] = None,
    memory_limit_bytes: Optional[int] = None,
    share_key: Optional[str] = None,
    verbosity: Optional[int] = None,
    enable_op_profiling: Optional[bool] = None,
    report_file: Optional[Path] = None,
) -> Any:
    """Makes a delegate for an interpreter's `experimental_delegates`.

    An option that is None has its default, or what the environment variable
    GLES_DELEGATE_OPTIONS has for it.

    Args:
      runtime: "ai_edge_litert", "tflite_runtime" or "tensorflow". Default: the one that is
        imported already, else the first that is installed.
      is_precision_loss_allowed: store tensors and weights in 16-bit floats. Default False.
      float16_overflow: values past 65504 become "infinity" (default) or "saturate".
      quantized_compute: "auto" (default), "integer", "float", "float_unsimulated", or "cpu":
        quantized nodes stay on the CPU.
      storage: how tensors are stored: "auto" (default), "texture_array", "texture_2d", "buffer".
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
      keep_context_current: whether the delegate's own context stays current on this thread:
        "auto" (default: unless DISPLAY is set), "on" or "off".
      wait_type: "passive" (default), "active", which polls for up to 2 ms, "aggressive",
        which polls to the end, or "do_not_wait", for apps that bind all outputs to GL
        objects.
      zero_copy: whether the model's inputs and outputs are in memory that the GPU accesses:
        "auto" (default: the device preset decides), "on" or "off". An array of
        `interpreter.tensor(i)()` then ends with the interpreter's next allocate_tensors().
      startup: "direct" (default), "tiered": first answers come from a baseline plan while the
        optimized plan is compiled, or "baseline": the baseline plan stays.
      serialization_dir: an existing folder for the start-up cache.
      model_token: names the model in that folder.
      serialization_max_bytes: maximum size of all caches in the folder; 0: no limit.
      tuning_file: tuning parameters, as the program gles_tune writes them.
      memory_limit_bytes: maximum GPU memory of the delegate's partitions; 0 (default): no
        limit.
      share_key: delegates of this process with the same text share programs and weights on
        the GPU, and with thread_mode "worker" their thread and GPU context. Default: nothing
        is shared.
      verbosity: 0 errors; 1 (default) also why nodes stay on the CPU; 2 also the device and
        each partition.
      enable_op_profiling: each invoke times every dispatch, for report()["profile"].
      report_file: a file that gets the report as JSON.

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
      num_threads: of the CPU's kernels, for nodes that stay there.
      interpreter_options: further keyword arguments of the runtime's Interpreter.
      **options: the options of load_delegate().

    Returns:
      The runtime's own Interpreter; its tensors are not allocated yet.

    Raises:
      DelegateError: the delegate was not made or not applied.
      Other errors of the runtime's Interpreter, if the model cannot be read.
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
    """A delegate's report: device, partitions, why nodes stay on the CPU, memory, times.

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
