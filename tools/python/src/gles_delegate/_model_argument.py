"""The kinds of object that are a model."""

import os
from typing import Any, Dict, Protocol, Union


class ModelFile(Protocol):
    """An object with read(), such as a file that is open in binary mode."""

    def read(self) -> bytes:
        """All that is left of it."""
        ...


# The path of a .tflite file, the model itself, or a file that has it.
Model = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, ModelFile]


def model_argument(model: Model) -> Dict[str, Any]:
    """The keyword argument of the runtime's Interpreter.

    >>> model_argument(bytearray(b"TFL3")), model_argument("model.tflite")
    ({'model_content': b'TFL3'}, {'model_path': 'model.tflite'})
    """
    if isinstance(model, (bytes, bytearray, memoryview)):
        return {"model_content": bytes(model)}
    if isinstance(model, (str, os.PathLike)):
        return {"model_path": os.fspath(model)}
    if not hasattr(model, "read"):
        raise TypeError(f"model: {model!r} is neither a path, nor bytes, nor a file")
    content = model.read()
    if isinstance(content, str):
        raise TypeError(f'model: {model!r} is open as text; open it with mode "rb"')
    return {"model_content": bytes(content)}
