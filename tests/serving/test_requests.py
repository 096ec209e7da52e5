"""Good requests, by every client and every form of the protocol, against the CPU's answers."""

import concurrent.futures
import json
import shutil
import subprocess

import grpc
import numpy as np
import pytest
import tritonclient.grpc as triton_grpc
import tritonclient.http as triton_http
from tritonclient.grpc import service_pb2 as pb
from tritonclient.grpc import service_pb2_grpc as pb_grpc

import serving_process as sp


@pytest.fixture(params=["http", "grpc"])
def client(request, server):
    module = triton_http if request.param == "http" else triton_grpc
    port = server.http if request.param == "http" else server.grpc
    with module.InferenceServerClient(f"localhost:{port}") as made:
        made.module = module
        yield made


def infer(client, model, array, **more):
    request = client.module.InferInput(sp.INPUT, list(array.shape), "FP32")
    request.set_data_from_numpy(array)
    return client.infer(model, [request], **more)


def test_health_and_metadata(client):
    assert client.is_server_live() and client.is_server_ready()
    assert client.is_model_ready("small")
    assert not client.is_model_ready("torn")
    http = client.module is triton_http
    metadata = client.get_model_metadata("batched", **({} if http else {"as_json": True}))
    assert [int(d) for d in metadata["inputs"][0]["shape"]] == [-1, *sp.SHAPE[1:]]
    assert metadata["inputs"][0]["datatype"] == "FP32"
    assert metadata["outputs"][0]["name"] == sp.OUTPUT
    if http:
        assert metadata["versions"] == ["1"]
        assert client.get_server_metadata()["name"] == "gles-serving"


@pytest.mark.parametrize("model", ["small", "batched", "on_cpu"])
def test_tritonclient(client, model):
    array = sp.values(1)
    answer = infer(client, model, array, request_id="seven")
    sp.assert_close(answer.as_numpy(sp.OUTPUT), sp.on_cpu(array))
    response = answer.get_response()
    assert (response["id"] if isinstance(response, dict) else response.id) == "seven"


def test_json_from_tritonclient(server):
    array = sp.values(2)
    with triton_http.InferenceServerClient(f"localhost:{server.http}") as client:
        request = triton_http.InferInput(sp.INPUT, sp.SHAPE, "FP32")
        request.set_data_from_numpy(array, binary_data=False)
        for binary in (False, True):
            output = triton_http.InferRequestedOutput(sp.OUTPUT, binary_data=binary)
            answer = client.infer("small", [request], outputs=[output])
            sp.assert_close(answer.as_numpy(sp.OUTPUT), sp.on_cpu(array))


def test_typed_contents_over_grpc(server):
    array = sp.values(3)
    with grpc.insecure_channel(f"localhost:{server.grpc}") as channel:
        answer = pb_grpc.GRPCInferenceServiceStub(channel).ModelInfer(pb.ModelInferRequest(
            model_name="small", inputs=[pb.ModelInferRequest.InferInputTensor(
                name=sp.INPUT, datatype="FP32", shape=sp.SHAPE,
                contents=pb.InferTensorContents(fp32_contents=array.reshape(-1).tolist()))]))
    assert not answer.raw_output_contents
    sp.assert_close(np.array(answer.outputs[0].contents.fp32_contents, np.float32).reshape(
        list(answer.outputs[0].shape)), sp.on_cpu(array))


@pytest.mark.parametrize("content_type", ["application/json", None])
def test_curl(server, tmp_path, content_type):
    curl = shutil.which("curl")
    if not curl:
        pytest.skip("NO curl on this machine")
    array = sp.values(4)
    body = tmp_path / "request.json"
    nested = sp.json_request(array)
    nested["inputs"][0]["data"] = array.tolist()  # nested lists are as good as flat ones
    body.write_text(json.dumps(nested))
    header = ["-H", f"Content-Type: {content_type}"] if content_type else []
    done = subprocess.run(
        [curl, "-sS", "--fail-with-body", *header, "--data-binary", f"@{body}",
         f"http://localhost:{server.http}/v2/models/small/infer"],
        capture_output=True, check=False)
    assert done.returncode == 0, done
    output = json.loads(done.stdout)["outputs"][0]
    sp.assert_close(np.array(output["data"], np.float32).reshape(output["shape"]),
                    sp.on_cpu(array))


