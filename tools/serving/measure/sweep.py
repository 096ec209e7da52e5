#!/usr/bin/env python3
"""Throughput and latency against concurrency, instances and batching, delegate and XNNPACK in turns.

    sweep.py --models=NAME:FILE.tflite,... --out=sweep.json [--seconds=4] [--rounds=2]

One server has every model in every configuration (delegate or XNNPACK x 1 or 2 instances, and
batches where --batched names the model); wrk asks one after the other, --rounds times over, so that a
machine's other load meets all of them. Needs wrk. plot.py draws what it writes.
"""

import argparse
import json
import os
import statistics
import tempfile
import time

import common


def configurations(batched):
    """label -> config.json"""
    made = {}
    for backend, delegate in (("delegate", {}), ("XNNPACK", None)):
        for instances in (1, 2):
            made[f"{backend}, {instances} instance{'s' * (instances > 1)}"] = {
                "delegate": delegate, "instances": instances}
        if batched:
            made[f"{backend}, batches of 1, 4, 8"] = {
                "delegate": delegate, "batching": {"sizes": [1, 4, 8], "max_delay_ms": 2}}
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", required=True)
    parser.add_argument("--batched", default="", help="names of those that are also batched")
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--concurrency", default="1,2,4,8,16")
    args = parser.parse_args()
    models = dict(item.split(":", 1) for item in args.models.split(","))
    levels = [int(level) for level in args.concurrency.split(",")]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        repository = os.path.join(folder, "models")
        cases, bodies = {}, {}
        for model, path in models.items():
            body, length = common.binary_request(common.random_inputs(path))
            bodies[model] = (os.path.join(folder, model), length)
            with open(bodies[model][0], "wb") as file:
                file.write(body)
            for label, config in configurations(model in args.batched.split(",")).items():
                cases[(model, label)] = f"m{len(cases)}"
                common.write_model(repository, cases[(model, label)], path, config)
        common.progress(f"{len(cases)} models are loaded")
        server = common.Server(repository, os.path.join(folder, "log"), "--probe_seconds=0",
                               "--cache_dir=" + os.path.join(folder, "cache"))
        while any(server.metric("gles_serving_model_ready", model=name) != 1
                  for name in cases.values()):
            time.sleep(1)
        for turn in range(args.rounds):
            for level in levels:
                for (model, label), name in cases.items():
                    result = common.wrk(f"{server.url}/v2/models/{name}/infer", *bodies[model],
                                        level, args.seconds)
                    rows.append({"model": model, "label": label, "concurrency": level, **result})
                common.progress(f"round {turn + 1} of {args.rounds}, concurrency {level}, load "
                                f"{os.getloadavg()[0]:.1f}")
        server.stop()
    merged = []
    for (model, label) in cases:
        for level in levels:
            group = [row for row in rows if (row["model"], row["label"], row["concurrency"])
                     == (model, label, level)]
            merged.append({
                "model": model, "label": label, "concurrency": level,
                "per_second": round(statistics.median(
                    row["requests"] / row["seconds"] for row in group), 2),
                **{key: round(statistics.median(row[key] for row in group), 2)
                   for key in ("p50_ms", "p90_ms", "p99_ms")},
                "errors": sum(row["status_errors"] + row["socket_errors"] + row["timeouts"]
                              for row in group)})
    with open(args.out, "w", encoding="utf-8") as file:
        json.dump(merged, file, indent=0)
    common.progress(f"written: {args.out}")


if __name__ == "__main__":
    main()
