"""A small model for the self-check, written without a library for FlatBuffers.

A FlatBuffer holds tables, vectors and texts. A table begins with the distance to its
vtable, which says where each field lies; a field that is a table, a vector or a text is the
distance to it, onwards. So parents are written before their children, whose places are
filled in when they are known.
"""

import math
import random
import struct
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

_Child = Callable[["_Writer"], int]  # writes itself and returns where it begins


class _Writer:
    def __init__(self) -> None:
        self.data = bytearray()

    def align(self, size: int, ahead: int = 0) -> None:
        while (len(self.data) + ahead) % size:
            self.data.append(0)

    def point(self, at: int, child: _Child) -> None:
        place = child(self)
        struct.pack_into("<I", self.data, at, place - at)


def _table(fields: Dict[int, Tuple[str, Any]]) -> _Child:
    """fields: slot -> (struct's letter, number) or ("ref", child)."""

    def write(writer: _Writer) -> int:
        slots = max(fields) + 1 if fields else 0
        places, size = [0] * slots, 4
        for slot, (letter, _) in sorted(fields.items()):
            width = 4 if letter == "ref" else struct.calcsize(letter)
            size += -size % width
            places[slot] = size
            size += width
        vtable = struct.pack(f"<HH{slots}H", 4 + 2 * slots, size, *places)
        writer.align(4, ahead=len(vtable))
        begin = len(writer.data) + len(vtable)
        writer.data += vtable + struct.pack("<i", len(vtable)) + bytes(size - 4)
        for slot, (letter, value) in sorted(fields.items()):
            if letter != "ref":
                struct.pack_into("<" + letter, writer.data, begin + places[slot], value)
        for slot, (letter, value) in sorted(fields.items()):
            if letter == "ref":
                writer.point(begin + places[slot], value)
        return begin

    return write


def _numbers(letter: str, values: List[Any], align: int = 4) -> _Child:
    def write(writer: _Writer) -> int:
        writer.align(align, ahead=4)
        begin = len(writer.data)
        writer.data += struct.pack(f"<I{len(values)}{letter}", len(values), *values)
        return begin

    return write


def _tables(children: List[_Child]) -> _Child:
    def write(writer: _Writer) -> int:
        writer.align(4)
        begin = len(writer.data)
        writer.data += struct.pack("<I", len(children)) + bytes(4 * len(children))
        for i, child in enumerate(children):
            writer.point(begin + 4 + 4 * i, child)
        return begin

    return write


def _name(text: str) -> _Child:
    def write(writer: _Writer) -> int:
        writer.align(4)
        begin = len(writer.data)
        writer.data += struct.pack("<I", len(text)) + text.encode() + b"\0"
        return begin

    return write


# Numbers of TensorFlow Lite's schema.
_AVERAGE_POOL_2D, _CONV_2D, _LOGISTIC = 1, 3, 14
_CONV_2D_OPTIONS, _POOL_2D_OPTIONS = 1, 5
_RELU6 = 3


def self_check_model(side: int = 16, channels: Sequence[int] = (5, 7)) -> bytes:
    """CONV_2D 3x3 with RELU6 from each number of channels to the next, AVERAGE_POOL_2D 2x2,
    LOGISTIC on [1, side, side, channels[0]] floats."""
    rng = random.Random(1)
    buffers: List[_Child] = [_table({})]
    tensors: List[_Child] = []
    operators: List[_Child] = []
    stride = {1: ("i", 1), 2: ("i", 1)}

    def tensor(shape: List[int], values: Optional[List[float]] = None) -> int:
        if values:
            buffers.append(_table({0: ("ref", _numbers(
                "B", list(struct.pack(f"<{len(values)}f", *values)), align=16))}))
        tensors.append(_table({0: ("ref", _numbers("i", shape)),
                               2: ("I", len(buffers) - 1 if values else 0),
                               3: ("ref", _name(f"t{len(tensors)}"))}))
        return len(tensors) - 1

    def operator(code: int, inputs: List[int], output: int, **options: Any) -> None:
        fields = {0: ("I", code), 1: ("ref", _numbers("i", inputs)),
                  2: ("ref", _numbers("i", [output]))}
        if options:
            fields[3], fields[4] = ("B", options["kind"]), ("ref", options["table"])
        operators.append(_table(fields))

    last = tensor([1, side, side, channels[0]])
    for i, o in zip(channels, channels[1:]):
        most = 1.5 / math.sqrt(i)
        inputs = [last, tensor([o, 3, 3, i], [rng.uniform(-most, most) / 3 for _ in range(9 * o * i)]),
                  tensor([o], [rng.uniform(-1.0, 1.0) for _ in range(o)])]
        last = tensor([1, side, side, o])
        operator(0, inputs, last, kind=_CONV_2D_OPTIONS,
                 table=_table({**stride, 3: ("b", _RELU6), 4: ("i", 1), 5: ("i", 1)}))
    for code in (1, 2):
        inputs, last = [last], tensor([1, side // 2, side // 2, channels[-1]])
        pool = {"kind": _POOL_2D_OPTIONS,
                "table": _table({1: ("i", 2), 2: ("i", 2), 3: ("i", 2), 4: ("i", 2)})}
        operator(code, inputs, last, **(pool if code == 1 else {}))
    codes = [_table({0: ("b", code), 2: ("i", 1), 3: ("i", code)})
             for code in (_CONV_2D, _AVERAGE_POOL_2D, _LOGISTIC)]
    graph = _table({0: ("ref", _tables(tensors)), 1: ("ref", _numbers("i", [0])),
                    2: ("ref", _numbers("i", [last])), 3: ("ref", _tables(operators))})
    model = _table({0: ("I", 3), 1: ("ref", _tables(codes)), 2: ("ref", _tables([graph])),
                    4: ("ref", _tables(buffers))})
    writer = _Writer()
    writer.data += bytes(4) + b"TFL3"
    writer.point(0, model)
    return bytes(writer.data)
