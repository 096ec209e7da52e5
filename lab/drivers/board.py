#!/usr/bin/env python3
"""Measures this machine's GLES device for a row of the tuning table (`./dev board`).

    board.py --output=my_board.json MODEL.tflite...

The file holds all that was found out about the board: machine, limits, the demo with
its self-check, a sample of the conformance suite, the benches of the device, and for
each model whether it is right, how long it takes on GLES and on the CPU, and what
gles_tune finds. It has no names of users, hosts or folders. Steps that fail are in it
with the reason; the exit status is 1 where the demo or a model is wrong.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tests/drivers")]

# pylint: disable=wrong-import-position
import computing  # noqa: E402
from driver import Driver  # noqa: E402
from roots import NotAvailable  # noqa: E402

BENCH_KEYS = ("name", "real_time", "time_unit", "bytes_per_second", "items_per_second", "label")
TUNED = re.compile(r"[\d.]+ ms with the device preset, [\d.]+ ms with (?:\w+=\d+,? ?)*")


def machine():
    """The kind of machine, by what it says of itself. No names of hosts or users."""
    names = [pathlib.Path(path).read_text(errors="replace").strip("\0\n ")
             for path in ("/proc/device-tree/model", "/sys/class/dmi/id/product_name")
             if os.access(path, os.R_OK)]
    return {"board": names[0] if names else "", "architecture": platform.machine(),
            "processors": os.cpu_count(), "kernel": platform.release()}


def benches(driver, timeout, folder):
    """device_bench's results as Google Benchmark gives them, names and times alone."""
    out = f"{folder}/bench.json"
    run = driver.run(["device_bench", "--benchmark_min_time=0.2", f"--benchmark_out={out}",
                      "--benchmark_out_format=json"], timeout)
    return {"why": "" if run.ok else run.why(),
            "results": [{key: bench[key] for key in BENCH_KEYS if key in bench}
                        for bench in computing.read_report(out).get("benchmarks", [])]}


def latency(driver, path, timeout, folder, options=""):
    """{backend: median ms} of one model."""
    out = f"{folder}/latency.json"
    run = driver.run(["benchmark_model", f"--graph={path}", "--use_gles", "--use_xnnpack",
                      "--use_cpu", f"--num_threads={os.cpu_count()}", f"--report_json={out}"],
                     timeout, {"GLES_DELEGATE_OPTIONS": options})
    return {"why": "" if run.ok else run.why(),
            "median_ms": {b["backend"]: b["invoke_ms"]["median"]
                          for b in computing.read_report(out) or []}}


def tuned(driver, path, timeout, folder):
    """What gles_tune finds for one model, in its words, and latency() with it."""
    file = f"{folder}/tuning"
    run = driver.run(["gles_tune", f"--graph={path}", f"--output_file={file}"], timeout)
    if not run.ok:
        return {"why": run.why(), "found": []}
    return {**latency(driver, path, timeout, folder, f"tuning_file:{file}"),
            "found": TUNED.findall(" ".join(run.output.split()))}


def measure(driver, flags, folder):
    def say(text):
        print(text, file=sys.stderr, flush=True)
    result = {"date": datetime.date.today().isoformat(), "machine": machine(),
              **computing.identity(driver, say), "models": {}}
    if not result["renderer"]:
        return result
    result["conformance"] = computing.conformance(driver, flags.sample, False, flags.timeout, say)
    say("device_bench")
    result["benches"] = benches(driver, flags.timeout, folder)
    for path in flags.models:
        say(f"model {path.stem}")
        result["models"][path.stem] = {
            **computing.model(driver, path, flags.timeout),
            "latency": latency(driver, path, flags.timeout, folder),
            "tuned": tuned(driver, path, flags.timeout, folder)}
    return result


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=pathlib.Path, metavar="MODEL.tflite")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("board.json"))
    parser.add_argument("--build_dir", type=pathlib.Path, default=HERE.parents[1] / "build",
                        help="where bin/ is; of an installed package: its prefix")
    parser.add_argument("--device", default=os.environ.get("GLES_DELEGATE_DEVICE", ""))
    parser.add_argument("--sample", type=int, default=20, help="one conformance case in SAMPLE")
    parser.add_argument("--timeout", type=float, default=3600, help="seconds of one program")
    flags = parser.parse_args()
    driver = Driver({"name": "board", "device": flags.device}, {}, {}, {"amd64": flags.build_dir.resolve()})
    try:
        with tempfile.TemporaryDirectory() as folder:
            result = measure(driver, flags, folder)
    except NotAvailable as error:
        sys.exit(f"board.py: {error}")
    flags.output.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")
    return 0 if result["demo"]["ok"] and all(
        model["right"] for model in result["models"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
