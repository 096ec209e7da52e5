"""A model whose quantized weights are the floats that they stand for.

TFLite's CPU rounds the activations of hybrid models (float activations, quantized weights) to 8
bits, which the GPU does not. With float weights, the CPU computes what the GPU should.
"""

import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.tools import flatbuffer_utils

HYBRID = {schema.BuiltinOperator.CONV_2D, schema.BuiltinOperator.DEPTHWISE_CONV_2D,
          schema.BuiltinOperator.TRANSPOSE_CONV, schema.BuiltinOperator.FULLY_CONNECTED,
          schema.BuiltinOperator.BATCH_MATMUL, schema.BuiltinOperator.EMBEDDING_LOOKUP,
          schema.BuiltinOperator.GATHER, schema.BuiltinOperator.UNIDIRECTIONAL_SEQUENCE_LSTM}


def integers(tensor, data):
    """The tensor's quantized values, or None for other types."""
    if tensor.type == schema.TensorType.INT8:
        values = np.frombuffer(data, np.int8)
    elif tensor.type == schema.TensorType.INT4:  # two per byte, the first in the low bits
        pairs = np.frombuffer(data, np.int8)
        values = np.stack([(pairs << 4).astype(np.int8) >> 4, pairs >> 4], axis=-1).ravel()
    else:
        return None
    return values[:int(np.prod(tensor.shape))].reshape(tensor.shape).astype(np.float32)


def scales_of(model, subgraph, tensor):
    """Scales that broadcast against the tensor's shape."""
    quantization = tensor.quantization
    blocks = quantization.details
    if isinstance(blocks, schema.BlockwiseQuantizationT):
        scales = subgraph.tensors[blocks.scales]
        data = bytes(model.buffers[scales.buffer].data)
        kind = np.float16 if scales.type == schema.TensorType.FLOAT16 else np.float32
        each = np.frombuffer(data, kind).astype(np.float32).reshape(scales.shape)
        return np.repeat(each, blocks.blockSize, axis=-1)
    scale = np.array(quantization.scale, np.float32)
    shape = [1] * len(tensor.shape)
    if scale.size > 1:
        shape[quantization.quantizedDimension] = scale.size
    return scale.reshape(shape)


def widen(model, subgraph, tensor):
    """Replaces a weight by its floats; False if it is not quantized."""
    data = model.buffers[tensor.buffer].data
    values = integers(tensor, bytes(data)) if data is not None and len(data) else None
    if values is None or tensor.quantization is None:
        return False
    buffer = schema.BufferT()
    buffer.data = np.frombuffer((values * scales_of(model, subgraph, tensor)).tobytes(), np.uint8)
    model.buffers.append(buffer)
    tensor.buffer = len(model.buffers) - 1
    tensor.type, tensor.quantization = schema.TensorType.FLOAT32, None
    return True


def with_float_weights(model_bytes):
    """The model's bytes with float weights, or None if it has no hybrid op."""
    changed = False
    model = flatbuffer_utils.read_model_from_bytearray(model_bytes)
    codes = [flatbuffer_utils.get_builtin_code_from_operator_code(c) for c in model.operatorCodes]
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            tensors = [subgraph.tensors[i] for i in operator.inputs if i >= 0]
            outputs = [subgraph.tensors[i] for i in operator.outputs]
            if (codes[operator.opcodeIndex] in HYBRID
                    and outputs[0].type == schema.TensorType.FLOAT32):
                for tensor in tensors:
                    changed |= widen(model, subgraph, tensor)
    return bytes(flatbuffer_utils.convert_object_to_bytearray(model)) if changed else None
