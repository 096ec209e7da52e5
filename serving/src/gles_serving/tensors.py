"""A request's contents, checked against the model: arrays, or image files to decode.

Needs numpy. A request's input is any object with the attributes of kserve's InferInput:
name, datatype, shape, data, parameters and as_numpy().
"""

import base64
import binascii
import math
import struct
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

DATATYPES = {
    "BOOL": np.bool_, "INT8": np.int8, "INT16": np.int16, "INT32": np.int32,
    "INT64": np.int64, "UINT8": np.uint8, "UINT16": np.uint16, "UINT32": np.uint32,
    "UINT64": np.uint64, "FP16": np.float16, "FP32": np.float32, "FP64": np.float64,
}
_NAME_OF = {np.dtype(dtype): name for name, dtype in DATATYPES.items()}
_WORST = (ValueError, TypeError, OverflowError, struct.error, MemoryError)
# Types of Python that each kind of numpy's takes.
_TAKEN = {"f": {float, int}, "i": {int}, "u": {int}, "b": {bool, int}}
_MOST_DIMENSIONS = 8  # TFLite's own most
MOST_FILES = 4096  # the largest batch that config.py takes
# The maximum size of a request's value, written out in JSON with its white space.
_BYTES_OF_A_VALUE = 64
_BYTES_OF_A_REQUEST = 1 << 20  # besides


def datatype_of(dtype: Any) -> str:
    """The protocol's name of a numpy type."""
    return _NAME_OF[np.dtype(dtype)]


class RequestError(ValueError):
    """The client's request cannot be served; the text says what the model takes."""


class Spec(NamedTuple):
    """An input or output of the model. shape: with the model's own batch size first."""

    name: str
    index: int
    dtype: Any
    shape: Tuple[int, ...]

    @property
    def datatype(self) -> str:
        """The protocol's name of the type."""
        return datatype_of(self.dtype)


def specs_of(details: Sequence[Dict[str, Any]]) -> List[Spec]:
    """The specs of an interpreter's get_input_details() or get_output_details().

    Names that occur twice get ":1", ":2", ... Raises ValueError for types that the protocol
    has no numbers for (strings).
    """
    specs: List[Spec] = []
    for detail in details:
        name = base = detail["name"] or "tensor"
        taken = {s.name for s in specs}
        count = 0
        while name in taken:
            count += 1
            name = f"{base}:{count}"
        dtype = detail["dtype"]
        if np.dtype(dtype) not in _NAME_OF:
            raise ValueError(f"tensor {name!r} is of type {np.dtype(dtype).name}, which cannot "
                             "be served")
        specs.append(Spec(name, detail["index"], dtype, tuple(int(d) for d in detail["shape"])))
    return specs


class Images(NamedTuple):
    """Image files in place of a tensor, one a row."""

    files: List[bytes]


Value = Union[np.ndarray, Images]


def most_bytes(specs: Sequence[Spec], max_rows: int, decoded: Sequence[str]) -> Optional[int]:
    """The maximum size of a request of the model, in any form; None: files have any size.

    max_rows: of a batch; 0 without batching. decoded: inputs that may come as image files.
    """
    if decoded:
        return None
    values = sum((max_rows or spec.shape[0]) * math.prod(spec.shape[1:]) if spec.shape else 1
                 for spec in specs)
    return _BYTES_OF_A_REQUEST + _BYTES_OF_A_VALUE * values


def _split(name: str, data: Any) -> List[bytes]:
    """The elements of a BYTES tensor on the wire: four bytes of length, then as many bytes."""
    elements: List[bytes] = []
    at = 0
    while at < len(data):
        if len(elements) == MOST_FILES:
            raise RequestError(f"input {name!r}: more than {MOST_FILES} elements of BYTES")
        size = int.from_bytes(data[at:at + 4], "little")
        if at + 4 + size > len(data):
            raise RequestError(f"input {name!r}: torn bytes")
        elements.append(bytes(data[at + 4:at + 4 + size]))
        at += 4 + size
    return elements


def _raw_bytes(item: Any) -> List[bytes]:
    """The elements of a BYTES input: from the wire as they are, from JSON as base64."""
    # as_numpy() of kserve's InferInput sets no bound.
    if getattr(item, "_raw_data", None) is not None:
        return _split(item.name, item._raw_data)  # pylint: disable=protected-access
    if len(item.data) > MOST_FILES:
        raise RequestError(f"input {item.name!r}: more than {MOST_FILES} elements of BYTES")
    if all(isinstance(element, bytes) for element in item.data):
        return list(item.data)
    try:
        return [base64.b64decode(text, validate=True) for text in item.data]
    except (binascii.Error, ValueError, TypeError) as error:
        raise RequestError(f"input {item.name!r}: in JSON the bytes of a file are base64: "
                           f"{error}") from error


def _range(dtype: Any) -> Tuple[Any, Any]:
    """The least and the greatest number of a type."""
    if np.dtype(dtype).kind == "b":
        return 0, 1
    limits = np.finfo(dtype) if np.dtype(dtype).kind == "f" else np.iinfo(dtype)
    return limits.min, limits.max


