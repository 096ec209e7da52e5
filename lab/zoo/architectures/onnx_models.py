"""Graphs of ONNX, in its layout NCHW, as onnx2tf converts them.

Images have four channels: for three, onnx2tf fetches photographs from elsewhere than PyPI.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from registry import architecture

MODES = ("float32", "float16", "dynamic_int8")


def module(name, task):
    return architecture(name, task, MODES, "onnx")


class Graph:
    """Nodes one after another, with random weights."""

    def __init__(self, *shape):
        self.rng = np.random.default_rng(1)
        self.nodes, self.constants = [], []
        self.inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]

    def constant(self, values):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def weights(self, *shape):
        fan_in = np.prod(shape[1:]) or 1
        return self.constant((self.rng.normal(size=shape) / np.sqrt(fan_in)).astype(np.float32))

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def op(self, kind, *inputs, outputs=1, **attributes):
        names = [f"{kind}{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=names[0], **attributes))
        return names[0] if outputs == 1 else names

    def conv(self, x, inputs, filters, size=3, stride=1, activation="Relu", group=1):
        pad = size // 2
        x = self.op("Conv", x, self.weights(filters, inputs // group, size, size),
                    self.weights(filters), pads=[pad] * 4, strides=[stride] * 2, group=group)
        if activation == "Silu":
            return self.op("Mul", x, self.op("Sigmoid", x))
        return self.op(activation, x) if activation else x

    def norm(self, x, channels):
        one, zero = np.ones(channels, np.float32), np.zeros(channels, np.float32)
        return self.op("BatchNormalization", x, *(self.constant(c) for c in (one, zero, zero, one)))

    def model(self, *outputs):
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "graph", self.inputs, values, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@module("onnx_resnet", "classification")
def resnet():
    g = Graph(1, 4, 64, 64)
    x = g.op("MaxPool", g.conv("x", 4, 16, 7, 2), kernel_shape=[3, 3], strides=[2, 2],
             pads=[1, 1, 1, 1])
    for _ in range(2):
        y = g.norm(g.conv(g.norm(g.conv(x, 16, 16, activation=None), 16), 16, 16,
                          activation=None), 16)
        x = g.op("Relu", g.op("Add", x, y))
    x = g.op("Flatten", g.op("GlobalAveragePool", x))
    return g.model(g.op("Softmax", g.op("Gemm", x, g.weights(10, 16), g.weights(10), transB=1)))


@module("onnx_yolo", "detection")
def yolo():
    """Splits, a pyramid with a nearest resize, and boxes that are decoded in the graph."""
    g = Graph(1, 4, 64, 64)
    c3 = g.conv(g.conv("x", 4, 16, 3, 2, "Silu"), 16, 24, 3, 2, "Silu")
    a, b = g.op("Split", c3, g.ints(12, 12), outputs=2, axis=1)
    c3 = g.op("Concat", a, g.conv(b, 12, 12, activation="Silu"), axis=1)
    c4 = g.conv(c3, 24, 32, 3, 2, "Silu")
    up = g.op("Resize", c4, "", g.constant(np.array([1, 1, 2, 2], np.float32)), mode="nearest",
              coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    heads = []
    for x, channels, cells in ((g.op("Concat", c3, up, axis=1), 56, 256), (c4, 32, 64)):
        y = g.conv(x, channels, 9, 1, activation=None)
        heads.append(g.op("Reshape", y, g.ints(1, 9, cells)))
    boxes, scores = g.op("Split", g.op("Concat", *heads, axis=2), g.ints(4, 5), outputs=2, axis=1)
    return g.model(g.op("Transpose", g.op("Concat", g.op("Exp", boxes), g.op("Sigmoid", scores),
                                          axis=1), perm=[0, 2, 1]))


@module("onnx_encoder", "transformer")
def encoder():
    g, x = Graph(1, 16, 32), "x"

    def layer_norm(x):
        ones, zeros = np.ones(32, np.float32), np.zeros(32, np.float32)
        return g.op("LayerNormalization", x, g.constant(ones), g.constant(zeros), axis=-1)

    def heads(x, perm):
        x = g.op("MatMul", x, g.weights(32, 32))
        return g.op("Transpose", g.op("Reshape", x, g.ints(1, 16, 4, 8)), perm=perm)
    y = layer_norm(x)
    scores = g.op("MatMul", heads(y, [0, 2, 1, 3]), heads(y, [0, 2, 3, 1]))
    scores = g.op("Softmax", g.op("Mul", scores, g.constant(np.float32(8 ** -0.5))), axis=-1)
    y = g.op("Transpose", g.op("MatMul", scores, heads(y, [0, 2, 1, 3])), perm=[0, 2, 1, 3])
    x = g.op("Add", x, g.op("MatMul", g.op("Reshape", y, g.ints(1, 16, 32)), g.weights(32, 32)))
    y = g.op("MatMul", layer_norm(x), g.weights(32, 64))
    half = g.constant(np.float32(0.5))
    erf = g.op("Erf", g.op("Mul", y, g.constant(np.float32(2 ** -0.5))))
    y = g.op("Mul", g.op("Mul", y, g.op("Add", erf, g.constant(np.float32(1)))), half)
    return g.model(g.op("Add", x, g.op("MatMul", y, g.weights(64, 32))))
