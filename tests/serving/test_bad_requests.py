"""Bad requests: the protocol's status and a text that says what to change; the server lives."""

import http.client
import json

import grpc
import numpy as np
import pytest
from tritonclient.grpc import service_pb2 as pb
from tritonclient.grpc import service_pb2_grpc as pb_grpc

import serving_process as sp
from conftest import LIMIT


def request(**changes):
    made = sp.json_request(sp.values())
    made["inputs"][0].update(changes)
    return made


def without(key):
    made = request()
    del made["inputs"][0][key]
    return made


RAGGED = [[1.0, 2.0], [3.0]]
BAD = {
    "no JSON": (b"{", "JSON"),
    "no inputs": ({}, "inputs"),
    "an empty list": ({"inputs": []}, "the request lacks 't0'"),
    "another name": (request(name="x"), "the model has no input 'x'; it has 't0'"),
    "no name": (without("name"), "name"),
    "no data": (without("data"), "data"),
    "another type": (request(datatype="INT32"), "is of INT32, the model takes FP32"),
    "no type": (request(datatype="FLOAT"), "is of FLOAT"),
    "another shape": (request(shape=[1, 16, 16, 4]),
                      "shape [1, 16, 16, 4], the model takes [1, 16, 16, 5]"),
    "another rank": (request(shape=[16, 16, 5]), "shape [16, 16, 5]"),
    "a negative shape": (request(shape=[-1, 16, 16, 5]), "is no shape"),
    "too many rows": (request(shape=[2, 16, 16, 5]), "shape [2, 16, 16, 5]"),
    "too few values": (request(data=[1.0, 2.0]), "2 values, where the shape"),
    "no values": (request(data=[]), "1280 values"),
    "ragged values": (request(data=RAGGED), "ragged"),
    "texts": (request(data=["a"] * 1280), "the data is not of FP32"),
    "an object": (request(data={}), "data"),
    "twice": ({"inputs": request()["inputs"] * 2}, "stands twice"),
    "an unknown output": (dict(request(), outputs=[{"name": "y"}]), "no output 'y'; it has 't5'"),
}


@pytest.mark.parametrize("kind", BAD)
def test_json(server, kind):
    value, text = BAD[kind]
    status, body, _ = server.post("/v2/models/small/infer", value)
    assert status == 400, body
    assert text in json.loads(body)["error"]


def binary(size=5120, sent=5120, length=None, **changes):
    item = {"name": sp.INPUT, "shape": sp.SHAPE, "datatype": "FP32",
            "parameters": {"binary_data_size": size}, **changes}
    head = json.dumps({"inputs": [item]}).encode()
    return head + bytes(sent), str(len(head) if length is None else length)


@pytest.mark.parametrize("made, text", [
    (binary(sent=5000), "5000 bytes are left"),
    (binary(sent=6000), "880 bytes are left over"),
    (binary(size=5121, sent=5121), "does not hold 1280 values of FP32"),
    (binary(size=5116, sent=5116), "does not hold 1280 values"),
    (binary(size=-1), "binary_data_size -1"),
    (binary(size="x"), "binary_data_size 'x'"),
    (binary(length=10**9), "where the body has"),
    (binary(length=-5), "where the body has"),
    (binary(length="x"), "ValueError"),
    (binary(length=7), "JSON"),
    (binary(datatype="FP31"), "is of FP31, the model takes FP32"),
    (binary(shape="x"), "shape"),
    (binary(shape=None), "inputs.0.shape: Input should be a valid list"),
    (binary(data=[1]), "either data or binary_data_size"),
    ((b"[]", "2"), "should be a valid dictionary"),
])
def test_torn_binary(server, made, text):
    body, length = made
    status, answer, _ = server.ask("/v2/models/small/infer", body, {
        "Content-Type": "application/octet-stream", "Inference-Header-Content-Length": length})
    assert status == 400, answer
    assert text in json.loads(answer)["error"]


@pytest.mark.parametrize("model, status, text", [
    ("nobody", 404, "nobody"), ("torn", 503, "model.tflite"), ("no_device", 503, "no such renderer")])
def test_a_binary_request_to_a_model_that_is_not_served(server, model, status, text):
    body, length = binary()
    found, answer, _ = server.ask(f"/v2/models/{model}/infer", body, {
        "Content-Type": "application/octet-stream", "Inference-Header-Content-Length": length})
    assert found == status and text in json.loads(answer)["error"], answer


