"""The kinds of object that are a model."""

import os
from typing import Any, Dict, Protocol, Union

from ._errors import check_path


class ModelFile(Protocol):
    """An object with read(), such as a file that is open in binary mode."""

    def read(self) -> bytes:
        """All that is left of it."""
        ...


# The path of a .tflite file, the model itself, or a file that has it.
Model = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, ModelFile]


def _checked(content: bytes, name: str, size: int) -> bytes:
    if content[4:8] != b"TFL3":
        raise ValueError(f"{name} is no .tflite model: {size} bytes, without the identifier TFL3 "
                         "at byte 4")
    return content


def model_argument(model: Model) -> Dict[str, Any]:
    """The keyword argument of the runtime's Interpreter.

    >>> model_argument(bytearray(b"....TFL3"))
    {'model_content': b'....TFL3'}
    """
    if isinstance(model, (str, os.PathLike)):
        path = os.fspath(model)
        check_path(path, os.R_OK)
        with open(path, "rb") as file:
            _checked(file.read(8), path, os.stat(path).st_size)
        return {"model_path": path}
    if isinstance(model, (bytes, bytearray, memoryview)):
        content: Any = model
    elif hasattr(model, "read"):
        content = model.read()
    else:
        raise TypeError(f"model: {model!r} is neither a path, nor bytes, nor a file")
    if isinstance(content, str):
        raise TypeError(f'model: {model!r} is open as text; open it with mode "rb"')
    content = bytes(content)
    return {"model_content": _checked(content, "model", len(content))}
