#!/usr/bin/env python3
"""Kills one of four servers behind nginx under load: how many requests are lost?

    failover.py MODEL.tflite [--seconds=30] [--connections=8] [--grpc [--no_retry]]

nginx has deploy/nginx.conf, its ports exchanged. Requests come for --seconds, over REST or gRPC;
after a third of them one server is killed by SIGKILL. With --grpc the channel's retryPolicy sends
again what was UNAVAILABLE. Prints what was seen as JSON; ends with 1 where a request was lost.
"""

import argparse
import collections
import http.client
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import grpc
from tritonclient.grpc import service_pb2_grpc as pb_grpc

import common

RETRY = json.dumps({"methodConfig": [{"name": [{}], "retryPolicy": {
    "maxAttempts": 4, "initialBackoff": "0.05s", "maxBackoff": "1s", "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"]}}]})


def nginx(folder, repository):
    """(servers, nginx's process, its ports of REST and gRPC)"""
    with open(os.path.join(common.HERE, "..", "deploy", "nginx.conf"), encoding="utf-8") as file:
        text = file.read()
    servers = []
    for index in range(4):
        common.progress(f"server {index + 1} of 4")
        server = common.Server(repository, os.path.join(folder, f"log{index}"),
                               "--probe_seconds=0", f"--cache_dir={folder}/cache")
        text = text.replace(f"127.0.0.1:{8080 + 2 * index} ", f"127.0.0.1:{server.port} ")
        text = text.replace(f"127.0.0.1:{8081 + 2 * index} ", f"127.0.0.1:{server.grpc} ")
        servers.append(server)
    ports = common.free_port(), common.free_port()
    for listened, port in zip(("8000;", "8001 "), ports):
        text = text.replace(f"listen {listened}", f"listen {port}{listened[-1]}")
    config = os.path.join(folder, "nginx.conf")
    with open(config, "w", encoding="utf-8") as file:
        file.write(text)
    process = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-c", config,
                                "-p", folder, "-g",
                                f"daemon off; error_log {folder}/error.log; pid {folder}/pid;"])
    return servers, process, ports


def rest_sender(port, inputs):
    """What sends a request over one connection and returns the status."""
    body, length = common.binary_request(inputs)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def send():
        try:
            connection.request("POST", "/v2/models/m/infer", body, common.binary_headers(length))
            answer = connection.getresponse()
            answer.read()
            return str(answer.status)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            return type(error).__name__
    return send


def grpc_sender(port, inputs, retry):
    """The same over gRPC."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    if retry:
        options.append(("grpc.service_config", RETRY))
    stub = pb_grpc.GRPCInferenceServiceStub(grpc.insecure_channel(f"127.0.0.1:{port}", options))
    request = common.grpc_request(inputs)

    def send():
        try:
            stub.ModelInfer(request, timeout=60)
            return "OK"
        except grpc.RpcError as error:
            return error.code().name
    return send


def load(sender, connections, seconds):
    """Latencies and, by their statuses, the requests that were lost."""
    times, lost = [], collections.Counter()
    until = time.monotonic() + seconds

    def run():
        send = sender()
        while time.monotonic() < until:
            began = time.monotonic()
            status = send()
            if status in ("200", "OK"):
                times.append((time.monotonic() - began) * 1e3)
            else:
                lost[status] += 1
    threads = [threading.Thread(target=run) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cuts = statistics.quantiles(times, n=100)
    return {"requests": len(times), "seconds": seconds, "p50_ms": round(cuts[49], 3),
            "p99_ms": round(cuts[98], 3), "max_ms": round(max(times), 3), "lost": lost}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--grpc", action="store_true")
    parser.add_argument("--no_retry", action="store_true", help="with --grpc")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        repository = os.path.join(folder, "models")
        common.write_model(repository, "m", args.model, {})
        servers, process, (rest, rpc) = nginx(folder, repository)
        inputs = common.random_inputs(args.model)

        def sender():
            return (grpc_sender(rpc, inputs, not args.no_retry) if args.grpc
                    else rest_sender(rest, inputs))
        load(sender, args.connections, 3)  # warm
        killer = threading.Timer(args.seconds / 3, servers[-1].process.kill)
        killer.start()
        result = load(sender, args.connections, args.seconds)
        killer.join()
        process.send_signal(signal.SIGTERM)
        process.wait()
        for server in servers[:-1]:
            server.stop()
    print(json.dumps(result))
    return 1 if result["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
