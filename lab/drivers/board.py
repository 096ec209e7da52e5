#!/usr/bin/env python3
"""Measures this machine's GLES device for a row of the tuning table (`./dev board`).

    board.py --output=my_board.json MODEL.tflite...
    board_table.py my_board.json another.json     what was found, as tables

The file holds all that was found out about the board: machine, devices, limits,
the demo with its self-check, a sample of the conformance suite, the benches of the
device, and for each model whether it is right, how long it takes on GLES and on the
CPU, and what gles_tune finds. The file has no names of users, hosts or folders.
Steps that fail are in the file with the reason; the exit status is 1 where the demo
or a model is wrong.
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
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tests/drivers")]

# pylint: disable=wrong-import-position
import computing  # noqa: E402
from driver import Driver  # noqa: E402
from roots import NotAvailable  # noqa: E402

FORMAT = 1  # of the file


def first_of(path, lead):
    """The text behind `lead` on the first line of a file that begins with it."""
    try:
        for line in pathlib.Path(path).read_text(errors="replace").splitlines():
            if line.startswith(lead):
                return line[len(lead):].strip(" \t:\0")
    except OSError:
        pass
    return ""


def machine():
    """The kind of machine, by what it says of itself. No names of hosts or users."""
    return {"board": first_of("/proc/device-tree/model", "") or
                     first_of("/sys/class/dmi/id/product_name", ""),
            "processor": first_of("/proc/cpuinfo", "model name") or platform.machine(),
            "architecture": platform.machine(), "processors": os.cpu_count(),
            "memory": first_of("/proc/meminfo", "MemTotal"),
            "kernel": platform.release()}


def devices(driver):
    """The lines of --list_devices."""
    run = driver.run(["benchmark_model", "--list_devices"], 300)
    output = run.output.replace("\n      ", " ")  # a display's second and later lines
    return [" ".join(line.split()) for line in output.splitlines()]


def benches(driver, seconds, timeout, say):
    """device_bench's results as Google Benchmark gives them, names and times alone."""
    say("device_bench")
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/bench.json"
        try:
            run = driver.run(["device_bench", f"--benchmark_min_time={seconds}",
                              f"--benchmark_out={out}", "--benchmark_out_format=json"], timeout)
        except NotAvailable as error:
            return {"why": str(error), "results": []}
        found = computing.read_report(out).get("benchmarks", [])
    keys = ("name", "real_time", "time_unit", "bytes_per_second", "items_per_second", "label")
    return {"why": "" if run.ok else run.why(),
            "results": [{k: b[k] for k in keys if k in b} for b in found]}


def latency(driver, path, runs, timeout, options=""):
    """{backend: median ms} of one model."""
    with tempfile.TemporaryDirectory() as folder:
        report_file, out = f"{folder}/report.json", f"{folder}/latency.json"
        backends = ["--use_gles"] if options else ["--use_gles", "--use_xnnpack", "--use_cpu"]
        run = driver.run(["benchmark_model", f"--graph={path}", *backends, f"--num_runs={runs}",
                          f"--num_threads={os.cpu_count()}", f"--report_json={out}"], timeout,
                         computing.report_options(report_file, options))
        result = computing.read_report(out)
    return {"why": "" if run.ok else run.why(),
            "median_ms": {b["backend"]: b["invoke_ms"]["median"] for b in result or []}}


TUNED = re.compile(r"([\d.]+) ms with the device preset, ([\d.]+) ms with (\S+)")


def tune(driver, path, runs, timeout):
    """The tuning that gles_tune finds for one model, and latency() with it."""
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/tuning"
        run = driver.run(["gles_tune", f"--graph={path}", f"--output_file={file}"], timeout)
        found = TUNED.search(run.output)
        if not run.ok or not found:
            return {"why": run.why(), "tuning": [], "median_ms": {}}
        result = latency(driver, path, runs, timeout, f";tuning_file:{file}")
    before, after, profile = found.groups()
    result["tuning"] = [{"profile": profile if "=" in profile else "",
                         "before_ms": float(before), "after_ms": float(after)}]
    return result


def measure(driver, flags, say):
    result = {"format": FORMAT, "date": datetime.date.today().isoformat(), "machine": machine(),
              "devices": devices(driver)}
    result.update(computing.identity(driver, say))
    if not result["renderer"]:
        return result
    result["conformance"] = computing.conformance(driver, flags.sample, False, flags.timeout, say)
    result["benches"] = benches(driver, flags.bench_seconds, flags.timeout, say)
    result["models"] = {}
    for path in flags.models:
        say(f"model {path.stem}: right?")
        entry = computing.model(driver, path, flags.timeout)
        say(f"model {path.stem}: how fast?")
        entry["latency"] = latency(driver, path, flags.runs, flags.timeout)
        if flags.tune:
            say(f"model {path.stem}: gles_tune")
            entry["tuned"] = tune(driver, path, flags.runs, flags.timeout)
        result["models"][path.stem] = entry
    return result


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = HERE.parent.parent
    parser.add_argument("models", nargs="*", type=pathlib.Path, metavar="MODEL.tflite")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("board.json"))
    parser.add_argument("--build_dir", type=pathlib.Path, default=root / "build",
                        help="where bin/ is; of an installed package: its prefix")
    parser.add_argument("--device", default=os.environ.get("GLES_DELEGATE_DEVICE", ""))
    parser.add_argument("--sample", type=int, default=20, help="one conformance case in SAMPLE")
    parser.add_argument("--runs", type=int, default=50, help="timed runs of a model")
    parser.add_argument("--bench_seconds", type=float, default=0.2)
    parser.add_argument("--no-tune", dest="tune", action="store_false")
    parser.add_argument("--timeout", type=float, default=3600, help="seconds of one program")
    flags = parser.parse_args()
    start = time.monotonic()

    def say(text):
        print(f"[{time.monotonic() - start:5.0f} s] {text}", file=sys.stderr, flush=True)

    driver = Driver({"name": "board", "device": flags.device}, {}, {}, flags.build_dir.resolve())
    try:
        result = measure(driver, flags, say)
    except NotAvailable as error:
        print(f"board.py: {error}", file=sys.stderr)
        return 2
    part = flags.output.with_suffix(".part")
    part.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")
    part.replace(flags.output)
    say(f"{flags.output} written")
    right = result["demo"]["ok"] and all(m["right"] for m in result.get("models", {}).values())
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
