"""The cost of an input of some hundred KB beside the protocol's libraries: no copy
by the server, and no new memory for each request."""

import os
import platform
import subprocess
import sys

import grpc
import numpy as np
import pytest
from tritonclient.grpc import service_pb2 as pb
from tritonclient.grpc import service_pb2_grpc as pb_grpc

import serving_process as sp
import test_requests


def test_values_are_not_copied():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "no_copies.py")
    done = subprocess.run([sys.executable, "-B", program], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("model", ["small", "batched", "on_cpu"])
def test_values_at_every_alignment(server, model):
    array = sp.values(10)
    expected = sp.on_cpu(array)
    for more in range(4):  # the length of the JSON says where the values begin
        status, body, headers = server.ask(
            f"/v2/models/{model}/infer", *test_requests.binary_request(
                array, id="x" * more, parameters={"binary_data_output": True}))
        assert status == 200, body
        length = int(headers["inference-header-content-length"])
        sp.assert_close(np.frombuffer(body[length:], np.float32).reshape(expected.shape), expected)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="NO glibc")
def test_requests_use_the_same_memory(server):
    def pages():  # that the system has cleared for the server
        with open(f"/proc/{server.process.pid}/stat", encoding="utf-8") as file:
            return int(file.read().rsplit(")", 1)[1].split()[7])
    array = sp.values(11, 118)
    request = pb.ModelInferRequest(
        model_name="of_128_rows", raw_input_contents=[array.tobytes()],
        inputs=[pb.ModelInferRequest.InferInputTensor(name=sp.INPUT, datatype="FP32",
                                                      shape=array.shape)])
    with grpc.insecure_channel(f"localhost:{server.grpc}") as channel:
        stub = pb_grpc.GRPCInferenceServiceStub(channel)
        for number in range(60):
            if number == 20:
                before = pages()
            stub.ModelInfer(request, timeout=60)
    assert pages() - before < 40 * array.nbytes / 4096  # less than one copy for each request
