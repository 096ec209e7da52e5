#!/usr/bin/env python3
"""Kills a server, or a replica, under load: how many requests are lost?

    failover.py nginx MODEL.tflite [--seconds=30] [--connections=8] [--grpc]
    failover.py ray MODEL.tflite [--nodes=2] [--replicas=2] ...

nginx: four servers behind nginx with deploy/nginx.conf, its ports exchanged. ray: a cluster of
several nodes on this machine (ray.cluster_utils.Cluster), whose replicas have half a made-up GPU each,
behind gles_serving.ray_app. wrk sends requests over HTTP for --seconds; after a third of them one
server or replica is killed by SIGKILL. (The servers behind nginx are then three; Ray makes a new
replica.) --grpc: this program's own threads send them over gRPC through nginx, one connection
each, whose retryPolicy sends again what was UNAVAILABLE (--no_retry: without). Prints what was
seen as JSON; ends with 1 where a request was lost.
"""

import argparse
import collections
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import grpc
import psutil
from tritonclient.grpc import service_pb2_grpc as pb_grpc

import common


def nginx(args, folder, repository):
    """(URL, gRPC address, processes one of which is to be killed, a function that ends it all)"""
    servers = []
    for index in range(4):
        common.progress(f"server {index + 1} of 4")
        servers.append(common.Server(repository, os.path.join(folder, f"log{index}"),
                                     "--probe_seconds=0", f"--cache_dir={folder}/cache"))
    with open(os.path.join(common.HERE, "..", "deploy", "nginx.conf"), encoding="utf-8") as file:
        text = file.read()
    for index, server in enumerate(servers):
        text = text.replace(f"127.0.0.1:{8080 + 2 * index} ", f"127.0.0.1:{server.port} ")
        text = text.replace(f"127.0.0.1:{8081 + 2 * index} ", f"127.0.0.1:{server.grpc} ")
    rest, rpc = common.free_port(), common.free_port()
    text = text.replace("listen 8000;", f"listen {rest};").replace("listen 8001 ",
                                                                   f"listen {rpc} ")
    config = os.path.join(folder, "nginx.conf")
    with open(config, "w", encoding="utf-8") as file:
        file.write(text)
    process = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-c", config,
                                "-p", folder, "-g",
                                f"daemon off; error_log {folder}/error.log; pid {folder}/pid;"])

    def stop():
        process.terminate()
        process.wait()
        for server in servers:
            if server.process.poll() is None:
                server.stop()
    del args
    return f"http://127.0.0.1:{rest}", f"127.0.0.1:{rpc}", [server.process.pid for server in servers], stop


def ray(args, folder, repository, flags=()):
    """The same of a Ray cluster; flags: more of ray_app."""
    from ray.cluster_utils import Cluster  # pylint: disable=import-outside-toplevel
    cluster = Cluster(initialize_head=True, head_node_args={
        "num_cpus": 1, "object_store_memory": 100 << 20, "include_dashboard": False})
    for index in range(args.nodes):
        common.progress(f"node {index + 1} of {args.nodes}")
        cluster.add_node(num_cpus=2, num_gpus=1, object_store_memory=100 << 20)
    port = common.free_port()
    log = os.path.join(folder, "front.log")
    with open(log, "wb") as file:
        front = subprocess.Popen(
            [sys.executable, "-m", "gles_serving.ray_app", f"--address={cluster.address}",
             f"--model_repository={repository}", f"--cache_dir={folder}/cache",
             f"--replicas={args.replicas}", "--num_gpus=0.5", "--num_cpus=0.5",
             "--devices=llvmpipe,llvmpipe", f"--http_port={port}",
             f"--grpc_port={common.free_port()}", *flags], stdout=file, stderr=file)
    url = f"http://127.0.0.1:{port}"
    common.wait_ready(url, front, log)

    def stop():
        front.terminate()
        front.wait(60)
        cluster.shutdown()
    # Ray names a replica's process by its class.
    replicas = [process.pid for process in psutil.process_iter(["cmdline"])
                if re.match(r"ray::ServeReplica", " ".join(process.info["cmdline"] or []))]
    common.progress(f"{len(replicas)} replicas")
    return url, None, replicas, stop


RETRY = json.dumps({"methodConfig": [{"name": [{}], "retryPolicy": {
    "maxAttempts": 4, "initialBackoff": "0.05s", "maxBackoff": "1s", "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"]}}]})


def grpc_load(address, request, connections, seconds, retry):
    """The results of common.wrk(), for calls over gRPC."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    if retry:
        options.append(("grpc.service_config", RETRY))
    times, lost = [], collections.Counter()
    until = time.monotonic() + seconds

    def send():
        with grpc.insecure_channel(address, options) as channel:
            stub = pb_grpc.GRPCInferenceServiceStub(channel)
            while time.monotonic() < until:
                began = time.monotonic()
                try:
                    stub.ModelInfer(request, timeout=60)
                    times.append((time.monotonic() - began) * 1e3)
                except grpc.RpcError as error:
                    lost[error.code().name] += 1
    threads = [threading.Thread(target=send) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cuts = statistics.quantiles(times, n=100)
    return {"requests": len(times), "seconds": seconds, "p50_ms": round(cuts[49], 3),
            "p99_ms": round(cuts[98], 3), "max_ms": round(max(times), 3),
            "status_errors": sum(lost.values()), "codes": lost, "socket_errors": 0, "timeouts": 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["nginx", "ray"])
    parser.add_argument("model")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--replicas", default="2")
    parser.add_argument("--grpc", action="store_true", help="nginx alone")
    parser.add_argument("--no_retry", action="store_true", help="with --grpc")
    args = parser.parse_args()
    if args.grpc and args.kind != "nginx":
        parser.error("--grpc goes through nginx")
    with tempfile.TemporaryDirectory() as folder:
        repository = os.path.join(folder, "models")
        common.write_model(repository, "m", args.model, {})
        url, rpc, victims, stop = {"nginx": nginx, "ray": ray}[args.kind](args, folder, repository)
        inputs = common.random_inputs(args.model)
        body = common.write_request(inputs, os.path.join(folder, "body"))

        def load(seconds):
            if args.grpc:
                return grpc_load(rpc, common.grpc_request(inputs), args.connections, seconds,
                                 not args.no_retry)
            return common.wrk(url + "/v2/models/m/infer", *body, args.connections, seconds, 60)
        load(3)  # warm
        killer = threading.Timer(args.seconds / 3, os.kill, (victims[-1], signal.SIGKILL))
        killer.start()
        result = load(args.seconds)
        killer.join()
        common.progress("done")
        if args.kind == "ray":
            with open(os.path.join(folder, "front.log"), encoding="utf-8") as file:
                result["sent_again"] = file.read().count("is sent again")
        stop()
    result["killed_after_seconds"] = args.seconds / 3
    print(json.dumps(result))
    return 1 if result["status_errors"] or result["socket_errors"] or result["timeouts"] else 0


if __name__ == "__main__":
    sys.exit(main())
