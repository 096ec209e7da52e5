#!/usr/bin/env python3
"""Several interpreters of one model at once on one GPU, each on its own thread.

    benches/throughput.py [--interpreters=8] [--seconds=2] MODEL.tflite...

Needs a Python with gles_delegate and a runtime that it finds. Prints inferences a second of one
interpreter, and what 2, 4, ... give together, relative to it: with a delegate and a context each, and
with one delegate for all (thread_mode: worker). One is measured again at the end: if it differs, the
machine was not quiet.
"""

import argparse
import pathlib
import threading
import time

import gles_delegate


def per_second(model, count, seconds, shared):
    """Inferences a second together; all are warm before the first one counts."""
    runtime = gles_delegate.find_runtime(None)
    of_all = gles_delegate.load_delegate(thread_mode="worker") if shared else None
    counts, errors = [0] * count, []
    ready, stop = threading.Barrier(count + 1), threading.Event()

    def run(index):
        try:
            delegate = of_all or gles_delegate.load_delegate()
            interpreter = runtime.Interpreter(model, experimental_delegates=[delegate])
            interpreter.allocate_tensors()
            if not gles_delegate.report(delegate).nodes_delegated:
                raise RuntimeError("no node of the model is on the GPU")
            for _ in range(4):
                interpreter.invoke()
            ready.wait()
            while not stop.is_set():
                interpreter.invoke()
                counts[index] += 1
        except (RuntimeError, gles_delegate.DelegateError) as error:
            errors.append(error)
            ready.abort()
    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    try:
        ready.wait()
    except threading.BrokenBarrierError:
        raise errors[0] from None
    begin = time.perf_counter()
    time.sleep(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - begin)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interpreters", type=int, default=8, help="at most")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("models", nargs="+", metavar="MODEL.tflite")
    flags = parser.parse_args()
    counts = [2 ** n for n in range(1, flags.interpreters.bit_length())]
    print("| model | one | again | " + " | ".join(
        f"{n}, a delegate each | {n}, one delegate" for n in counts) + " |\n|---|"
        + "---:|" * (2 + 2 * len(counts)))
    for model in flags.models:
        def measure(count, shared):
            return per_second(model, count, flags.seconds, shared)  # pylint: disable=cell-var-from-loop
        one = measure(1, False)
        gains = [measure(n, shared) / one for n in counts for shared in (False, True)]
        print(f"| {pathlib.Path(model).stem} | {one:.1f} | {measure(1, False):.1f} | "
              + " | ".join(f"{gain:.2f}" for gain in gains) + " |", flush=True)


if __name__ == "__main__":
    main()
