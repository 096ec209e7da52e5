"""Runs a model on the CPU and on the GPU by LiteRT, and writes what came of it as JSON.

    run_model.py MODEL.tflite RESULT.json

The result names the phase that was entered last, so that a crash tells where.
GLES_DELEGATE_LIBRARY names the delegate's library.
"""

import json
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python" / "src"))

# pylint: disable=wrong-import-position
import gles_delegate  # noqa: E402
import float_weights  # noqa: E402
from ai_edge_litert import compiled_model as litert  # noqa: E402
from ai_edge_litert.interpreter import Interpreter, OpResolverType  # noqa: E402
from page import FLOATS  # noqa: E402

# The value of a free dimension in each of three runs: a batch, and any other. The first is shorter
# than a frame of a spectrogram.
SIZES = ((1, 24), (3, 16), (2, 200))


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


def random_inputs(details, shapes, seed):
    rng = np.random.default_rng(seed)
    return [random_value(shape, detail["dtype"], rng) for detail, shape in zip(details, shapes)]


def run(interpreter, shapes, seed):
    """All outputs for random inputs of these shapes."""
    details = interpreter.get_input_details()
    if shapes:
        for detail, shape in zip(details, shapes):
            interpreter.resize_tensor_input(detail["index"], shape)
    interpreter.allocate_tensors()
    shapes = shapes or [detail["shape"] for detail in details]
    for detail, value in zip(details, random_inputs(details, shapes, seed)):
        interpreter.set_tensor(detail["index"], value)
    interpreter.invoke()
    return [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]


def run_signature(interpreter, key, seed):
    """All outputs of one signature for random inputs."""
    rng = np.random.default_rng(seed)
    runner = interpreter.get_signature_runner(key)
    inputs = {name: random_value(detail["shape"], detail["dtype"], rng)
              for name, detail in sorted(runner.get_input_details().items())}
    return [value for _, value in sorted(runner(**inputs).items())]


def run_all(make):
    """The outputs of each run: of each signature if there are several, else of each size.

    make: returns the interpreter for a run.
    """
    interpreter = make()
    keys = sorted(interpreter.get_signature_list())
    if len(keys) > 1:
        return [run_signature(interpreter, key, seed) for seed, key in enumerate(keys)]
    if free_shapes(interpreter, SIZES[0]) is None:
        return [run(interpreter, None, 0)]
    return [run(each, free_shapes(each, sizes), seed)
            for seed, sizes, each in zip(range(len(SIZES)), SIZES, [interpreter, make(), make()])]


def run_compiled(path, cpu, expected):
    """The largest difference of a CompiledModel of one signature, resized as in run_all()."""
    model = litert.CompiledModel.from_file(
        path, options=litert.Options(hardware_accelerators=litert.HardwareAccelerator.GPU),
        environment=litert.Environment.create(runtime_path=gles_delegate.litert_runtime_dir()))
    (key, names), = model.get_signature_list().items()
    runner, details = cpu.get_signature_runner(key), cpu.get_input_details()
    own = {detail["index"]: at for at, detail in enumerate(details)}
    order = [own[runner.get_input_details()[name]["index"]] for name in names["inputs"]]
    own = {detail["index"]: at for at, detail in enumerate(cpu.get_output_details())}
    wanted = [own[runner.get_output_details()[name]["index"]] for name in names["outputs"]]
    worst = 0.0
    for seed, (sizes, answer) in enumerate(zip(SIZES, expected)):
        if not all(value.size for value in answer):
            continue  # LiteRT has no buffers without elements
        shapes = free_shapes(cpu, sizes)
        values = random_inputs(details, shapes, seed)
        for at, index in enumerate(order):
            if -1 in details[index]["shape_signature"]:
                model.resize_input_tensor(at, [int(size) for size in shapes[index]])
        model.get_output_tensor_details(key)  # only then does LiteRT know the shapes
        inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
        for buffer, index in zip(inputs, order):
            buffer.write(values[index])
        model.run_by_index(0, inputs, outputs)
        for buffer, at in zip(outputs, wanted):
            actual = buffer.read(answer[at].size, answer[at].dtype).reshape(answer[at].shape)
            worst = max(worst, difference(actual, answer[at]))
    return worst


