"""Language models of LiteRT-LM (`litert-lm-api`) on this package's accelerator.

    import gles_delegate.litert_lm
    import litert_lm

    gles_delegate.litert_lm.use()
    engine = litert_lm.Engine("model.litertlm", litert_lm.Backend.GPU())

LiteRT-LM has no official way to choose an accelerator: its library contains one, and samplers
that only read that one's memory. use() replaces the pointers to them, which the library exports
(docs/language_models.md). It says so if a release of LiteRT-LM no longer allows that.
"""

import contextlib
import ctypes
import importlib
import os
import threading
from typing import Any, Dict, Generator, Optional

from ._errors import DelegateError
from ._library import litert_runtime_dir
from ._options import option_texts
from ._runtimes import version_of

__all__ = ["use"]

# Null: the sampler is not there, and LiteRT-LM samples on the CPU.
_SAMPLERS = ("LiteRtTopKWebGpuSampler_Create_Static", "LiteRtTopKOpenClSampler_Create_Static")
_ACCELERATOR = "LiteRtStaticLinkedAcceleratorGpuDef"
_FUNCTIONS = ("litert_lm_engine_settings_create", "litert_lm_engine_settings_delete",
              "litert_lm_engine_settings_set_activation_data_type", "litert_lm_engine_create")
_VARIABLE = "GLES_DELEGATE_OPTIONS"
# LiteRT-LM's ActivationDataType.
_FLOAT32, _FLOAT16 = 0, 1

_lock = threading.Lock()
_engines: Optional["_Engines"] = None


class _Engines:
    """Stands between LiteRT-LM's Engine and its library.

    If its GPU computes in 16 bits, LiteRT-LM reads the logits as 16-bit floats whatever type the
    model has for them. So each engine is made with 32-bit activations, and 16 bits are asked of
    the delegate, which only stores in them.
    """

    def __init__(self, library: Any):
        self._settings: Dict[int, int] = {}  # of the GPU's: the activations' type
        self._call = {name: getattr(library, name) for name in _FUNCTIONS}
        self.options: Dict[str, str] = {}
        for name in _FUNCTIONS:
            setattr(library, name, getattr(self, name[len("litert_lm_"):]))

    def engine_settings_create(self, path: Any, backend: Any, *more: Any) -> Any:
        settings = self._call["litert_lm_engine_settings_create"](path, backend, *more)
        if settings and backend in ("gpu", b"gpu"):
            self._settings[settings] = _FLOAT32
        return settings

    def engine_settings_delete(self, settings: Any) -> None:
        self._settings.pop(settings, None)
        self._call["litert_lm_engine_settings_delete"](settings)

    def engine_settings_set_activation_data_type(self, settings: Any, kind: int) -> None:
        if settings not in self._settings:
            self._call["litert_lm_engine_settings_set_activation_data_type"](settings, kind)
        elif kind in (_FLOAT32, _FLOAT16):
            self._settings[settings] = kind
        else:
            raise ValueError(f"activation_data_type {kind}: the GPU has FLOAT32 and FLOAT16")

    def engine_create(self, settings: Any) -> Any:
        kind = self._settings.get(settings)
        if kind is None:
            return self._call["litert_lm_engine_create"](settings)
        self._call["litert_lm_engine_settings_set_activation_data_type"](settings, _FLOAT32)
        options = dict(self.options)
        if kind == _FLOAT16:
            options["is_precision_loss_allowed"] = "1"
        with _lock, _environment(options):
            return self._call["litert_lm_engine_create"](settings)


@contextlib.contextmanager
def _environment(options: Dict[str, str]) -> Generator[None, None, None]:
    """The options in the variable that the library reads when a delegate is made."""
    before = os.environ.get(_VARIABLE)
    kept = [item for item in (before or "").split(";")
            if item and item.split(":", 1)[0] not in options]
    os.environ[_VARIABLE] = ";".join(kept + [f"{key}:{text}" for key, text in options.items()])
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before


def _library() -> Any:
    try:
        ffi: Any = importlib.import_module("litert_lm._ffi")
    except ImportError as error:
        raise ImportError("LiteRT-LM is not installed: pip install litert-lm-api") from error
    return ffi._get_lib()  # pylint: disable=protected-access


def use(**options: Any) -> None:
    """Makes LiteRT-LM's GPU backend this package's accelerator, for engines made from now on.

    Engines with Backend.GPU() then run on OpenGL ES, and sample on the CPU. Engines with
    Backend.CPU() are unchanged. activation_data_type is FLOAT32 (default) or FLOAT16, which
    stores in 16-bit floats; LiteRT-LM's own default and the bundle's preference do not count.
    A second call only changes the options.

    Call it before the first engine is made, on any thread. The delegate runs on its own thread,
    so an engine may be used wherever LiteRT-LM allows it. While an engine is being made, the
    environment variable GLES_DELEGATE_OPTIONS has its options: make no other delegate then.

    Args:
      **options: the delegate's, as load_delegate() has them, such as device or report_file.
        They precede those in GLES_DELEGATE_OPTIONS.

    Raises:
      ImportError: LiteRT-LM is not installed.
      DelegateError: this release of LiteRT-LM does not allow another accelerator.
      FileNotFoundError: this package was built without the accelerator.
      TypeError: an unknown option, or a value of the wrong type.
    """
    global _engines
    texts = option_texts(options)
    library = _library()
    with _lock:
        if _engines is None:
            accelerator = ctypes.CDLL(
                os.path.join(litert_runtime_dir(), "libLiteRtGpuAccelerator.so"))
            try:
                pointers = {name: ctypes.c_void_p.in_dll(library, name)
                            for name in (_ACCELERATOR, *_SAMPLERS)}
                for name in _FUNCTIONS:
                    getattr(library, name)
            except (AttributeError, ValueError) as error:
                raise DelegateError(
                    f"litert-lm-api {version_of('litert-lm-api')} does not allow another "
                    "accelerator",
                    f"{error}. Use 0.18.1, or gles_delegate with the model's .tflite file"
                ) from error
            implementation = ctypes.c_char.in_dll(accelerator, "LiteRtAcceleratorImpl")
            pointers[_ACCELERATOR].value = ctypes.addressof(implementation)
            for name in _SAMPLERS:
                pointers[name].value = None
            _engines = _Engines(library)
            _engines.accelerator = accelerator  # type: ignore[attr-defined]
        _engines.options = texts
