"""Real models: images as bytes, the detector, state, models that cannot be batched."""

import base64
import io
import json
import os

import numpy as np
import pytest
import tritonclient.grpc as triton_grpc
import tritonclient.http as triton_http
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

import serving_process as sp

MODELS = {
    "classifier": ("mobilenet_v1_0.25_224", {
        "batching": {"sizes": [1, 2], "max_delay_ms": 1},
        "decode": {"input": {"mean": 127.5, "std": 127.5, "max_pixels": 4_000_000}}}),
    "detector": ("ssd_mobilenet_v1_quant", {"decode": {"normalized_input_image_tensor": {}}}),
    "lstm": ("mnist_lstm_float", None),
    "mixes_rows": ("face_detection_short_range", {"batching": {"sizes": [1, 2]}}),
    "one_row_alone": ("mnist_lstm_float", {"batching": {"sizes": [4]}}),
}
CAT = 286  # "Egyptian cat" of ImageNet's labels, which begin with "background"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    repository = tmp_path_factory.mktemp("models") / "repository"
    for name, (file, config) in MODELS.items():
        path = sp.shared_model(file)
        if not os.path.exists(path):
            pytest.skip(f"NO MODEL {path}: set GLES_DELEGATE_SHARED_DIR")
        with open(path, "rb") as model:
            sp.write_model(repository, name, model.read(), config=config)
    made = sp.Server(repository)
    yield made
    assert made.stop() == 0, made.log()


def cat(form="BMP", size=None):
    image = Image.open(sp.shared_image("cat.bmp"))
    data = io.BytesIO()
    (image.resize(size) if size else image).save(data, form)
    return data.getvalue()


@pytest.mark.parametrize("form", ["BMP", "JPEG", "PNG"])
def test_images_as_bytes(server, form):
    files = np.array([cat(form), cat(form)], dtype=np.object_)
    for module, port in ((triton_http, server.http), (triton_grpc, server.grpc)):
        with module.InferenceServerClient(f"localhost:{port}") as client:
            request = module.InferInput("input", [2], "BYTES")
            request.set_data_from_numpy(files)
            answer = client.infer("classifier", [request]).as_numpy(
                "MobilenetV1/Predictions/Reshape_1")
    assert answer.shape == (2, 1001)
    assert list(np.argmax(answer, axis=1)) == [CAT, CAT]


def test_images_as_base64(server):
    status, body, _ = server.post("/v2/models/classifier/infer", {"inputs": [{
        "name": "input", "shape": [1], "datatype": "BYTES",
        "data": [base64.b64encode(cat()).decode()]}]})
    assert status == 200, body
    assert np.argmax(json.loads(body)["outputs"][0]["data"]) == CAT


@pytest.mark.parametrize("data, text", [
    (b"no image", "no image of JPEG, PNG, BMP"),
    (b"", "no image of JPEG, PNG, BMP"),
    (lambda: cat("JPEG")[:300], "no image of JPEG, PNG, BMP"),
    (lambda: cat("PNG")[:-500], "no image that can be read"),
    (lambda: cat("PNG", (2001, 2000)), "max_pixels is 4000000"),
])
def test_bad_images(server, data, text):
    data = data() if callable(data) else data
    status, body, _ = server.post("/v2/models/classifier/infer", {"inputs": [{
        "name": "input", "shape": [1], "datatype": "BYTES",
        "data": [base64.b64encode(data).decode()]}]})
    assert status == 400 and text in json.loads(body)["error"], body


def test_bytes_that_are_no_base64(server):
    for data, text in ((["%"], "base64"), (["YQ==", 7], "base64"), ([], "0 files, where the shape")):
        status, body, _ = server.post("/v2/models/classifier/infer", {"inputs": [{
            "name": "input", "shape": [1], "datatype": "BYTES", "data": data}]})
        assert status == 400 and text in json.loads(body)["error"], body


def test_the_detector(server):
    with triton_http.InferenceServerClient(f"localhost:{server.http}") as client:
        request = triton_http.InferInput("normalized_input_image_tensor", [1], "BYTES")
        request.set_data_from_numpy(np.array([cat()], dtype=np.object_))
        answer = client.infer("detector", [request])
    image = Image.open(sp.shared_image("cat.bmp")).convert("RGB").resize(
        (300, 300), Image.Resampling.BILINEAR)
    interpreter = Interpreter(sp.shared_model("ssd_mobilenet_v1_quant"))
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], np.asarray(image)[None])
    interpreter.invoke()
    for detail in interpreter.get_output_details():
        np.testing.assert_allclose(answer.as_numpy(detail["name"]),
                                   interpreter.get_tensor(detail["index"]), atol=1e-5)


def test_no_request_sees_anothers_state(server):
    values = np.random.default_rng(1).uniform(0, 1, [1, 28, 28]).astype(np.float32)
    answers = []
    with triton_http.InferenceServerClient(f"localhost:{server.http}") as client:
        for _ in range(3):
            request = triton_http.InferInput("serving_default_fixed_input:0", [1, 28, 28], "FP32")
            request.set_data_from_numpy(values)
            answers.append(client.infer("lstm", [request]).as_numpy("StatefulPartitionedCall:0"))
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


def test_models_that_cannot_be_batched_say_why(server):
    for name, text in (("mixes_rows", "which does not begin with the batch"),
                       ("one_row_alone", "at batch size 4")):
        status, body, _ = server.post(f"/v2/models/{name}/infer", {"inputs": []})
        assert status == 503 and text in json.loads(body)["error"], body
