"""Requests that would cost too much, or fail for their values: each is refused by itself, at once,
and the server goes on."""

import concurrent.futures
import http.client
import json
import socket

import grpc
import numpy as np
import pytest
from tritonclient.grpc import service_pb2 as pb
from tritonclient.grpc import service_pb2_grpc as pb_grpc

import serving_process as sp

BINARY = {"Content-Type": "application/octet-stream"}


@pytest.fixture(scope="module", name="server")
def made_server(tmp_path_factory):
    """Models: table and batched, rows of four floats by an index (row k holds k, k + 0.25, k + 0.5,
    k + 0.75), that fail for an index past the end; number, whose input and
    output have no dimension, and that gives NaN for 39; small."""
    repository = tmp_path_factory.mktemp("hostile") / "repository"
    table = (sp.HERE / "table.tflite").read_bytes()
    sp.write_model(repository, "table", table, config={"delegate": None})
    sp.write_model(repository, "batched", table, config={
        "delegate": None, "batching": {"sizes": [1, 4], "max_delay_ms": 200}})
    sp.write_model(repository, "number", (sp.HERE / "number.tflite").read_bytes(),
                   config={"delegate": None})
    sp.write_model(repository, "small", config={"delegate": None})
    made = sp.Server(repository, "--probe_seconds=0", control=False)
    yield made
    assert made.stop() == 0, made.log()


def ask_index(server, model, index):
    return server.post(f"/v2/models/{model}/infer", {"inputs": [
        {"name": "t0", "shape": [1, 1], "datatype": "INT32", "data": [index]}]})


def row(answer):
    status, body, _ = answer
    assert status == 200, body
    return json.loads(body)["outputs"][0]["data"][0]


def processor_seconds(server):
    with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


@pytest.mark.parametrize("model", ["table", "batched"])
def test_values_that_the_model_fails_for_are_the_clients_error(server, model):
    assert row(ask_index(server, model, 3)) == 3
    for _ in range(3):
        status, body, _ = ask_index(server, model, 100000)
        assert status == 400 and "cannot compute these values" in json.loads(body)["error"]
        assert server.get("/v2/health/ready")[0] == 200
        assert server.get(f"/v2/models/{model}/ready")[0] == 200
        assert row(ask_index(server, model, 4)) == 4


def test_a_bad_row_is_answered_alone(server):
    indices = [1, 2, 100000, 3] * 4
    with concurrent.futures.ThreadPoolExecutor(len(indices)) as pool:
        answers = list(pool.map(lambda i: ask_index(server, "batched", i), indices))
    for index, answer in zip(indices, answers):
        if index == 100000:
            assert answer[0] == 400, answer
        else:
            assert row(answer) == index


@pytest.mark.parametrize("value, text", [
    (1.0, "not of INT32"), (2**31, "outside of INT32"), (-2**31 - 1, "outside of INT32"),
    (2**64, "not of INT32"), (True, "not of INT32"), ("1", "not of INT32"), (None, "not of INT32"),
    ({}, "not of INT32"), ([1, 2], "2 values"), (1e400, "JSON")])
def test_values_of_another_type(server, value, text):
    for model in ("table", "number"):
        shape = [1, 1] if model == "table" else []
        status, body, _ = server.post(f"/v2/models/{model}/infer", {"inputs": [
            {"name": "t0", "shape": shape, "datatype": "INT32", "data": [value]}]})
        assert status == 400 and text in json.loads(body)["error"], body


def test_a_single_number(server):
    for body in ({"data": [9]}, {"parameters": {"binary_data_size": 4}}):
        head = json.dumps({"inputs": [{"name": "t0", "shape": [], "datatype": "INT32", **body}]})
        status, answer, _ = server.ask(
            "/v2/models/number/infer", head.encode() + (b"" if "data" in body else b"\x09\0\0\0"),
            {**BINARY, "Inference-Header-Content-Length": str(len(head))})
        assert status == 200, answer
        output = json.loads(answer)["outputs"][0]
        assert (output["shape"], output["data"]) == ([], [2.25])


