#!/usr/bin/env python3
"""Decode of language models by this project's accelerator, LiteRT's own (WebGPU) and its CPU.

    benches/decode.py [--ways=ours,webgpu,cpu] [--tokens=N] [--rounds=N] [--threads=N] \\
        MODEL.tflite...

Needs a Python with ai-edge-litert 2.3 or newer and with the package gles_delegate, and decoders
whose mask is an input, as litert-torch exports them. Greedy, from one token on, by the signature
decode of LiteRT's CompiledModel: each run's caches are the next run's, as buffers. A time is that
of a whole token: token, position and mask are written, and the logits are read. The ways take
turns, each in its own process. Prints the median times in ms and the number of equal tokens. The
first quarter of the tokens is left out: a GPU raises its clock meanwhile.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

MARK = "DECODED "


def decode(way, path, count, threads):
    """The tokens and their times in ms."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    from ai_edge_litert import compiled_model as litert  # pylint: disable=import-outside-toplevel

    environment, hardware = None, litert.HardwareAccelerator.GPU
    if way == "ours":
        import gles_delegate  # pylint: disable=import-outside-toplevel
        environment = litert.Environment.create(
            runtime_path=gles_delegate.litert_runtime_dir())
    if way == "cpu":
        hardware = litert.HardwareAccelerator.CPU
    model = litert.CompiledModel.from_file(path, environment=environment, options=litert.Options(
        hardware_accelerators=hardware, gpu_options=litert.GpuOptions(enforce_f32=True),
        cpu_options=litert.CpuOptions(num_threads=threads)))
    signatures = model.get_signature_list()
    index, names = list(signatures).index("decode"), signatures["decode"]
    details = model.get_input_tensor_details("decode")
    inputs = dict(zip(names["inputs"], model.create_input_buffers(index)))
    outputs = dict(zip(names["outputs"], model.create_output_buffers(index)))
    caches = [name for name in inputs if name in outputs]
    for name in caches:
        inputs[name].write(np.zeros(details[name]["shape"], details[name]["dtype"]))
    words = int(np.prod(model.get_output_tensor_details("decode")["logits"]["shape"]))
    mask = np.full(details["mask"]["shape"], -1e4, np.float32)

    token, tokens, times = 1, [], []
    for place in range(count):
        begin = time.perf_counter()
        mask[..., place] = 0
        inputs["tokens"].write(np.full(details["tokens"]["shape"], token, np.int32))
        inputs["input_pos"].write(np.array([place], np.int32))
        inputs["mask"].write(mask)
        model.run_by_index(index, [inputs[name] for name in names["inputs"]],
                           [outputs[name] for name in names["outputs"]])
        token = int(outputs["logits"].read(words, np.float32).argmax())
        times.append(1e3 * (time.perf_counter() - begin))
        tokens.append(token)
        for name in caches:
            inputs[name], outputs[name] = outputs[name], inputs[name]
    return {"tokens": tokens, "times": times}


def measured(way, path, flags):
    """The tokens and times of a process, or a text that says why it has none."""
    command = [sys.executable, os.path.abspath(__file__), "--one", way,
               f"--tokens={flags.tokens}", f"--threads={flags.threads}", path]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              check=False, timeout=flags.timeout)
    except subprocess.TimeoutExpired:
        return f"more than {flags.timeout} s"
    for line in done.stdout.splitlines():
        if line.startswith(MARK):
            return json.loads(line[len(MARK):])
    if done.returncode < 0:
        return f"ends by signal {-done.returncode}"
    return (done.stderr.strip().splitlines() or ["no reason given"])[-1]


def cell(results):
    """
    >>> cell([{"times": [9, 2, 3, 4]}, {"times": [9, 4, 4, 4]}])
    '3.50'
    >>> cell([{"times": [1]}, "ends by signal 11"])
    'ends by signal 11'
    """
    for result in results:
        if isinstance(result, str):
            return result
    return f"{statistics.median(settled(r['times']) for r in results):.2f}"


def settled(times):
    return statistics.median(times[len(times) // 4:])


def equal_tokens(results):
    """
    >>> equal_tokens([{"tokens": [1, 2, 3]}, {"tokens": [1, 2, 4]}, "no reason given"])
    '2 of 3'
    """
    tokens = [result["tokens"] for result in results if not isinstance(result, str)]
    places = list(zip(*tokens))
    return f"{sum(len(set(place)) == 1 for place in places)} of {len(places)}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ways", default="ours,webgpu,cpu")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=4, help="of the CPU")
    parser.add_argument("--timeout", type=int, default=120, help="seconds, of a process")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("models", nargs="+")
    flags = parser.parse_args()
    if flags.one:
        print(MARK + json.dumps(decode(flags.one, flags.models[0], flags.tokens, flags.threads)))
        return
    ways = flags.ways.split(",")
    print("| model | " + " | ".join(ways) + " | equal tokens |")
    print("|---|" + "---:|" * (len(ways) + 1))
    for path in flags.models:
        rounds = [[measured(way, path, flags) for way in ways] for _ in range(flags.rounds)]
        cells = [cell(results) for results in zip(*rounds)]
        name = os.path.basename(path).replace(".tflite", "")
        print(f"| {name} | " + " | ".join(cells) + f" | {equal_tokens(rounds[0])} |", flush=True)


if __name__ == "__main__":
    main()
