#!/usr/bin/env python3
"""Throughput and latency against concurrency, instances and batching, delegate and XNNPACK alternately.

    sweep.py --models=NAME:FILE.tflite,... --out=sweep.json [--seconds=4] [--rounds=2]
             [--instances=1,2] [--concurrency=1,2,4,8,16] [--batched=NAME,...]

One server has every model in every configuration (delegate or XNNPACK x --instances, and
batches where --batched names the model); wrk asks one after the other, --rounds times over, so that a
machine's other load meets all of them. Needs wrk. plot.py draws what it writes.
The file is rewritten after each level, so that an interruption keeps what was measured.
"""

import argparse
import json
import os
import statistics
import tempfile

import common


def configurations(instance_counts, batched):
    """label -> config.json"""
    made = {}
    for backend, delegate in (("delegate", {}), ("XNNPACK", None)):
        for instances in instance_counts:
            made[f"{backend}, {instances} instance{'s' * (instances > 1)}"] = {
                "delegate": delegate, "instances": instances}
        if batched:
            made[f"{backend}, batches of 1, 4, 8"] = {
                "delegate": delegate, "batching": {"sizes": [1, 4, 8], "max_delay_ms": 2}}
    return made


def load(models, instance_counts, batched, folder):
    """(repository, {(model, label): name there}, {model: (file of a request, length of its JSON)})"""
    repository = os.path.join(folder, "models")
    cases, bodies = {}, {}
    for model, path in models.items():
        bodies[model] = common.write_request(common.random_inputs(path),
                                             os.path.join(folder, model))
        for label, config in configurations(instance_counts, model in batched).items():
            cases[(model, label)] = f"m{len(cases)}"
            common.write_model(repository, cases[(model, label)], path, config)
    return repository, cases, bodies


def write(path, rows):
    """Medians of the rounds, whole or not at all."""
    cells = {}
    order = list(dict.fromkeys((row["model"], row["label"]) for row in rows))
    for row in sorted(rows, key=lambda r: (order.index((r["model"], r["label"])),
                                           r["concurrency"])):
        cells.setdefault((row["model"], row["label"], row["concurrency"]), []).append(row)
    merged = [{
        "model": model, "label": label, "concurrency": level,
        "per_second": round(statistics.median(r["requests"] / r["seconds"] for r in group), 2),
        **{key: round(statistics.median(r[key] for r in group), 2)
           for key in ("p50_ms", "p90_ms", "p99_ms")},
        "errors": sum(r["status_errors"] + r["socket_errors"] + r["timeouts"] for r in group)}
              for (model, label, level), group in cells.items()]
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(map(json.dumps, merged)) + "\n]\n")
    os.replace(path + ".part", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", required=True)
    parser.add_argument("--batched", default="", help="names of those that are also batched")
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--instances", default="1,2")
    parser.add_argument("--concurrency", default="1,2,4,8,16")
    args = parser.parse_args()
    models = dict(item.split(":", 1) for item in args.models.split(","))
    levels = [int(level) for level in args.concurrency.split(",")]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        repository, cases, bodies = load(
            models, [int(count) for count in args.instances.split(",")],
            args.batched.split(","), folder)
        common.progress(f"{len(cases)} models are loaded")
        server = common.Server(repository, os.path.join(folder, "log"), "--probe_seconds=0",
                               "--cache_dir=" + os.path.join(folder, "cache"))
        try:
            server.wait_loaded(cases.values())
            for turn in range(args.rounds):
                for level in levels:
                    for (model, label), name in cases.items():
                        result = common.wrk(f"{server.url}/v2/models/{name}/infer", *bodies[model],
                                            level, args.seconds)
                        rows.append({"model": model, "label": label, "concurrency": level,
                                     **result})
                    write(args.out, rows)
                    common.progress(f"round {turn + 1} of {args.rounds}, concurrency {level}, load "
                                    f"{os.getloadavg()[0]:.1f}")
        finally:
            server.stop()
    common.progress(f"written: {args.out}")


if __name__ == "__main__":
    main()
