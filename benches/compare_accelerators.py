#!/usr/bin/env python3
"""This project's accelerator of LiteRT beside LiteRT's own, WebGPU.

    benches/compare_accelerators.py [--rounds=N] [--runs=N] [--warmup_secs=N] MODEL.tflite...

Needs a Python with ai-edge-litert 2.3 or newer and with the package gles_delegate. Each model
is compiled for GPU | CPU and run by each accelerator, in its own process, alternately, with
32-bit floats, on the same input, without the driver's shader cache. A model's row shows how many
nodes each accelerator takes and how far its answers are from the CPU's. Run and start (compiling
and the first run) are WebGPU's time divided by this accelerator's: the median of the rounds, and
their range.
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time

import litert_ways
from litert_ways import MARK


def random_inputs(model, signature, seed):
    """Buffers of a CompiledModel's inputs: floats in [-1, 1], integers of the type's range."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    rng = np.random.default_rng(seed)
    key, names = list(model.get_signature_list().items())[signature]
    details = model.get_input_tensor_details(key)
    inputs = model.create_input_buffers(signature)
    for buffer, name in zip(inputs, names["inputs"]):
        shape, dtype = details[name]["shape"], np.dtype(details[name]["dtype"])
        values = (rng.uniform(-1, 1, shape) if dtype.kind == "f" else
                  rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape))
        buffer.write(values.astype(dtype))
    return inputs


def step_of(accelerator, path):
    """A function that runs the model once and returns its outputs."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    model = litert_ways.compiled(accelerator, path)
    (key, names), = list(model.get_signature_list().items())[:1]
    inputs, outputs = random_inputs(model, 0, seed=1), model.create_output_buffers(0)
    details = [model.get_output_tensor_details(key)[name] for name in names["outputs"]]
    sizes = [(int(np.prod(detail["shape"])), np.dtype(detail["dtype"])) for detail in details]

    def step():
        model.run_by_index(0, inputs, outputs)
        return [buffer.read(*size) for buffer, size in zip(outputs, sizes)]
    return step


def measure(accelerator, path, flags):
    """Runs in its own process: measures, and prints one line of JSON."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    expected = step_of("cpu", path)()
    begin = time.perf_counter()
    step = step_of(accelerator, path)
    answer = step()
    start = time.perf_counter() - begin
    # This project's accelerator may run its baseline plan first.
    while time.perf_counter() < begin + start + flags.warmup_secs:
        step()
    times = []
    for _ in range(flags.runs):
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
    pairs = [(a.astype(np.float64), e.astype(np.float64)) for a, e in zip(answer, expected)]
    print(MARK + json.dumps({
        "start": start, "latency": statistics.median(times),
        "error": max(float(np.max(np.abs(a - e)) / max(np.max(np.abs(e)), 1e-30))
                     for a, e in pairs)}))


def one(accelerator, model, flags):
    """A process's measurements, or a text that says why it has none."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        result, log = litert_ways.measured(
            [sys.executable, os.path.abspath(__file__), "--measure", accelerator,
             f"--runs={flags.runs}", f"--warmup_secs={flags.warmup_secs}", model], timeout=None,
            environment=dict(os.environ, MESA_SHADER_CACHE_DISABLE="true",
                             GLES_DELEGATE_OPTIONS=";".join(filter(None, [
                                 os.environ.get("GLES_DELEGATE_OPTIONS"),
                                 f"report_file:{report}"]))))
        if isinstance(result, str):
            return result
        if not os.path.exists(report):
            return {**result, **nodes_in(log)}
        with open(report, encoding="utf-8") as file:
            nodes = json.load(file)
        return {**result, "nodes": [nodes["nodes_delegated"], nodes["nodes_total"]]}


def nodes_in(log):
    """The nodes that WebGPU takes, if it says that it leaves some.

    >>> nodes_in("INFO: 29 operations will run on the GPU, and the remaining 2 on the CPU.")
    {'nodes': [29, 31]}
    >>> nodes_in("")
    {}
    """
    left = re.search(r"(\d+) operations will run on the GPU, and the remaining (\d+)", log)
    if not left:
        return {}
    taken, others = (int(count) for count in left.groups())
    return {"nodes": [taken, taken + others]}


def ratio_of(rounds, what):
    """
    >>> ratio_of([({"x": 2}, {"x": 3}), ({"x": 1}, {"x": 2}), ({"x": 1}, {"x": 4})], "x")
    '2.00 (1.50 to 4.00)'
    """
    ratios = [webgpu[what] / ours[what] for ours, webgpu in rounds]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def nodes_of(measured):
    """
    >>> nodes_of({"nodes": [29, 31]}), nodes_of({"nodes": [31, 31]}), nodes_of({})
    ('29 of 31', 'all', 'all')
    """
    taken, total = measured.get("nodes", [1, 1])
    return "all" if taken == total else f"{taken} of {total}"


def row(model, rounds):
    """
    >>> print(row("d/a.tflite", [({"latency": 1, "start": 2, "error": 1e-6},
    ...                           {"latency": 3, "start": 1, "error": 2e-3})]))
    | a | all, 1.0e-06 | all, 2.0e-03 | 3.00 (3.00 to 3.00) | 0.50 (0.50 to 0.50) |
    >>> print(row("a.tflite", [({"error": 0.0}, "No adapters found")]))
    | a | all, 0.0e+00 | fails: No adapters found | | |
    """
    name = os.path.basename(model).replace(".tflite", "")
    cells = [f"fails: {measured}" if isinstance(measured, str) else
             f"{nodes_of(measured)}, {measured['error']:.1e}" for measured in rounds[-1]]
    if any(isinstance(measured, str) for pair in rounds for measured in pair):
        return f"| {name} | {cells[0]} | {cells[1]} | | |"
    return (f"| {name} | {cells[0]} | {cells[1]} | {ratio_of(rounds, 'latency')} "
            f"| {ratio_of(rounds, 'start')} |")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--warmup_secs", type=float, default=4,
                        help="how long it runs before runs are timed (default 4)")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("models", nargs="+")
    flags = parser.parse_args()
    if flags.measure:
        measure(flags.measure, flags.models[0], flags)
        return
    print("| model | ours: nodes, error | WebGPU: nodes, error | run, WebGPU / ours "
          "| start, WebGPU / ours |\n|---|---|---|---|---|", flush=True)
    for model in flags.models:
        rounds = []
        for at in range(flags.rounds):
            print(f"{model}: round {at + 1} of {flags.rounds}", file=sys.stderr, flush=True)
            rounds.append(tuple(one(which, model, flags) for which in ("ours", "webgpu")))
        print(row(model, rounds), flush=True)


if __name__ == "__main__":
    main()
