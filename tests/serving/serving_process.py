"""A server in its own process, for tests: repository, ports, requests, logs."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import numpy as np
from ai_edge_litert.interpreter import Interpreter

HERE = pathlib.Path(__file__).resolve().parent
SMALL = (HERE.parent / "python" / "self_check.tflite").read_bytes()  # [1, 16, 16, 5] floats; three nodes
INPUT, SHAPE, OUTPUT = "t0", [1, 16, 16, 5], "t5"


def free_port():
    with socket.socket() as made:
        made.bind(("", 0))
        return made.getsockname()[1]


def write_model(repository, name, content=SMALL, version=1, config=None):
    folder = repository / name / str(version)
    folder.mkdir(parents=True)
    if config is not None:
        (repository / name / "config.json").write_text(json.dumps(config))
    # As docs/serving.md has it: the file appears whole, by a rename.
    (folder / "model.part").write_bytes(content)
    (folder / "model.part").rename(folder / "model.tflite")


def values(seed=0, rows=1):
    shape = [rows, *SHAPE[1:]]
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def on_cpu(array, content=SMALL):
    """The outputs of one row after the other, by the same runtime without a delegate."""
    interpreter = Interpreter(model_content=content)
    interpreter.allocate_tensors()
    rows = []
    for row in array:
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], row[None])
        interpreter.invoke()
        rows.append(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).copy())
    return np.concatenate(rows)


def assert_close(actual, expected, tolerance=1e-5):
    assert actual.shape == expected.shape
    assert np.max(np.abs(actual - expected)) <= tolerance


def json_request(array, **more):
    return {"inputs": [{"name": INPUT, "shape": list(array.shape), "datatype": "FP32",
                        "data": array.reshape(-1).tolist()}], **more}


class Server:
    """python -m gles_serving over a folder, until stop()."""

    def __init__(self, repository, *flags, wait=True, control=True):
        self.http, self.grpc = free_port(), free_port()
        self.log_path = repository.parent / f"server_{self.http}.log"
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gles_serving", f"--model_repository={repository}",
                 f"--http_port={self.http}", f"--grpc_port={self.grpc}",
                 *(["--allow_model_control"] if control else []), *flags],
                stdout=log, stderr=log)
        if wait:
            self.wait_until(lambda: self.get("/v2/health/ready")[0] == 200)

    def wait_until(self, done, seconds=240):
        end = time.monotonic() + seconds
        while True:
            try:
                if done():
                    return
            except OSError:
                pass
            assert self.process.poll() is None, self.log()
            assert time.monotonic() < end, self.log()
            time.sleep(0.1)

    def ask(self, path, body=None, headers=None):
        """(status, body, headers) of a request."""
        request = urllib.request.Request(f"http://localhost:{self.http}{path}", body,
                                         headers or {})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, answer.read(), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read(), error.headers

    def get(self, path):
        return self.ask(path)

    def post(self, path, value):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        return self.ask(path, body, {"Content-Type": "application/json"})

    def infer(self, model, array):
        """The output, or an AssertionError with the server's words."""
        status, body, _ = self.post(f"/v2/models/{model}/infer", json_request(array))
        assert status == 200, body
        output = json.loads(body)["outputs"][0]
        return np.array(output["data"], np.float32).reshape(output["shape"])

    def metric(self, name, **labels):
        """The value of a line of /metrics; 0 where there is none."""
        for line in self.get("/metrics")[1].decode().splitlines():
            if line.startswith(name + "{") and all(f'{k}="{v}"' in line
                                                   for k, v in labels.items()):
                return float(line.rsplit(" ", 1)[1])
        return 0.0

    def log(self):
        return self.log_path.read_text(errors="replace")

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def stop(self):
        """Ends the server; its exit status."""
        if self.process.poll() is None:
            self.terminate()
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


def shared_model(name):
    return os.path.join(os.environ.get("GLES_DELEGATE_SHARED_DIR", ""), "models",
                        name + ".tflite")


def shared_image(name):
    return os.path.join(os.environ.get("GLES_DELEGATE_SHARED_DIR", ""), "images", name)
