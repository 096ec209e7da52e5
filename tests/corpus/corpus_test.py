"""The small models of this folder on the CPU and on the GPU of LiteRT, resized at random.

    corpus_test.py LIBRARY FOLDER            the test: FOLDER gets an environment
    corpus_test.py --compare [--write] LIBRARY [MODEL...]
                                             in a Python that has LiteRT; --write makes expected.tsv

`./dev zoo --corpus` makes the models (lab/zoo/architectures/*_corpus.py). Each runs with
one partition and with all, first at the shapes of the file, then after sequences of resizes of
its free dimensions; each answer is compared with the CPU's. The number of nodes on the GPU is
held against expected.tsv, so that a model which falls off the GPU fails, and so does one that
the table says less of than is true.

CTest runs this as `corpus`. The Python is found as tests/wheel_test.py says.
"""

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import wheel_test  # pylint: disable=wrong-import-position

EXPECTED = HERE / "expected.tsv"
HEADER = ("model", "nodes", "on the GPU (1 partition)", "on the GPU (all partitions)")
SEQUENCES = 20  # of resizes, a model
RESIZES = 3
LIMIT_S = 3000
PARTITIONS = (1, 0)  # max_delegated_partitions; 0 is all
# Relative to the largest magnitude of an output, as in tests/testing/real_model.h. Integers are
# equal. Of weights in 8 or 4 bits beside float activations the CPU rounds the activations to 8
# bits, half a step or 1/254 of the largest at most, which the GPU does not: a few such steps.
FLOATS, HYBRID = 2e-5, 1 / 64


# --- In the process of one model ------------------------------------------------


def free_axes(np, details):
    """The axes of each input that may change."""
    return [np.flatnonzero(np.asarray(d["shape_signature"]) == -1) for d in details]


def random_shapes(np, rng, details, free):
    """New shapes: a batch of 1 to 4, and one length for all other free dimensions, 4 to 12."""
    batch, length = int(rng.integers(1, 5)), int(rng.integers(4, 13))
    shapes = []
    for detail, axes in zip(details, free):
        shape = list(detail["shape_signature"])
        for axis in axes:
            shape[axis] = length if axis else batch
        shapes.append([int(size) for size in shape])
    return shapes


def random_value(np, rng, shape, dtype):
    if dtype in (np.int8, np.int16):
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, endpoint=True).astype(dtype)
    if np.issubdtype(dtype, np.integer):  # tokens and places
        return rng.integers(0, 8, shape).astype(dtype)
    return rng.normal(size=shape).astype(dtype)


def answer(interpreter, shapes, values):
    details = interpreter.get_input_details()
    if shapes:
        for detail, shape in zip(details, shapes):
            interpreter.resize_tensor_input(detail["index"], shape)
    interpreter.allocate_tensors()
    for detail, value in zip(details, values):
        interpreter.set_tensor(detail["index"], value)
    interpreter.invoke()
    return [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]


def difference(np, actual, expected, share):
    """"" or how an output differs."""
    if actual.shape != expected.shape:
        return f"shape {list(actual.shape)}, the CPU's is {list(expected.shape)}"
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    share = 0 if np.issubdtype(expected.dtype, np.integer) else share
    bound = share * np.max(np.abs(e), initial=0)
    gap = np.max(np.where(a == e, 0, np.abs(a - e)), initial=0)
    return "" if gap <= bound else f"off by {gap:.3g} of {np.max(np.abs(e)):.3g}"


