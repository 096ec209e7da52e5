"""The models on Ray Serve behind KServe's server: answers, errors, a replica that dies."""

import json
import os
import re
import signal
import subprocess
import sys

import psutil
import pytest

import serving_process as sp
from test_lifecycle import Load


class Front(sp.Server):
    """python -m gles_serving.ray_app, with its own Ray."""

    def __init__(self, repository):  # pylint: disable=super-init-not-called
        self.http, self.grpc = sp.free_port(), sp.free_port()
        self.log_path = repository.parent / "front.log"
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gles_serving.ray_app", "--address=local",
                 f"--model_repository={repository}", "--replicas=2", "--num_cpus=0.1",
                 f"--cache_dir={repository.parent / 'cache'}",
                 f"--http_port={self.http}", f"--grpc_port={self.grpc}"],
                stdout=log, stderr=log, env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"})
        self.wait_until(lambda: self.get("/v2/health/ready")[0] == 200, 600)


@pytest.fixture(scope="module")
def front(tmp_path_factory):
    repository = tmp_path_factory.mktemp("ray") / "repository"
    sp.write_model(repository, "small",
                   config={"batching": {"sizes": [1, 4], "max_delay_ms": 1}})
    made = Front(repository)
    yield made
    assert made.stop() == 0, made.log()


def replicas():
    """The processes of the replicas, which Ray names by their class."""
    return {process.pid for process in psutil.process_iter(["cmdline"])
            if re.match("ray::ServeReplica", " ".join(process.info["cmdline"] or []))}


def test_answers_and_metadata(front):
    array = sp.values(1, 3)
    sp.assert_close(front.infer("small", array), sp.on_cpu(array))
    metadata = json.loads(front.get("/v2/models/small")[1])
    assert metadata["inputs"] == [{"name": sp.INPUT, "datatype": "FP32",
                                   "shape": [-1, *sp.SHAPE[1:]]}]


def test_grpc(front):
    triton = pytest.importorskip("tritonclient.grpc")
    array = sp.values(2)
    with triton.InferenceServerClient(f"localhost:{front.grpc}") as client:
        request = triton.InferInput(sp.INPUT, list(array.shape), "FP32")
        request.set_data_from_numpy(array)
        answer = client.infer("small", [request])
    sp.assert_close(answer.as_numpy(sp.OUTPUT), sp.on_cpu(array))


def test_a_replicas_errors_are_the_protocols(front):
    status, body, _ = front.post("/v2/models/small/infer", sp.json_request(sp.values(0, 5)))
    assert status == 400 and "5 rows, the model takes 1 to 4" in json.loads(body)["error"]
    assert front.post("/v2/models/nobody/infer", sp.json_request(sp.values()))[0] == 404


def test_a_replica_that_dies_loses_no_request(front):
    before = replicas()
    assert len(before) == 2
    load = Load(front, "small")
    front.wait_until(lambda: load.answered > 20)
    os.kill(min(before), signal.SIGKILL)
    answered = load.answered
    front.wait_until(lambda: load.answered > answered + 100)
    front.wait_until(lambda: len(replicas()) == 2)  # Ray has made another one
    load.stop()