def binary_request(array, **more):
    """(body, headers) of the protocol's binary extension; the outputs are JSON unless more says."""
    head = json.dumps({"inputs": [{"name": sp.INPUT, "shape": list(array.shape), "datatype": "FP32",
                                   "parameters": {"binary_data_size": array.nbytes}}],
                       **more}).encode()
    return head + array.tobytes(), {"Content-Type": "application/octet-stream",
                                    "Inference-Header-Content-Length": str(len(head))}


def test_binary_inputs_with_outputs_as_json(server):
    array = sp.values(6)
    status, body, headers = server.ask("/v2/models/small/infer", *binary_request(array, id="six"))
    assert status == 200 and headers["content-type"] == "application/json", body
    answer = json.loads(body)
    assert (answer["id"], answer["model_name"]) == ("six", "small")
    output = answer["outputs"][0]
    sp.assert_close(np.array(output["data"], np.float32).reshape(output["shape"]),
                    sp.on_cpu(array))


def test_binary_inputs_with_binary_outputs(server):
    array = sp.values(7)
    status, body, headers = server.ask("/v2/models/small/infer", *binary_request(
        array, parameters={"binary_data_output": True}))
    assert status == 200, body
    length = int(headers["inference-header-content-length"])
    output = json.loads(body[:length])["outputs"][0]
    assert int(headers["content-length"]) == len(body)
    assert output["parameters"]["binary_data_size"] == len(body) - length
    sp.assert_close(np.frombuffer(body[length:], np.float32).reshape(output["shape"]),
                    sp.on_cpu(array))


def test_rows_of_one_request(client):
    for rows in (1, 2, 3, 4):
        array = sp.values(5, rows)
        sp.assert_close(infer(client, "batched", array).as_numpy(sp.OUTPUT), sp.on_cpu(array))


def test_requests_are_gathered_and_each_has_its_own_answer(server):
    def batches():
        return server.metric("gles_serving_batch_rows_count", model="gathered")
    before = batches()
    arrays = [sp.values(seed, 1 + seed % 2) for seed in range(24)]
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(lambda array: server.infer("gathered", array), arrays))
    for array, answer in zip(arrays, answers):
        sp.assert_close(answer, sp.on_cpu(array))
    assert 9 <= batches() - before < 24  # 36 rows, 4 a batch


def test_metrics_have_the_delegates_report(server):
    server.infer("small", sp.values())
    at = {"model": "small", "instance": "0"}
    assert server.metric("gles_serving_delegate_nodes_delegated", **at) == 3
    assert server.metric("gles_serving_delegate_nodes_total", **at) == 3
    assert server.metric("gles_serving_delegate_partitions", **at) == 1
    assert server.metric("gles_serving_delegate_gpu_bytes", **at) > 0
    assert server.metric("gles_serving_delegate_gpu_seconds", model="profiled", instance="0") > 0
    assert server.metric("gles_serving_delegate_gpu_seconds", **at) == 0  # it was not asked for
    assert server.metric("gles_serving_queue_seconds_count", model="small") >= 1
    assert server.metric("gles_serving_device_info", **at) == 1
    assert server.metric("gles_serving_model_ready", model="small") == 1
    assert server.metric("gles_serving_model_ready", model="torn") == 0
    assert server.metric("gles_serving_requests_total", model="small", outcome="ok") >= 1
    assert server.metric("gles_serving_delegate_nodes_total", model="on_cpu") == 0


def test_logs_are_lines_of_json(server):
    for line in server.log().splitlines():
        if not line.startswith(("INFO: ", "WARNING: ", "W0000", "I0000")):  # TFLite's own
            assert {"time", "level", "logger"} <= set(json.loads(line)), line