def test_a_length_where_the_body_is_json(server):
    """Inference-Header-Content-Length over JSON alone is FastAPI's request, as without it."""
    status, answer, _ = server.ask(
        "/v2/models/small/infer", json.dumps(sp.json_request(sp.values())).encode(),
        {"Content-Type": "application/json", "Inference-Header-Content-Length": "1"})
    assert status == 200, answer


def test_rows_beyond_the_largest_batch(server):
    status, body, _ = server.post("/v2/models/batched/infer", sp.json_request(sp.values(0, 5)))
    assert status == 400 and "has 5 rows, the model takes 1 to 4" in json.loads(body)["error"]


def test_other_paths(server):
    for path, value, expected in (
            ("/v2/models/nobody/infer", request(), 404),
            ("/v2/models/nobody", None, 404),
            ("/v2/models/small/versions/1/infer", request(), 501),
            ("/v2/models/torn/infer", request(), 503),
            ("/v2/repository/models/torn/load", {}, 503),
            ("/v2/repository/models/nobody/load", {}, 404),
            ("/v2/repository/models/nobody/unload", {}, 404),
            ("/v1/models/small:predict", {"instances": []}, 400),
            ("/nowhere", None, 404)):
        ask = server.get(path) if value is None else server.post(path, value)
        assert ask[0] == expected, (path, ask)
        assert json.loads(ask[1])["error"]


def test_a_bad_model_says_why_and_leaves_the_others(server):
    for name, text in (("torn", "model.tflite"), ("no_device", "no such renderer")):
        status, body, _ = server.post(f"/v2/models/{name}/infer", request())
        assert status == 503 and text in json.loads(body)["error"]
    sp.assert_close(server.infer("small", sp.values()), sp.on_cpu(sp.values()))


def test_a_large_body(server):
    # Refused by its length, before a byte of it is sent.
    connection = http.client.HTTPConnection("localhost", server.http, timeout=60)
    connection.putrequest("POST", "/v2/models/small/infer")
    connection.putheader("Content-Length", str(LIMIT + 1))
    connection.endheaders()
    answer = connection.getresponse()
    assert answer.status == 413 and "max_request_bytes" in json.loads(answer.read())["error"]
    connection.close()

    def chunks():
        for _ in range(LIMIT // 65536 + 1):
            yield b"x" * 65536
    status, body, _ = server.ask("/v2/models/small/infer", chunks(),
                                 {"Content-Type": "application/json"})
    assert status == 413 and "max_request_bytes" in json.loads(body)["error"]


def raw(contents=(bytes(5120),), model="small", **changes):
    item = {"name": sp.INPUT, "datatype": "FP32", "shape": sp.SHAPE, **changes}
    return pb.ModelInferRequest(
        model_name=model, inputs=[pb.ModelInferRequest.InferInputTensor(**item)],
        raw_input_contents=contents)


@pytest.mark.parametrize("made, code, text", [
    (raw(contents=(bytes(5119),)), "INVALID_ARGUMENT", "does not hold 1280 values"),
    (raw(contents=(bytes(5120), b"")), "INVALID_ARGUMENT", "raw input contents"),
    (raw(name="x"), "INVALID_ARGUMENT", "no input 'x'"),
    (raw(datatype="INT8"), "INVALID_ARGUMENT", "INT8"),
    (raw(datatype="FP31"), "INVALID_ARGUMENT", "invalid"),
    (raw(shape=[1]), "INVALID_ARGUMENT", "shape [1]"),
    (raw(model="nobody"), "NOT_FOUND", "nobody"),
    (raw(model="torn"), "UNAVAILABLE", "torn"),
    (raw(contents=(bytes(LIMIT + 1),)), "RESOURCE_EXHAUSTED", "larger than max"),
])
def test_grpc(server, made, code, text):
    with grpc.insecure_channel(f"localhost:{server.grpc}") as channel:
        with pytest.raises(grpc.RpcError) as error:
            pb_grpc.GRPCInferenceServiceStub(channel).ModelInfer(made)
    assert error.value.code().name == code
    assert text in error.value.details()


def test_good_requests_still_work(server):
    array = sp.values(9)
    np.testing.assert_allclose(server.infer("small", array), sp.on_cpu(array), atol=1e-5)