@pytest.mark.parametrize("changes", [
    {"name": ["t0"]}, {"name": {}}, {"name": 5}, {"name": "\ud800"}, {"datatype": ["FP32"]},
    {"shape": [1.0, 16, 16, 5]}, {"shape": [True, 16, 16, 5]}, {"shape": ["1", 16, 16, 5]},
    {"shape": [2**70]}, {"shape": {}}, {"parameters": 5},
    {"parameters": {"binary_data_size": True}}, {"parameters": {"binary_data_size": 2**70}},
    {"parameters": {"binary_data_size": [5120]}}], ids=str)
def test_fields_of_another_type(server, changes):
    status, body, _ = server.ask(*binary_request(5120, **{"datatype": "FP32", **changes}))
    assert status == 400 and json.loads(body)["error"], body
    request = sp.json_request(sp.values())
    request["inputs"][0].update(changes)
    status, body, _ = server.post("/v2/models/small/infer", request)
    assert status == 400 and json.loads(body)["error"], body


@pytest.mark.parametrize("more", [
    {"id": 5}, {"id": ["x"]}, {"id": "\ud800"}, {"parameters": 5}, {"parameters": ["x"]},
    {"parameters": {"a": None}}, {"outputs": 5}, {"outputs": ["t5"]}, {"outputs": [{"name": []}]},
    {"outputs": [{"name": "t5", "parameters": 5}]}, {"inputs": 5}, {"inputs": [5]},
    {"inputs": {}}], ids=str)
def test_requests_of_another_form(server, more):
    head = json.dumps({"inputs": [{"name": "t0", "shape": sp.SHAPE, "datatype": "FP32",
                                   "parameters": {"binary_data_size": 5120}}], **more}).encode()
    for ask in (server.post("/v2/models/small/infer", sp.json_request(sp.values()) | more),
                server.ask("/v2/models/small/infer", head + bytes(5120), {
                    **BINARY, "Inference-Header-Content-Length": str(len(head))})):
        assert ask[0] == 400 and json.loads(ask[1])["error"], ask


def test_nan_through_json(server):
    """JSON has no such value: it is refused, and goes as null."""
    status, body, _ = server.post("/v2/models/small/infer", sp.json_request(sp.values() * np.nan))
    assert status == 400 and "JSON" in json.loads(body)["error"]
    status, body, _ = server.post("/v2/models/number/infer", {"inputs": [
        {"name": "t0", "shape": [], "datatype": "INT32", "data": [39]}]})
    assert status == 200 and json.loads(body)["outputs"][0]["data"] == [None], body


def test_an_output_twice(server):
    request = dict(sp.json_request(sp.values()), outputs=[{"name": "t5"}] * 5000)
    before = processor_seconds(server)
    status, body, _ = server.post("/v2/models/small/infer", request)
    assert status == 400 and "an output stands twice" in json.loads(body)["error"]
    assert processor_seconds(server) - before < 1


def binary_request(size, model="small", **changes):
    item = {"name": "t0", "shape": sp.SHAPE, "datatype": "BYTES",
            "parameters": {"binary_data_size": size}, **changes}
    head = json.dumps({"inputs": [item]}).encode()
    return (f"/v2/models/{model}/infer", head + bytes(size),
            {**BINARY, "Inference-Header-Content-Length": str(len(head))})


def test_zeros_as_bytes(server):
    before = processor_seconds(server)
    status, body, _ = server.ask(*binary_request(1 << 20))
    assert status == 400 and "is of BYTES, the model takes FP32" in json.loads(body)["error"]
    assert processor_seconds(server) - before < 1


def test_a_body_of_many_times_what_the_model_takes(server):
    before = processor_seconds(server)
    # Refused by its length, before a byte of it is sent.
    connection = http.client.HTTPConnection("127.0.0.1", server.http, timeout=60)
    connection.putrequest("POST", "/v2/models/small/infer")
    connection.putheader("Content-Length", str(16 << 20))
    connection.endheaders()
    answer = connection.getresponse()
    assert answer.status == 413 and "takes no such request" in json.loads(answer.read())["error"]
    connection.close()
    with grpc.insecure_channel(f"127.0.0.1:{server.grpc}") as channel:
        with pytest.raises(grpc.RpcError) as error:
            pb_grpc.GRPCInferenceServiceStub(channel).ModelInfer(pb.ModelInferRequest(
                model_name="small", inputs=[pb.ModelInferRequest.InferInputTensor(
                    name="t0", datatype="BYTES", shape=sp.SHAPE)],
                raw_input_contents=[bytes(16 << 20)]))
    assert error.value.code().name == "RESOURCE_EXHAUSTED"
    assert processor_seconds(server) - before < 2