def run_one(model, partitions):
    """Nodes, nodes on the GPU, and what is wrong."""
    # pylint: disable=import-outside-toplevel
    import gles_delegate
    import numpy as np
    from ai_edge_litert.interpreter import Interpreter
    cpu = Interpreter(model_path=model, num_threads=1)
    details = cpu.get_input_details()
    free = free_axes(np, details)
    shapes = None
    rng = np.random.default_rng(1)
    if any(axes.size for axes in free):
        shapes = random_shapes(np, rng, details, free)
    steps = [shapes]
    try:
        gpu = gles_delegate.interpreter(model, max_delegated_partitions=partitions, num_threads=1)
    except (gles_delegate.DelegateError, RuntimeError, ValueError) as error:
        return ["refused", "refused", " ".join(str(error).split())[-300:]]
    report, wrong = None, ""
    mode = pathlib.Path(model).stem.split(".")[1]
    share = HYBRID if mode in ("dynamic_int8", "int4") else FLOATS
    for sequence in range(SEQUENCES if shapes else 1):
        if sequence:
            steps = [random_shapes(np, rng, details, free) for _ in range(RESIZES)]
        for now in steps:
            values = [random_value(np, rng, now[i] if now else d["shape"], d["dtype"])
                      for i, d in enumerate(details)]
            expected = answer(cpu, now, values)
            try:
                actual = answer(gpu, now, values)
            except (RuntimeError, ValueError) as error:
                return ["failed", "failed", f"at {now}: {' '.join(str(error).split())[-300:]}"]
            report = report or gles_delegate.report(gpu)
            for index, (a, e) in enumerate(zip(actual, expected)):
                gap = difference(np, a, e, share)
                wrong = wrong or gap and f"output {index} is {gap} at {now}, sequence {sequence}"
    return [report.nodes_total, report.nodes_delegated, wrong]


def run_each(paths):
    """Prints a line of JSON for each model: what run_one() has for each choice of partitions."""
    for path in paths:
        print(json.dumps([run_one(path, partitions) for partitions in PARTITIONS]), flush=True)


def results_of(library, paths):
    """Yields each model's path and results. A process that dies takes one model with it."""
    src = HERE.parents[1] / "bindings" / "python" / "src"
    left = list(paths)
    while left:
        command = [sys.executable, "-B", __file__, "--each", *left]
        try:
            done = subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False,
                                  env={**os.environ, "PYTHONPATH": str(src),
                                       "GLES_DELEGATE_LIBRARY": library})
            lines, why = done.stdout, f"ended with {done.returncode}: {done.stderr[-300:]}"
        except subprocess.TimeoutExpired as late:
            lines, why = late.stdout or b"", f"not done after {LIMIT_S} s"
        found = [json.loads(line) for line in lines.splitlines() if line.endswith(b"]")]
        if len(found) < len(left):
            found.append([["failed", "failed", why]] * len(PARTITIONS))
        yield from zip(left, found)
        left = left[len(found):]


# --- The test -------------------------------------------------------------------


def read_expected():
    lines = EXPECTED.read_text().splitlines()[1:] if EXPECTED.exists() else []
    return {line.split("\t")[0]: line.split("\t")[1:] for line in lines}


def compare(library, names, write):
    """Prints what is wrong; returns how many models differ from the table."""
    expected, bad = read_expected(), 0
    models = sorted(HERE.glob("*.tflite"))
    for name in set(expected) - {model.stem for model in models}:
        print(f"FAILED {name}: {EXPECTED.name} has a line, but there is no model")
        bad += not write
        del expected[name]
    wanted = [str(m) for m in models if not names or m.stem in names]
    for path, (one, every) in results_of(library, wanted):
        name = pathlib.Path(path).stem
        row = [str(one[0]), str(one[1]), str(every[1])]
        faults = [result[2] for result in (one, every) if result[2]]
        for found, nodes in ((one, 1), (every, 2)):
            if found[2] and str(found[1]).isdigit():
                row[nodes] += " wrong"
        if write:
            expected[name] = row
        elif row != expected.get(name):
            bad += 1
            print(f"FAILED {name}: {row}, expected {expected.get(name)}")
        for fault in faults:
            print(f"{name}: {fault}")
        print(f"{name}: {' '.join(row)}", flush=True)
    if write:
        EXPECTED.write_text("\n".join(["\t".join(HEADER)] + [
            "\t".join([name, *row]) for name, row in sorted(expected.items())]) + "\n")
    return bad


def main():
    if sys.argv[1] == "--each":
        run_each(sys.argv[2:])
        return
    if sys.argv[1] == "--compare":
        write = "--write" in sys.argv
        library, *names = [a for a in sys.argv[2:] if a != "--write"]
        sys.exit(1 if compare(os.path.abspath(library), names, write) else 0)
    library, folder = sys.argv[1:3]
    python = wheel_test.python_with_the_wheel(folder)
    sys.exit(subprocess.run([python, "-B", __file__, "--compare", library],
                            check=False).returncode)


if __name__ == "__main__":
    main()
