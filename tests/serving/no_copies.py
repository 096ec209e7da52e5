"""A program: the values of a request are read where the server has received them, not copied.

Run by test_large_inputs.py, as kserve's messages and tritonclient's have the same names, which one
process cannot have twice.
"""

import json

import numpy as np
from gles_serving import server, tensors
from kserve import InferRequest
from kserve.protocol.grpc import grpc_predict_v2_pb2 as pb

VALUES = np.random.default_rng(8).uniform(-1, 1, [1, 16, 16, 5]).astype(np.float32)
SPEC = tensors.Spec("t0", 0, np.float32, VALUES.shape)


def check(request, received):
    """The values of `request` are those of the bytes `received`."""
    read = tensors.read(request.inputs, [SPEC], 0, [])[1]["t0"]
    assert np.shares_memory(read, np.frombuffer(received, np.uint8)), "the values were copied"
    assert np.array_equal(read, VALUES)


def check_rest():
    """The protocol's binary extension; the JSON's length says how the values are aligned."""
    head = json.dumps({"inputs": [{
        "name": "t0", "shape": VALUES.shape, "datatype": "FP32",
        "parameters": {"binary_data_size": VALUES.nbytes}}]}).encode()
    for more in range(4):
        body = head + b" " * more + VALUES.tobytes()
        check(server.Plane(None).decode_inference_request(
            body, {"inference-header-content-length": str(len(head) + more)}, "m"), body)


def check_grpc():
    """The protocol's raw contents."""
    request = InferRequest.from_grpc(pb.ModelInferRequest(
        model_name="m", raw_input_contents=[VALUES.tobytes()],
        inputs=[pb.ModelInferRequest.InferInputTensor(name="t0", datatype="FP32",
                                                      shape=VALUES.shape)]))
    check(request, request.inputs[0]._raw_data)  # pylint: disable=protected-access


check_rest()
check_grpc()
