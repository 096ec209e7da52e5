"""Helpers of the measurements: servers and requests."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from tritonclient.grpc import service_pb2 as pb

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {"f": "FP32", "u": "UINT8", "i": "INT8"}  # of the protocol, by numpy's kinds


def progress(text):
    """A line of where the measurement stands."""
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def free_port():
    with socket.socket() as made:
        made.bind(("", 0))
        return made.getsockname()[1]


def write_model(repository, name, path, config):
    folder = os.path.join(repository, name, "1")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(repository, name, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    target = os.path.join(folder, "model.tflite")
    if not os.path.exists(target):
        os.symlink(os.path.abspath(path), target)


def random_inputs(path, seed=0):
    """[(name, array)] of a model."""
    rng = np.random.default_rng(seed)
    made = []
    for detail in Interpreter(path).get_input_details():
        shape, dtype = detail["shape"], detail["dtype"]
        values = (rng.uniform(-1, 1, shape) if np.issubdtype(dtype, np.floating)
                  else rng.integers(0, 128, shape))
        made.append((detail["name"], values.astype(dtype)))
    return made


def binary_request(inputs):
    """(body, length of its JSON): the protocol's binary extension, for outputs too."""
    head = json.dumps({
        "parameters": {"binary_data_output": True},
        "inputs": [{"name": name, "shape": list(array.shape), "datatype": TYPES[array.dtype.kind],
                    "parameters": {"binary_data_size": array.nbytes}}
                   for name, array in inputs]}).encode()
    return head + b"".join(array.tobytes() for _, array in inputs), len(head)


def binary_headers(length):
    return {"Content-Type": "application/octet-stream",
            "Inference-Header-Content-Length": str(length)}


def grpc_request(inputs, first=0):
    """The same over gRPC, for the model "m", with raw contents from byte `first` on."""
    return pb.ModelInferRequest(
        model_name="m", raw_input_contents=[array.tobytes()[first:] for _, array in inputs],
        inputs=[pb.ModelInferRequest.InferInputTensor(
            name=name, datatype=TYPES[array.dtype.kind], shape=array.shape)
                for name, array in inputs])


def wait_ready(url, process, log):
    """Until the server there is ready; ends the program if it ended."""
    while True:
        try:
            with urllib.request.urlopen(url + "/v2/health/ready", timeout=5):
                return
        except OSError:
            if process.poll() is not None:
                with open(log, encoding="utf-8", errors="replace") as file:
                    sys.exit(f"the server ended:\n{file.read()[-3000:]}")
            time.sleep(0.2)


class Server:
    """gles-serving over a repository, ready."""

    def __init__(self, repository, log, *flags):
        self.port, self.grpc = free_port(), free_port()
        with open(log, "ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gles_serving", "--allow_model_control",
                 f"--model_repository={repository}",
                 f"--http_port={self.port}", f"--grpc_port={self.grpc}", *flags],
                stdout=file, stderr=file)
        self.url = f"http://127.0.0.1:{self.port}"
        wait_ready(self.url, self.process, log)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
