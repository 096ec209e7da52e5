#!/usr/bin/env python3
"""What the server adds to a bare Invoke, one request at a time.

    overhead.py MODEL.tflite [--seconds=5] [--cpu] [--grpc]

Interleaves blocks of bare set_tensor + Invoke + get_tensor in this process with blocks of requests
over HTTP (the protocol's binary extension, one kept connection) or gRPC, against a server of the same model,
so that a load of the machine meets both. Prints medians of each block kind as JSON.
"""

import argparse
import http.client
import json
import os
import statistics
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


def served(server, path):
    """A function that does one inference by the server."""
    body, length = common.binary_request(common.random_inputs(path))
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    headers = {"Content-Type": "application/octet-stream",
               "Inference-Header-Content-Length": str(length)}

    def run():
        connection.request("POST", "/v2/models/m/infer", body, headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
    return run


def served_by_grpc(server, path):
    """The same over gRPC, with raw contents."""
    request = common.grpc_request(common.random_inputs(path))
    stub = pb_grpc.GRPCInferenceServiceStub(grpc.insecure_channel(f"127.0.0.1:{server.grpc}"))
    return lambda: stub.ModelInfer(request, timeout=60)


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
        runs = {"bare": bare(args.model, args.cpu),
                "server": (served_by_grpc if args.grpc else served)(server, args.model)}
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
                  / len(times["server"]) * 1e3 for part, sum_before in before.items()}
        server.stop()
    result = {name: {"runs": len(values), "min_ms": round(min(values), 3),
                     "median_ms": round(statistics.median(values), 3),
                     "p90_ms": round(statistics.quantiles(values, n=10)[8], 3)}
              for name, values in times.items()}
    result["server"]["mean_ms_in_queue"] = round(inside["queue"], 3)
    result["server"]["mean_ms_in_invoke"] = round(inside["invoke"], 3)
    result["overhead_ms"] = {key: round(result["server"][key] - result["bare"][key], 3)
                             for key in ("min_ms", "median_ms")}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
