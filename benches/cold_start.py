#!/usr/bin/env python3
"""From nothing to a model's first result, in fresh processes of benchmark_model.

    benches/cold_start.py [--bin=build/bin] [--starts=N] [--driver_cache] [--json=FILE] MODEL.tflite...

Prints medians in ms: delegate made and applied, tensors allocated, first Invoke. none: without a
start-up cache; init: the same without the Invoke; write: a start that writes the cache; warm: one
that reads it; warm init. GLES_DELEGATE_OPTIONS sets options of the delegate. The driver's own disk
cache is off unless --driver_cache is given. --json writes what lab/compare_benches.py reads.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
NO_DRIVER_CACHE = {"__GL_SHADER_DISK_CACHE": "0", "MESA_SHADER_CACHE_DISABLE": "true",
                   "MESA_GLSL_CACHE_DISABLE": "true"}
COLUMNS = ("none_ms", "init_ms", "write_ms", "warm_ms", "warm_init_ms")


def start(model, flags, cache):
    """What benchmark_model reports of one process. cache: the start-up cache's folder, or None."""
    options = f"--gles_options=serialization_dir:{cache};model_token:model"
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run(
            [flags.bin / "benchmark_model", f"--graph={model}", "--use_gles", "--num_runs=1",
             "--warmup_runs=0", f"--report_json={report.name}", *([options] if cache else [])],
            env={**os.environ, **({} if flags.driver_cache else NO_DRIVER_CACHE)}, check=True,
            stdout=subprocess.DEVNULL)
        found, = json.loads(pathlib.Path(report.name).read_text(encoding="utf-8"))  # another file
    found["ms"] = found["init_ms"] + found["first_invoke_ms"]
    return found


def measured(model, flags):
    """The medians of a model, and benchmark_model's last report."""
    samples = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        cache = pathlib.Path(folder, "cache")
        for of, init in (("none_ms", "init_ms"), ("write_ms", None), ("warm_ms", "warm_init_ms")):
            for _ in range(flags.starts):
                if of == "write_ms":
                    shutil.rmtree(cache, ignore_errors=True)
                    cache.mkdir()
                found = start(model, flags, None if of == "none_ms" else cache)
                samples[of].append(found["ms"])
                if init:
                    samples[init].append(found["init_ms"])
    return {name: statistics.median(values) for name, values in samples.items()}, found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--starts", type=int, default=3, help="processes of each kind")
    parser.add_argument("--driver_cache", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("models", nargs="+", metavar="MODEL.tflite")
    flags = parser.parse_args()
    print("| model | " + " | ".join(COLUMNS) + " |\n|---|" + "---:|" * len(COLUMNS))
    rows, context = [], {}
    for model in flags.models:
        name = pathlib.Path(model).stem
        medians, found = measured(model, flags)
        print(f"| {name} | " + " | ".join(f"{medians[key]:.1f}" for key in COLUMNS) + " |",
              flush=True)
        rows.append({"name": f"cold_start/{name}", "real_time": medians["none_ms"],
                     "time_unit": "ms", **medians})
        context = {key: found[key] for key in ("renderer", "driver", "revision")}
    if flags.json:
        pathlib.Path(flags.json).write_text(
            json.dumps({"context": context, "benchmarks": rows}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
