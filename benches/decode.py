#!/usr/bin/env python3
"""Decode of language models by this project's accelerator, LiteRT's own (WebGPU) and its CPU.

    benches/decode.py [--ways=ours,webgpu,cpu] [--tokens=N] [--rounds=N] [--threads=N] \\
        MODEL.tflite...

Needs a Python with ai-edge-litert 2.3 or newer and with the package gles_delegate, and decoders
whose mask is an input, as litert-torch exports them (make_decoder.py). Greedy, from one token on,
by the signature decode of LiteRT's CompiledModel: each run's caches are the next run's, as buffers.
A time is that of a whole token: token, position and mask are written, and the logits are read. Then
the longest signature prefill runs as often as --prefills says, from empty caches. The ways take
turns, each in its own process. Prints the median times in ms of a token and of a prefill. The first
quarter is left out: a GPU raises its clock meanwhile. If there are several ways, it also prints how
many tokens are equal and the largest difference of the last logits from the last way's, relative to
their norm: tokens of random weights may be equal by chance.
"""

import argparse
import json
import math
import os
import statistics
import sys
import time

import litert_ways


class Signature:
    """A signature of a CompiledModel, with buffers for its tensors."""

    def __init__(self, model, name):
        self.model, self.name = model, name
        signatures = model.get_signature_list()
        self.index, names = list(signatures).index(name), signatures[name]
        self.details = model.get_input_tensor_details(name)
        self.inputs = dict(zip(names["inputs"], model.create_input_buffers(self.index)))
        self.outputs = dict(zip(names["outputs"], model.create_output_buffers(self.index)))
        self.caches = [name for name in self.inputs if name in self.outputs]

    def write(self, name, value):
        import numpy as np  # pylint: disable=import-outside-toplevel
        detail = self.details[name]
        values = np.broadcast_to(np.asarray(value, detail["dtype"]), detail["shape"])
        self.inputs[name].write(np.ascontiguousarray(values))

    def run(self):
        self.model.run_by_index(self.index, list(self.inputs.values()),
                                list(self.outputs.values()))


def decode(model, count, swaps):
    """The tokens and their times in ms."""
    import numpy as np  # pylint: disable=import-outside-toplevel

    step = Signature(model, "decode")
    for name in step.caches:
        step.write(name, 0)
        if not swaps:
            step.outputs[name] = step.inputs[name]
    words = int(np.prod(model.get_output_tensor_details("decode")["logits"]["shape"]))
    mask = np.full(step.details["mask"]["shape"], -1e4, np.float32)
    token, tokens, times = 1, [], []
    for place in range(count):
        begin = time.perf_counter()
        mask[..., place] = 0
        step.write("tokens", token)
        step.write("input_pos", place)
        step.write("mask", mask)
        step.run()
        logits = step.outputs["logits"].read(words, np.float32)
        token = int(logits.argmax())
        times.append(1e3 * (time.perf_counter() - begin))
        tokens.append(token)
        if swaps:
            for name in step.caches:
                step.inputs[name], step.outputs[name] = step.outputs[name], step.inputs[name]
    return {"tokens": tokens, "times": times, "logits": np.asarray(logits).tolist()}


def prefill(model, count):
    """The times in ms of the longest prefill."""
    import numpy as np  # pylint: disable=import-outside-toplevel

    names = [name for name in model.get_signature_list() if name.startswith("prefill")]
    lengths = {name: int(np.prod(model.get_input_tensor_details(name)["tokens"]["shape"]))
               for name in names}
    step = Signature(model, max(lengths, key=lengths.get))
    for name in step.caches:
        step.write(name, 0)
    shape = step.details["mask"]["shape"]
    step.write("mask", np.where(np.arange(shape[-1]) <= np.arange(shape[-2])[:, None], 0, -1e4))
    positions = np.arange(lengths[step.name])
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        step.write("tokens", 1 + positions % 500)
        step.write("input_pos", positions)
        step.run()
        times.append(1e3 * (time.perf_counter() - begin))
    return times


def measured(way, path, flags):
    """The tokens and times of a process, or a text that says why it has none."""
    return litert_ways.measured(
        [sys.executable, os.path.abspath(__file__), "--one", way, f"--tokens={flags.tokens}",
         f"--prefills={flags.prefills}", f"--threads={flags.threads}", path]
        + ["--swap"] * flags.swap, flags.timeout)[0]


def cell(results):
    """
    >>> cell([{"times": [9, 2, 3, 4], "prefills": [8]}, {"times": [9, 4, 4, 4], "prefills": [6]}])
    '3.50 / 7.00'
    >>> cell([{"times": [1]}, "ends by signal 11"])
    'ends by signal 11'
    """
    for result in results:
        if isinstance(result, str):
            return result
    return " / ".join(f"{statistics.median(settled(r[part]) for r in results):.2f}"
                      for part in ("times", "prefills"))


def settled(times):
    return statistics.median(times[len(times) // 4:])


def equal_tokens(results):
    """
    >>> equal_tokens([{"tokens": [1, 2, 3]}, {"tokens": [1, 2, 4]}, "no reason given"])
    '2 of 3'
    >>> equal_tokens([{"tokens": [1, 2, 3]}])
    'not compared'
    """
    tokens = [result["tokens"] for result in results if not isinstance(result, str)]
    if len(tokens) < 2:
        return "not compared"
    places = list(zip(*tokens))
    return f"{sum(len(set(place)) == 1 for place in places)} of {len(places)}"


def difference(results):
    """
    >>> difference([{"logits": [3, 4.5]}, "no reason given", {"logits": [3, 4]}])
    '1.0e-01'
    >>> difference([{"logits": [3, 4]}])
    'not compared'
    """
    *others, expected = [r["logits"] for r in results if not isinstance(r, str)] or [[]]
    if not others:
        return "not compared"
    largest = max(math.dist(got, expected) for got in others)
    return f"{largest / math.hypot(*expected):.1e}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ways", default="ours,webgpu,cpu")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--prefills", type=int, default=16)
    parser.add_argument("--swap", action="store_true",
                        help="two buffers a cache, by turns input and output (default: one)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=4, help="of the CPU")
    parser.add_argument("--timeout", type=int, default=120, help="seconds, of a process")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("models", nargs="+")
    flags = parser.parse_args()
    if flags.one:
        model = litert_ways.compiled(flags.one, flags.models[0], rest_on_cpu=False,
                                     threads=flags.threads)
        result = decode(model, flags.tokens, flags.swap)
        result["prefills"] = prefill(model, flags.prefills)
        print(litert_ways.MARK + json.dumps(result))
        return
    ways = flags.ways.split(",")
    print("| model | " + " | ".join(ways) + " | equal tokens | last logits |")
    print("|---|" + "---:|" * (len(ways) + 2))
    for path in flags.models:
        rounds = [[measured(way, path, flags) for way in ways] for _ in range(flags.rounds)]
        cells = [cell(results) for results in zip(*rounds)]
        name = os.path.basename(path).replace(".tflite", "")
        print(f"| {name} | " + " | ".join(cells) +
              f" | {equal_tokens(rounds[0])} | {difference(rounds[0])} |", flush=True)


if __name__ == "__main__":
    main()
