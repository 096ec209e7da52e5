#!/usr/bin/env python3
"""The time that the server adds to a bare Invoke, one request at a time.

    overhead.py MODEL.tflite [--seconds=5] [--cpu] [--grpc]

Interleaves blocks of bare set_tensor + Invoke + get_tensor in this process with blocks of requests
over HTTP (the protocol's binary extension, one kept connection) or gRPC, against a server of the same model,
so that a load of the machine meets both; over HTTP also by a client that is nothing but a socket. "stack" are
the same requests to stack.py, which runs no model: what the protocol's libraries and the client need alone.
Prints for each kind the least, the 5th percentile, the median and the 90th as JSON.
"""

import argparse
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import grpc
from tritonclient.grpc import service_pb2_grpc as pb_grpc

import common

import gles_delegate


def bare(path, cpu):
    """A function that does one inference in this process."""
    if cpu:
        interpreter = common.Interpreter(path, num_threads=1)
    else:
        interpreter = gles_delegate.interpreter(path, runtime="ai_edge_litert", num_threads=1,
                                                thread_mode="worker")
    interpreter.allocate_tensors()
    inputs = common.random_inputs(path)
    details = interpreter.get_input_details()
    outputs = interpreter.get_output_details()

    def run():
        for detail, (_, array) in zip(details, inputs):
            interpreter.set_tensor(detail["index"], array)
        interpreter.invoke()
        for detail in outputs:
            interpreter.get_tensor(detail["index"])
    return run


def served(port, inputs):
    """A function that does one inference by the server, with Python's own client."""
    body, length = common.binary_request(inputs)
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Content-Type": "application/octet-stream",
               "Inference-Header-Content-Length": str(length)}

    def run():
        connection.request("POST", "/v2/models/m/infer", body, headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
    return run


def served_by_socket(port, inputs):
    """The same with a socket, for the time of the server without that of a client."""
    body, length = common.binary_request(inputs)
    request = (f"POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\n"
               "Content-Type: application/octet-stream\r\n"
               f"Inference-Header-Content-Length: {length}\r\n"
               f"Content-Length: {len(body)}\r\n\r\n").encode() + body
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def run():
        connection.sendall(request)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += received(connection)
        head, _, rest = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        left = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0]) - len(rest)
        while left > 0:
            left -= len(received(connection))
    return run


def received(connection):
    """The bytes that have come; at least one."""
    data = connection.recv(1 << 16)
    assert data, "the server closed the connection"
    return data


def served_by_grpc(port, inputs):
    """The same over gRPC, with raw contents."""
    request = common.grpc_request(inputs)
    stub = pb_grpc.GRPCInferenceServiceStub(grpc.insecure_channel(f"127.0.0.1:{port}"))
    return lambda: stub.ModelInfer(request, timeout=60)


class Stack:
    """stack.py, ready."""

    def __init__(self, answer_bytes):
        self.port, self.grpc = common.free_port(), common.free_port()
        self.process = subprocess.Popen([
            sys.executable, os.path.join(common.HERE, "stack.py"), str(self.port), str(self.grpc),
            str(answer_bytes)])
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    sys.exit("stack.py ended")
                time.sleep(0.1)

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def timed(run, seconds):
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        began = time.perf_counter()
        run()
        times.append((time.perf_counter() - began) * 1e3)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--cpu", action="store_true", help="XNNPACK in place of the delegate")
    parser.add_argument("--grpc", action="store_true", help="gRPC in place of HTTP")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        repository = os.path.join(folder, "models")
        common.write_model(repository, "m", args.model, {"delegate": None} if args.cpu else {})
        server = common.Server(repository, os.path.join(folder, "log"), "--probe_seconds=0")
        inputs = common.random_inputs(args.model)
        stack = Stack(sum(int(detail["shape"].prod()) * detail["dtype"]().itemsize for detail in
                          common.Interpreter(args.model).get_output_details()))
        runs = {"bare": bare(args.model, args.cpu)}
        for name, to in (("stack", stack), ("server", server)):
            if args.grpc:
                runs[name] = served_by_grpc(to.grpc, inputs)
            else:
                runs[name] = served(to.port, inputs)
                runs[name + ", by socket"] = served_by_socket(to.port, inputs)
        times = {name: [] for name in runs}
        for run in runs.values():
            timed(run, 0.5)
        before = {part: server.metric(f"gles_serving_{part}_seconds_sum", model="m")
                  for part in ("queue", "invoke")}
        blocks = 10
        for block in range(blocks):
            common.progress(f"block {block + 1} of {blocks}")
            for name, run in runs.items():
                times[name] += timed(run, args.seconds / blocks)
        inside = {part: (server.metric(f"gles_serving_{part}_seconds_sum", model="m") - sum_before)
                  / sum(len(values) for name, values in times.items() if "server" in name) * 1e3
                  for part, sum_before in before.items()}
        server.stop()
        stack.stop()
    result = {name: {"runs": len(values), "min_ms": round(min(values), 3),
                     "p5_ms": round(statistics.quantiles(values, n=20)[0], 3),
                     "median_ms": round(statistics.median(values), 3),
                     "p90_ms": round(statistics.quantiles(values, n=10)[8], 3)}
              for name, values in times.items()}
    result["server"]["mean_ms_in_queue"] = round(inside["queue"], 3)
    result["server"]["mean_ms_in_invoke"] = round(inside["invoke"], 3)
    result["overhead_ms"] = {
        name: {key: round(result[name][key] - result["bare"][key], 3)
               for key in ("min_ms", "p5_ms", "median_ms")}
        for name in result if "server" in name}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
