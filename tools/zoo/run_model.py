"""Runs one model on the CPU and on the GPU by LiteRT, and writes what came of it as JSON.

    run_model.py MODEL.tflite RESULT.json

Each model runs in its own process: the result names the phase that it entered last, so that a
crash tells where. GLES_DELEGATE_LIBRARY names the delegate's library.
"""

import json
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "python" / "src"))

# pylint: disable=wrong-import-position
import gles_delegate  # noqa: E402
import float_weights  # noqa: E402
from ai_edge_litert.interpreter import Interpreter  # noqa: E402

# The value of a free dimension, in each of two runs: a batch, and any other.
SIZES = ((1, 24), (3, 20))


def free_shapes(interpreter, sizes):
    """The inputs' shapes for one run, or None if all are fixed."""
    batch, other = sizes
    shapes, any_free = [], False
    for detail in interpreter.get_input_details():
        shape = list(detail["shape"])
        for axis, size in enumerate(detail["shape_signature"]):
            if size == -1:
                shape[axis], any_free = (other if axis else batch), True
        shapes.append(shape)
    return shapes if any_free else None


def random_value(shape, dtype, rng):
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in (np.int8, np.uint8, np.int16):
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, endpoint=True).astype(dtype)
    if np.issubdtype(dtype, np.integer):  # indices and tokens
        return rng.integers(0, 8, shape).astype(dtype)
    return rng.normal(size=shape).astype(dtype)


def run(interpreter, shapes, seed):
    """All outputs for random inputs of these shapes."""
    rng = np.random.default_rng(seed)
    details = interpreter.get_input_details()
    if shapes:
        for detail, shape in zip(details, shapes):
            interpreter.resize_tensor_input(detail["index"], shape)
    interpreter.allocate_tensors()
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], random_value(detail["shape"], detail["dtype"], rng))
    interpreter.invoke()
    return [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]


def run_signature(interpreter, key, seed):
    """All outputs of one signature for random inputs."""
    rng = np.random.default_rng(seed)
    runner = interpreter.get_signature_runner(key)
    inputs = {name: random_value(detail["shape"], detail["dtype"], rng)
              for name, detail in sorted(runner.get_input_details().items())}
    return [value for _, value in sorted(runner(**inputs).items())]


def run_all(interpreter):
    """The outputs of each run: of each signature if there are several."""
    keys = sorted(interpreter.get_signature_list())
    if len(keys) > 1:
        return [run_signature(interpreter, key, seed) for seed, key in enumerate(keys)]
    runs = [free_shapes(interpreter, sizes) for sizes in SIZES]
    if runs[0] is None:
        runs = [None]
    return [run(interpreter, shapes, seed) for seed, shapes in enumerate(runs)]


def differences(actual, expected):
    """The largest difference, relative to the range and to the largest of what is expected."""
    if actual.shape != expected.shape:
        return float("inf"), float("inf")
    if not expected.size:
        return 0.0, 0.0
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    same = (a == e) | (np.isnan(a) & np.isnan(e))
    if same.all():
        return 0.0, 0.0
    finite = e[np.isfinite(e)]
    most = np.max(np.abs(finite), initial=0.0) or 1.0
    spread = np.ptp(finite) if finite.size > 1 else most
    gap = np.max(np.abs(a - e)[~same])
    return float(gap / (spread or most)), float(gap / most)


def summary(report):
    """The page's text for a report."""
    stays = {}
    for entry in report.get("cpu", []):
        key = entry["op"], entry["reason"]
        stays[key] = stays.get(key, 0) + len(entry["nodes"])
    return {"nodes": report["nodes_total"], "on_gpu": report["nodes_delegated"],
            "partitions": report["partitions"],
            "cpu": [[op, reason, count] for (op, reason), count in sorted(stays.items())]}


def main():
    model, path = sys.argv[1], pathlib.Path(sys.argv[2])
    result = {"bytes": pathlib.Path(model).stat().st_size}

    def enter(phase):
        result["phase"] = phase
        path.write_text(json.dumps(result))

    try:
        enter("cpu")
        expected = run_all(Interpreter(model_path=model, num_threads=1))
        floats = float_weights.with_float_weights(pathlib.Path(model).read_bytes())
        if floats:
            expected = run_all(Interpreter(model_content=floats, num_threads=1))
        enter("delegate")
        interpreter = gles_delegate.interpreter(model, max_delegated_partitions=0, num_threads=1)
        enter("gpu")
        actual = run_all(interpreter)
        result.update(summary(gles_delegate.report(interpreter).json))
        gaps = [differences(a, e) for got, want in zip(actual, expected)
                for a, e in zip(got, want)]
        result["error"], result["of_largest"] = (max(gap) for gap in zip(*gaps))
        result["integers"] = all(np.issubdtype(e.dtype, np.integer) for e in expected[0])
        enter("done")
    except Exception as error:  # pylint: disable=broad-except
        result["why"] = " ".join(str(error).split())[-600:]
        path.write_text(json.dumps(result))


if __name__ == "__main__":
    main()
