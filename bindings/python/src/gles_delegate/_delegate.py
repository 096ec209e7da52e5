"""Delegates, interpreters with one, and their reports."""

import weakref
from typing import TYPE_CHECKING, Any, Dict, Optional

from ._errors import DelegateError
from ._interpreter import Interpreter, closing
from ._library import library_path, report_at
from ._model_argument import Model, model_argument
from ._options import Options, option_texts
from ._report import Report, report_of
from ._runtimes import find as find_runtime

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of every type checker

_delegate_of: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()
_last: Optional["weakref.ref[Any]"] = None


def delegate_of(runtime: Any, texts: Dict[str, str]) -> Any:
    """A delegate with options that this package need not know.

    Raises DelegateError with the delegate's text.
    """
    try:
        return runtime.load_delegate(library_path(), texts)
    except ValueError as error:
        raise DelegateError("the delegate was not made", str(error)) from error


def load_delegate(*, runtime: Optional[str] = None, **options: "Unpack[Options]") -> Any:
    """Makes a delegate for an interpreter's `experimental_delegates`.

    Args:
      runtime: "ai_edge_litert", "tflite_runtime" or "tensorflow". Default: the one that is
        imported already, else the first that is installed.
      **options: those of Options; help(gles_delegate.Options) describes each.

    Returns:
      The runtime's own delegate object; keep it as long as its interpreters.

    Raises:
      DelegateError: an option's value is not one that it may have; the reason lists those.
      TypeError: an unknown option, or a value of the wrong type.
      FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError: of
        serialization_dir, tuning_file or report_file.
      ImportError: there is no TensorFlow Lite.
    """
    global _last
    texts = option_texts(options)
    delegate = delegate_of(find_runtime(runtime), texts)
    _last = weakref.ref(delegate)
    return delegate


def interpreter(
    model: Model,
    *,
    runtime: Optional[str] = None,
    num_threads: Optional[int] = None,
    interpreter_options: Optional[Dict[str, Any]] = None,
    **options: "Unpack[Options]",
) -> Interpreter:
    """Makes an interpreter that runs `model` with the delegate.

    Args:
      model: the path of a .tflite file, the model itself (bytes, bytearray or memoryview), or a
        file that is open in binary mode.
      runtime: as load_delegate().
      num_threads: of the CPU's kernels, for nodes that stay there.
      interpreter_options: further keyword arguments of the runtime's Interpreter.
      **options: those of Options; help(gles_delegate.Options) describes each.

    Returns:
      The runtime's own Interpreter, which can be a context manager; its tensors are not
      allocated yet.

    Raises:
      DelegateError: the delegate was not made or not applied.
      FileNotFoundError, IsADirectoryError, PermissionError: the model's path.
      ValueError: it is no .tflite model.
      Others: as load_delegate().
    """
    chosen = find_runtime(runtime)
    arguments = {**(interpreter_options or {}), **model_argument(model), "num_threads": num_threads}
    delegate = load_delegate(runtime=chosen.name, **options)
    try:
        made = closing(chosen.Interpreter)(experimental_delegates=[delegate], **arguments)
    except RuntimeError as error:
        raise DelegateError("the delegate was not applied", str(error)) from error
    _delegate_of[made] = weakref.ref(delegate)  # the interpreter keeps it
    return made


def report(of: Any = None) -> Report:
    """A delegate's report: device, partitions, why nodes stay on the CPU, memory, times.

    Args:
      of: a delegate of load_delegate(), or an interpreter of interpreter(). Default: the
        delegate that was made last.

    Raises:
      ValueError: there is no such delegate, it is another library's, or the interpreter is closed.
    """
    delegate = of
    if of is None:
        delegate = _last() if _last is not None else None
        if delegate is None:
            raise ValueError("no delegate was made yet, or the last one is gone")
    elif not hasattr(of, "_get_native_delegate_pointer"):
        try:
            delegate = _delegate_of[of]()
        except (KeyError, TypeError):  # TypeError: an object that takes no weak reference
            raise ValueError(f"{of!r} is neither a delegate nor an interpreter of "
                             "gles_delegate.interpreter()") from None
    return report_of(report_at(delegate._get_native_delegate_pointer()))
