"""tensors.py: which values of JSON and bytes fit an input's type."""

import types

import numpy as np
import pytest

from gles_serving import tensors

INTEGERS = ["INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"]


def read(datatype, data):
    spec = tensors.Spec("a", 0, tensors.DATATYPES[datatype], (len(data),))
    item = types.SimpleNamespace(name="a", shape=[len(data)], datatype=datatype, data=data)
    return tensors.read([item], [spec], 0, [])[1]["a"]


@pytest.mark.parametrize("datatype", INTEGERS)
def test_the_range_of_integers(datatype):
    limits = np.iinfo(tensors.DATATYPES[datatype])
    both = read(datatype, [limits.min, limits.max])
    assert both.dtype == limits.dtype and both.tolist() == [limits.min, limits.max]
    for value in (limits.min - 1, limits.max + 1, 1.0, 0.5, True, "1", None):
        with pytest.raises(tensors.RequestError, match=datatype):
            read(datatype, [0, value])


@pytest.mark.parametrize("datatype, most, past", [
    ("FP16", 65504.0, 65520.0), ("FP32", 3.4028234663852886e38, 1e39), ("FP64", 1.7e308, None)])
def test_the_range_of_floats(datatype, most, past):
    assert read(datatype, [most, -most, 1]).tolist() == [most, -most, 1]
    assert np.isinf(read(datatype, [np.inf, -np.inf])).all()  # gRPC has them
    for value in (past, past and -past, 10**400, True, "1"):
        with pytest.raises(tensors.RequestError, match=datatype):
            read(datatype, [0.5, value])


def test_booleans():
    assert read("BOOL", [True, False]).tolist() == [True, False]
    assert read("BOOL", [1, 0]).tolist() == [True, False]
    for value in (2, -1, 1.0, "true", None):
        with pytest.raises(tensors.RequestError, match="BOOL"):
            read("BOOL", [value])
    item = types.SimpleNamespace(name="a", shape=[2], datatype="BOOL", data=None,
                                 as_numpy=lambda: np.frombuffer(b"\x01\x02", np.bool_))
    with pytest.raises(tensors.RequestError, match="byte of 0 or 1"):
        tensors.read([item], [tensors.Spec("a", 0, np.bool_, (2,))], 0, [])


def test_zeros_as_files():
    item = types.SimpleNamespace(name="a", shape=[1], datatype="BYTES", _raw_data=bytes(1 << 20))
    with pytest.raises(tensors.RequestError, match="more than 4096 elements of BYTES"):
        tensors.read([item], [tensors.Spec("a", 0, np.float32, (1, 8, 8, 3))], 0, ["a"])