def difference(actual, expected):
    """The largest difference, relative to the largest magnitude of what is expected."""
    if actual.shape != expected.shape:
        return float("inf")
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    other = ~((a == e) | (np.isnan(a) & np.isnan(e)))
    gap = np.max(np.abs(a - e)[other], initial=0.0)
    return float(gap / (np.max(np.abs(e[np.isfinite(e)]), initial=0.0) or 1.0)) if gap else 0.0


def largest(actual, expected):
    """The largest difference of the outputs of all runs."""
    return max((difference(a, e) for got, want in zip(actual, expected)
                for a, e in zip(got, want)), default=0.0)


def summary(report):
    """The page's text for a report."""
    stays = {}
    for entry in report.get("cpu", []):
        key = entry["op"], entry["reason"]
        stays[key] = stays.get(key, 0) + len(entry["nodes"])
    return {"nodes": report["nodes_total"], "on_gpu": report["nodes_delegated"],
            "partitions": report["partitions"],
            "cpu": [[op, reason, count] for (op, reason), count in sorted(stays.items())]}


def on_gpu(model, **options):
    return gles_delegate.interpreter(model, max_delegated_partitions=0, num_threads=1, **options)


def run_model(model, path):
    """Runs a model in all ways; writes the result."""
    result = {"bytes": pathlib.Path(model).stat().st_size}

    def enter(phase):
        result["phase"] = phase
        path.write_text(json.dumps(result))

    try:
        enter("cpu")
        cpu = Interpreter(model_path=model, num_threads=1)
        expected = run_all(lambda: Interpreter(model_path=model, num_threads=1))
        floats = float_weights.with_float_weights(pathlib.Path(model).read_bytes())

        def on_cpu(**kernels):
            return run_all(lambda: Interpreter(None if floats else model, floats, num_threads=1,
                                               **kernels))
        again = on_cpu()
        if floats:
            expected = again
        elif largest(again, expected):
            raise ValueError("two runs on the CPU differ")
        if not cpu._get_ops_details():  # pylint: disable=protected-access
            raise ValueError("the model has no nodes")
        enter("delegate")
        interpreter = on_gpu(model)
        result["first"] = summary(gles_delegate.report(interpreter).json)["on_gpu"]
        enter("gpu")
        actual = run_all(lambda: interpreter)
        result.update(summary(gles_delegate.report(interpreter).json))
        result["error"] = largest(actual, expected)
        result["integers"] = all(np.issubdtype(e.dtype, np.integer) for e in expected[0])
        if result["error"] > FLOATS:
            enter("reference")
            result["reference"] = largest(
                on_cpu(experimental_op_resolver_type=OpResolverType.BUILTIN_REF), expected)
        if len(expected) > 1 and len(cpu.get_signature_list()) == 1:
            enter("compiled")
            try:
                result["compiled"] = run_compiled(model, cpu, expected)
            except Exception as error:  # pylint: disable=broad-except
                result["compiled"] = " ".join(str(error).split())[-300:]
        enter("half")
        interpreter = on_gpu(model, is_precision_loss_allowed=True)
        result["half"] = largest(run_all(lambda: interpreter), expected)
        result["kept"] = sum(sum(part.nodes_in_float32.values())
                             for part in gles_delegate.report(interpreter).partitions)
        enter("done")
    except Exception as error:  # pylint: disable=broad-except
        result["why"] = " ".join(str(error).split())[-600:]
        path.write_text(json.dumps(result))


if __name__ == "__main__":
    run_model(sys.argv[1], pathlib.Path(sys.argv[2]))