def status_of(server, parts):
    """The status of the answer to a request in so many parts; 0 where it ended without one."""
    with socket.create_connection(("127.0.0.1", server.http), timeout=60) as connection:
        try:
            for part in parts:
                connection.sendall(part)
        except OSError:  # it was refused before all of it was sent
            pass
        try:
            return int(connection.recv(1 << 16).split()[1])
        except ConnectionResetError:
            return 0


LINE, HOST = b"GET /v2/health/live HTTP/1.1\r\n", b"Host: m\r\n"
CHUNKED = b"POST /v2/models/small/infer HTTP/1.1\r\nHost: m\r\nTransfer-Encoding: chunked\r\n\r\n"
MUCH = [b"x" * 70000]
ENDLESS = MUCH * 500


@pytest.mark.parametrize("status, parts", [
    (200, [LINE, HOST, b"x: ", b"x" * 60000, b"\r\n\r\n"]),
    (431, [LINE, HOST, b"x: ", *MUCH, b"\r\n\r\n"]),
    (431, [b"".join([LINE, HOST, b"x: ", *MUCH, b"\r\n\r\n"])]),
    (431, [LINE, HOST, b"x:\r\n" * 20000, b"\r\n"]),
    (404, [b"GET /", b"x" * 60000, b" HTTP/1.1\r\n", HOST, b"\r\n"]),
    (414, [b"GET /", *MUCH, b" HTTP/1.1\r\n", HOST, b"\r\n"]),
    (400, [b"no HTTP\r\n\r\n"]),
    (431, [b"\r\n" * 40000]),
])
def test_the_size_of_a_head(server, status, parts):
    assert status_of(server, parts) == status


@pytest.mark.parametrize("parts", [
    [b"GET /", *ENDLESS],
    [LINE, b"x: ", *ENDLESS],
    [LINE, *([b"x: y\r\n" * 10000] * 500)],
    [LINE, *ENDLESS],
    [CHUNKED, b"0\r\nx: ", *ENDLESS],
    [CHUNKED, b"0\r\n", *([b"x: y\r\n" * 10000] * 500)],
    [CHUNKED, b"1;", *ENDLESS],
], ids=["path", "value", "headers", "name", "trailer", "trailers", "extension"])
def test_a_head_without_an_end(server, parts):
    before = processor_seconds(server)
    assert status_of(server, parts) in (0, 400, 413, 414, 431)
    assert server.get("/v2/health/live")[0] == 200
    assert processor_seconds(server) - before < 0.5


@pytest.mark.parametrize("shape", [[2147483647] * 50000, [1] * 9])
def test_a_shape_of_many_dimensions(server, shape):
    before = processor_seconds(server)
    status, body, _ = server.ask(*binary_request(4, shape=shape, datatype="FP32"))
    assert status == 400 and "more than 8 dimensions" in json.loads(body)["error"]
    assert len(body) < 1000
    assert processor_seconds(server) - before < 1


def test_only_the_loopback_address_listens(server):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; finds this machine's own address
        except OSError:
            pytest.skip("this machine has no address but the loopback's")
        address = probe.getsockname()[0]
    assert not address.startswith("127.")
    for port in (server.http, server.grpc):
        with pytest.raises(OSError):
            socket.create_connection((address, port), timeout=10).close()


def test_models_are_not_the_clients_to_load(server):
    for verb in ("load", "unload"):
        status, body, _ = server.post(f"/v2/repository/models/small/{verb}", {})
        assert status == 403 and "--allow_model_control" in json.loads(body)["error"]
    with grpc.insecure_channel(f"127.0.0.1:{server.grpc}") as channel:
        stub = pb_grpc.GRPCInferenceServiceStub(channel)
        for call, made in ((stub.RepositoryModelLoad, pb.RepositoryModelLoadRequest),
                           (stub.RepositoryModelUnload, pb.RepositoryModelUnloadRequest)):
            with pytest.raises(grpc.RpcError) as error:
                call(made(model_name="small"))
            assert error.value.code().name == "PERMISSION_DENIED"
    sp.assert_close(server.infer("small", sp.values()), sp.on_cpu(sp.values()))
