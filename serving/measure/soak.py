#!/usr/bin/env python3
"""Good, bad and torn requests for a while: memory, descriptors and threads must stay flat.

    soak.py MODEL.tflite [--minutes=30] [--rate=30]

A server of MODEL (two instances; a second copy with batching, where the model allows it) gets
requests of each kind of KINDS, by HTTP and gRPC, from three threads, and a reload each minute. Every
answer must have the status of its kind. Prints a line of numbers every 15 s, and as its last line
JSON: medians of the second and the last quarter. Ends with 1 where an answer was wrong or something
grew.
"""

import argparse
import collections
import http.client
import json
import os
import random
import socket
import statistics
import sys
import tempfile
import threading
import time

import grpc
import psutil
from tritonclient.grpc import service_pb2_grpc as pb_grpc

import common


class Client:
    """One thread's connections, and ways to send a request; each returns whether the answer
    was the right one."""

    def __init__(self, server, inputs):
        self.server, self.inputs = server, inputs
        self.body, self.length = common.binary_request(inputs)
        self.channel = grpc.insecure_channel(f"127.0.0.1:{server.grpc}")
        self.stub = pb_grpc.GRPCInferenceServiceStub(self.channel)
        self.http = None

    def post(self, body, expected, length=None, model="m"):
        headers = {"Content-Type": "application/json"}
        if length is not None:
            headers = common.binary_headers(length)
        for attempt in (0, 1):
            if self.http is None:
                self.http = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
            try:
                self.http.request("POST", f"/v2/models/{model}/infer", body, headers)
                answer = self.http.getresponse()
                answer.read()
                return answer.status == expected
            except (OSError, http.client.HTTPException):  # a kept connection that was closed
                self.http.close()
                self.http = None
                if attempt:
                    raise
        return False

    def call(self, expected, first=0):
        try:
            self.stub.ModelInfer(common.grpc_request(self.inputs, first), timeout=60)
            return expected == "OK"
        except grpc.RpcError as error:
            return error.code().name == expected

    def json_body(self, **changes):
        items = [{"name": name, "shape": list(array.shape), "datatype": common.TYPES[array.dtype.kind],
                  "data": array.reshape(-1).tolist(), **changes} for name, array in self.inputs]
        return json.dumps({"inputs": items}).encode()

    def leave(self, size):
        """That much of a request, and the connection is closed."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as made:
            made.sendall("POST /v2/models/m/infer HTTP/1.1\r\nHost: x\r\n"
                         "Content-Type: application/octet-stream\r\n"
                         f"Inference-Header-Content-Length: {self.length}\r\n"
                         f"Content-Length: {len(self.body)}\r\n\r\n".encode() + self.body[:size])
        return True

    def reload(self):
        made = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=600)
        made.request("POST", "/v2/repository/models/m/load", b"{}")
        answer = made.getresponse()
        answer.read()
        made.close()
        return answer.status == 200


# How often each is sent, and how.
KINDS = {
    "good_binary": (5, lambda c: c.post(c.body, 200, c.length)),
    "good_json": (2, lambda c: c.post(c.json_body(), 200)),
    "good_grpc": (3, lambda c: c.call("OK")),
    "bad_json": (1, lambda c: c.post(os.urandom(200), 400)),
    "bad_shape": (1, lambda c: c.post(c.json_body(shape=[3, 5, 7]), 400)),
    "bad_binary": (1, lambda c: c.post(c.body[:-1], 400, c.length)),
    "bad_grpc": (1, lambda c: c.call("INVALID_ARGUMENT", 1)),
    "bad_name": (1, lambda c: c.post(c.body, 404, c.length, "nobody")),
    "torn": (1, lambda c: c.leave(len(c.body) // 2)),
    "impatient": (1, lambda c: c.leave(None)),  # for whose answer no one waits
}


def send(client, until, pause, counts, wrong):
    rng = random.Random(id(client))
    while time.monotonic() < until:
        kind = rng.choices(list(KINDS), [often for often, _ in KINDS.values()])[0]
        try:
            if not KINDS[kind][1](client):
                wrong.append(kind)
        except Exception as error:  # pylint: disable=broad-except
            wrong.append(f"{kind}: {error!r}")
        counts[kind] += 1
        time.sleep(pause)


def numbers(process):
    with process.oneshot():
        return (process.memory_info().rss / 2**20, process.num_fds(), process.num_threads())


def watch(server, until, client, counts, wrong):
    """Samples until then; one row each 15 s, and a reload each minute."""
    process = psutil.Process(server.process.pid)
    rows = []
    began = time.monotonic()
    while time.monotonic() < until:
        if len(rows) % 4 == 2:
            counts["reload"] += 1
            if not client.reload():
                wrong.append("reload")
        time.sleep(15)
        rows.append(numbers(process))
        common.progress(f"{(time.monotonic() - began) / 60:5.1f} min: {rows[-1][0]:.1f} MiB, "
                        f"{rows[-1][1]} descriptors, {rows[-1][2]} threads, "
                        f"{sum(counts.values())} requests, {len(wrong)} wrong")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=float, default=30, help="requests a second at most")
    parser.add_argument("--batching", help="sizes, as 1,4")
    args = parser.parse_args()
    counts, wrong = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        repository = os.path.join(folder, "models")
        config = {"instances": 2}
        if args.batching:
            config["batching"] = {"sizes": [int(size) for size in args.batching.split(",")]}
        common.write_model(repository, "m", args.model, config)
        server = common.Server(repository, os.path.join(folder, "log"), "--probe_seconds=0",
                               "--cache_dir=" + os.path.join(folder, "cache"))
        inputs = common.random_inputs(args.model)
        until = time.monotonic() + args.minutes * 60
        threads = [threading.Thread(target=send, args=(
            Client(server, inputs), until, 3 / args.rate, counts, wrong)) for _ in range(3)]
        for thread in threads:
            thread.start()
        rows = watch(server, until, Client(server, inputs), counts, wrong)
        for thread in threads:
            thread.join()
        server.stop()
        status = server.process.returncode
    quarter = max(1, len(rows) // 4)
    parts = {"second": rows[quarter:2 * quarter] or rows, "last": rows[-quarter:]}
    medians = {name: [round(statistics.median(column), 1) for column in zip(*part)]
               for name, part in parts.items()}
    grown = [after > 1.05 * before + 4
             for before, after in zip(medians["second"], medians["last"])]
    print(json.dumps({"minutes": args.minutes, "requests": dict(counts), "wrong": len(wrong),
                      "first_wrong": wrong[:3], "mib_fds_threads": medians, "grown": any(grown),
                      "server_status": status}))
    return 1 if wrong or any(grown) or status else 0


if __name__ == "__main__":
    sys.exit(main())
