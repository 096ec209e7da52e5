"""ONNX's own tests of its backends' nodes, which PyPI's onnx has with it.

Behind the first input, integers, scalars and vectors are constants: shapes, axes, indices,
scales. If that does not convert, all inputs but the first are: weights.
"""

import pathlib

import onnx
from onnx import numpy_helper

from registry import architecture

FOLDER = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "node"
FLOATS = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.DOUBLE)


def loaded(folder, weights):
    """The model of a test; `weights`: all inputs but the first are constants."""
    model = onnx.load(folder / "model.onnx")
    inputs = list(model.graph.input)
    for at, value in enumerate(inputs):
        kind = value.type.tensor_type
        data = folder / "test_data_set_0" / f"input_{at}.pb"
        matrix = kind.elem_type in FLOATS and len(kind.shape.dim) > 1
        if not at or (matrix and not weights) or not data.exists():
            continue
        tensor = onnx.load_tensor(data)
        model.graph.initializer.append(
            numpy_helper.from_array(numpy_helper.to_array(tensor), value.name))
        model.graph.input.remove(value)
    return model


for path in sorted(FOLDER.iterdir()):
    architecture(path.name, "ONNX nodes", ("float32",), "onnx")(
        lambda path=path: [loaded(path, False), loaded(path, True)])