def _array(item: Any, spec: Spec) -> np.ndarray:
    """The values of a tensor input, of its own shape."""
    count = math.prod(item.shape)
    data = item.data
    if isinstance(data, list) and data:
        values = np.asarray(data, object).reshape(-1)  # as another type it would turn 1.5 into 1
        flat = values.tolist()
        kinds = set(map(type, flat))
        if list in kinds:
            raise RequestError(f"input {spec.name!r}: the data is ragged")
        kind = np.dtype(spec.dtype).kind
        if not kinds <= _TAKEN[kind]:
            raise RequestError(f"input {spec.name!r}: the data is not of {spec.datatype}")
        if len(flat) != count:
            raise RequestError(f"input {spec.name!r}: {len(flat)} values, where the shape "
                               f"{list(item.shape)} has {count}")
        low, high = _range(spec.dtype)
        if kind != "f" and flat and not low <= min(flat) <= max(flat) <= high:
            raise RequestError(f"input {spec.name!r}: values outside of {spec.datatype}, "
                               f"{low} to {high}")
        try:
            with np.errstate(over="raise"):
                return values.astype(spec.dtype).reshape(item.shape)
        except (OverflowError, FloatingPointError) as error:
            raise RequestError(f"input {spec.name!r}: values outside of {spec.datatype}, "
                               f"{low:g} to {high:g}") from error
    try:
        made = item.as_numpy().reshape(item.shape)
    except _WORST as error:
        raise RequestError(f"input {spec.name!r}: the data does not hold {count} values of "
                           f"{spec.datatype}: {error}") from error
    if made.dtype.kind == "b" and made.view(np.uint8).max(initial=0) > 1:
        raise RequestError(f"input {spec.name!r}: a BOOL is a byte of 0 or 1")
    return made


def _check_rows(name: str, shape: Sequence[int], own: Tuple[int, ...], max_rows: int) -> int:
    """The rows of an input. max_rows: 0 where the model takes its own shape alone."""
    if max_rows == 0:
        if tuple(shape) != own:
            raise RequestError(f"input {name!r} has shape {list(shape)}, the model takes "
                               f"{list(own)}")
        return 1
    if len(shape) != len(own) or tuple(shape[1:]) != own[1:]:
        raise RequestError(f"input {name!r} has shape {list(shape)}, the model takes "
                           f"{[-1, *own[1:]]}")
    if not 1 <= shape[0] <= max_rows:
        raise RequestError(f"input {name!r} has {shape[0]} rows, the model takes 1 to {max_rows}")
    return shape[0]


def read(inputs: Sequence[Any], specs: Sequence[Spec], max_rows: int,
         decoded: Sequence[str]) -> Tuple[int, Dict[str, Value]]:
    """The rows and values of a request's inputs.

    max_rows: of a batch; 0 without batching. decoded: inputs that may come as image files.

    Raises RequestError.
    """
    known = {spec.name: spec for spec in specs}
    values: Dict[str, Value] = {}
    rows = 0
    for item in inputs:
        spec = known.get(item.name)
        if spec is None:
            raise RequestError(f"the model has no input {str(item.name)[:100]!r}; it has "
                               f"{', '.join(repr(name) for name in known)}")
        if item.name in values:
            raise RequestError(f"input {item.name!r} stands twice in the request")
        if not isinstance(item.shape, (list, tuple)):
            raise RequestError(f"input {item.name!r}: {str(item.shape)[:100]} is no shape")
        shape = list(item.shape[:_MOST_DIMENSIONS + 1])
        if len(shape) > _MOST_DIMENSIONS:
            raise RequestError(f"input {item.name!r}: more than {_MOST_DIMENSIONS} dimensions")
        if not all(isinstance(d, int) and 0 <= d < 2**31 for d in shape):
            raise RequestError(f"input {item.name!r}: {str(shape)[:100]} is no shape")
        if item.datatype == "BYTES" and item.name in decoded:
            files = _raw_bytes(item)
            if len(files) != math.prod(shape):
                raise RequestError(f"input {item.name!r}: {len(files)} files, where the shape "
                                   f"{shape} has {math.prod(shape)}")
            most = max_rows or spec.shape[0]
            own = len(files)
            if not (1 if max_rows else most) <= own <= most:
                raise RequestError(f"input {item.name!r}: {own} files, the model takes {most} "
                                   "at most")
            values[item.name] = Images(files)
            own = own if max_rows else 1
        else:
            if item.datatype != spec.datatype:
                raise RequestError(f"input {item.name!r} is of {str(item.datatype)[:100]}, the "
                                   f"model takes {spec.datatype}")
            own = _check_rows(item.name, shape, spec.shape, max_rows)
            values[item.name] = _array(item, spec)
        if rows not in (0, own):
            raise RequestError(f"input {item.name!r} has {own} rows, another one {rows}")
        rows = own
    missing = [name for name in known if name not in values]
    if missing:
        raise RequestError(f"the request lacks {', '.join(repr(name) for name in missing)}")
    return rows, values
