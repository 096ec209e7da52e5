#!/usr/bin/env python3
"""LiteRT's CompiledModel beside its interpreter, both with this project's delegate.

    benches/compiled_model.py [--rounds=N] [--runs=N] [--warmup_runs=N] MODEL.tflite...

Needs a Python with ai-edge-litert 2.3 or newer and with the package gles_delegate. A time is that
of writing the inputs, the run and reading the outputs; CompiledModel's are in the buffers that
LiteRT makes. The two ways take turns, each in its own process. Prints for each model the medians of
the rounds, in ms, and how many microseconds CompiledModel takes more.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

WAYS = ("interpreter", "compiled")


def random_values(details):
    import numpy as np  # pylint: disable=import-outside-toplevel
    return [np.random.default_rng(1).random(tuple(detail["shape"])).astype(detail["dtype"])
            for detail in details]


def interpreter_step(path):
    # pylint: disable=import-outside-toplevel
    import gles_delegate
    from ai_edge_litert import interpreter as litert

    model = litert.Interpreter(path, experimental_delegates=[gles_delegate.load_delegate()])
    model.allocate_tensors()
    details = model.get_input_details()
    values = random_values(details)

    def step():
        for detail, value in zip(details, values):
            model.set_tensor(detail["index"], value)
        model.invoke()
        return [model.get_tensor(detail["index"]) for detail in model.get_output_details()]
    return step


def compiled_step(path):
    # pylint: disable=import-outside-toplevel
    import gles_delegate
    import numpy as np
    from ai_edge_litert import compiled_model as litert

    environment = litert.Environment.create(runtime_path=gles_delegate.litert_runtime_dir())
    model = litert.CompiledModel.from_file(path, environment=environment, options=litert.Options(
        hardware_accelerators=litert.HardwareAccelerator.GPU,
        gpu_options=litert.GpuOptions(enforce_f32=True)))
    key, names = next(iter(model.get_signature_list().items()))
    ins, outs = model.get_input_tensor_details(key), model.get_output_tensor_details(key)
    values = random_values([ins[name] for name in names["inputs"]])
    sizes = [(int(np.prod(outs[name]["shape"])), np.dtype(outs[name]["dtype"]))
             for name in names["outputs"]]
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)

    def step():
        for buffer, value in zip(inputs, values):
            buffer.write(value)
        model.run_by_index(0, inputs, outputs)
        return [buffer.read(*size) for buffer, size in zip(outputs, sizes)]
    return step


def measure(way, path, flags):
    """Runs in its own process: prints the median in ms."""
    step = compiled_step(path) if way == "compiled" else interpreter_step(path)
    times = []
    for _ in range(flags.warmup_runs + flags.runs):
        begin = time.perf_counter()
        step()
        times.append(1e3 * (time.perf_counter() - begin))
    print(statistics.median(times[flags.warmup_runs:]))


def measured(way, path, flags):
    """The median of a new process; exits with its error."""
    done = subprocess.run(
        [sys.executable, os.path.abspath(__file__), "--measure", way, f"--runs={flags.runs}",
         f"--warmup_runs={flags.warmup_runs}", path],
        capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        sys.exit(f"{path}, {way}: {reason}")
    return float(done.stdout.split()[-1])


def row(path, rounds):
    """
    >>> row("d/a.tflite", [(0.3, 0.32), (0.2, 0.31), (0.4, 0.5)])
    '| a | 0.300 | 0.320 | +20 |'
    """
    one, other = (statistics.median(times) for times in zip(*rounds))
    name = os.path.basename(path).replace(".tflite", "")
    return f"| {name} | {one:.3f} | {other:.3f} | {1e3 * (other - one):+.0f} |"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--warmup_runs", type=int, default=400)
    parser.add_argument("--measure", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("models", nargs="+", metavar="MODEL.tflite")
    flags = parser.parse_args()
    if flags.measure:
        measure(flags.measure, flags.models[0], flags)
        return
    print("| model | interpreter | CompiledModel | more, us |\n|---|---:|---:|---:|")
    for path in flags.models:
        print(row(path, [tuple(measured(way, path, flags) for way in WAYS)
                         for _ in range(flags.rounds)]))


if __name__ == "__main__":
    main()
