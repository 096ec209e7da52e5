"""CompiledModel on the GPU beside the same runtime's CPU.
"""

import ctypes
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import threading

import ai_edge_litert
import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.compiled_model import (CompiledModel, Environment, GpuOptions,
                                           HardwareAccelerator, Options)

import gles_delegate

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benches"))
from litert_ways import random_inputs  # noqa: E402

CPU, GPU = HardwareAccelerator.CPU, HardwareAccelerator.GPU
MODELS = pathlib.Path(os.environ.get("GLES_DELEGATE_SHARED_DIR", "")) / "models"
TESTS = pathlib.Path(__file__).resolve().parents[1]
SMALL = (TESTS / "python" / "self_check.tflite").read_bytes()  # three nodes, float32
CYCLES = int(os.environ.get("GLES_LITERT_CYCLES", "60"))

# Nothing is left to the CPU.
WHOLE = ["deeplabv3_257_mv_gpu", "face_detection_short_range", "face_landmark",
         "mobilenet_v1_0.25_224", "mobilenet_v1_1.0_224_features_float", "pose_detection",
         "posenet_mobilenet_v1_075_353_481_float", "selfie_segmentation"]
WHOLE_QUANTIZED = ["mobilenet_v1_0.25_224_quant", "mobilenet_v2_1.0_224_quant",
               "tf2_mobilenet_v2_1.0_224_ptq"]
# LiteRT's loader has no variable tensors, on whatever hardware.
NOT_LITERTS = ["keras_lstm_mnist_ptq", "mnist_lstm_float", "mnist_lstm_int8"]


def path_of(name):
    path = MODELS / (name + ".tflite")
    if not path.exists():
        pytest.skip(f"NO MODEL {path}: set GLES_DELEGATE_SHARED_DIR")
    return str(path)


@pytest.fixture(name="report")
def report_fixture(tmp_path, monkeypatch):
    """Reads what the delegate that was made last has reported."""
    path = tmp_path / "report.json"
    monkeypatch.setenv("GLES_DELEGATE_OPTIONS", f"report_file:{path}")
    return lambda: json.loads(path.read_text())


def compiled(model, hardware, options=None):
    """A CompiledModel of a path or of bytes, whose GPU is ours."""
    environment = Environment.create(runtime_path=gles_delegate.litert_runtime_dir())
    make = CompiledModel.from_buffer if isinstance(model, bytes) else CompiledModel.from_file
    return make(model, environment=environment,
                options=options or Options(hardware_accelerators=hardware))


def run(model, signature=0, seed=1, inputs=None):
    """All outputs of a signature for random inputs, or for these buffers."""
    key, names = list(model.get_signature_list().items())[signature]
    inputs = inputs or random_inputs(model, signature, seed)
    # Asked for first: only then does LiteRT know the shapes after a resize, or of
    # outputs that the file has no shape for.
    details = model.get_output_tensor_details(key)
    outputs = model.create_output_buffers(signature)
    model.run_by_index(signature, inputs, outputs)
    return [buffer.read(int(np.prod(details[name]["shape"])), np.dtype(details[name]["dtype"]))
            .reshape(details[name]["shape"]) for name, buffer in zip(names["outputs"], outputs)]


def assert_close(actual, expected, tolerance=2e-5):
    """Within `tolerance` of each output's largest magnitude: tests/testing/real_model.h."""
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected):
        a, e = a.astype(np.float64), e.astype(np.float64)
        assert a.shape == e.shape
        assert np.max(np.abs(a - e)) <= tolerance * np.max(np.abs(e))


def before_logistic(mask):
    """The input of the LOGISTIC that made a mask, for values that floats can tell apart."""
    mask = np.clip(mask.astype(np.float64), 1e-30, 1 - 1e-6)
    return np.log(mask / (1 - mask))


TWO_SIGNATURES = ((b"negated", schema.BuiltinOperator.NEG, [1, 4]),
                  (b"squashed", schema.BuiltinOperator.LOGISTIC, [1, 2, 3, 5]))
LARGE = ((b"negated", schema.BuiltinOperator.NEG, [1, 64, 64, 4]),)


def model_of(signatures):
    """One op of a shape for each signature."""
    model = schema.ModelT()
    model.version = 3
    model.operatorCodes, model.subgraphs, model.signatureDefs = [], [], []
    model.buffers = [schema.BufferT()]
    for at, (name, op, shape) in enumerate(signatures):
        code = schema.OperatorCodeT()
        code.builtinCode = code.deprecatedBuiltinCode = op
        code.version = 1
        model.operatorCodes.append(code)
        graph = schema.SubGraphT()
        graph.name, graph.tensors, graph.inputs, graph.outputs = name, [], [0], [1]
        for tensor_name in (b"x", b"y"):
            tensor = schema.TensorT()
            tensor.name, tensor.shape, tensor.buffer = tensor_name, shape, 0
            tensor.type = schema.TensorType.FLOAT32
            graph.tensors.append(tensor)
        node = schema.OperatorT()
        node.opcodeIndex, node.inputs, node.outputs = at, [0], [1]
        graph.operators = [node]
        model.subgraphs.append(graph)
        signature = schema.SignatureDefT()
        signature.signatureKey, signature.subgraphIndex = name, at
        maps = []
        for index, tensor_name in enumerate((b"x", b"y")):
            entry = schema.TensorMapT()
            entry.name, entry.tensorIndex = tensor_name, index
            maps.append([entry])
        signature.inputs, signature.outputs = maps
        model.signatureDefs.append(signature)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


# --- Models -----------------------------------------------------------------


@pytest.mark.parametrize("hardware", [GPU, GPU | CPU])
def test_a_small_model(hardware, report):
    model = compiled(SMALL, hardware)
    assert model.is_fully_accelerated()
    assert report()["nodes_delegated"] == report()["nodes_total"] == 3
    expected = run(compiled(SMALL, CPU))
    assert np.ptp(expected[0]) > 0.1, "the model's answer is flat"
    assert_close(run(model), expected)


@pytest.mark.parametrize("signature", [0, 1])
def test_a_decoder(signature, report):
    path = pathlib.Path(__file__).resolve().parents[1] / "corpus" / "decoder.float32.tflite"

    def inputs_of(model):
        key, names = list(model.get_signature_list().items())[signature]
        details, inputs = model.get_input_tensor_details(key), random_inputs(model, signature, 1)
        for name in ("tokens", "input_pos"):
            shape = details[name]["shape"]
            inputs[names["inputs"].index(name)].write(
                np.arange(np.prod(shape), dtype=np.int32).reshape(shape))
        return inputs

    model = compiled(str(path), GPU)
    assert report()["nodes_delegated"] == report()["nodes_total"] == 94
    cpu = compiled(str(path), CPU)
    assert_close(run(model, signature, inputs=inputs_of(model)),
                 run(cpu, signature, inputs=inputs_of(cpu)))


@pytest.mark.parametrize("outputs", [[-1], [1, -1], [-1, 1]])
def test_an_output_that_is_absent(outputs):
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(model_of(LARGE)))
    model.subgraphs[0].outputs = outputs
    model.signatureDefs = []
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    interpreter = gles_delegate.interpreter(bytes(builder.Output()))
    report = gles_delegate.report(interpreter)
    # The runtime would write to tensor -1 if the partition were replaced.
    assert report.nodes_delegated == 0
    assert "an output that is no tensor (-1)" in report.cpu[0].reason


# Past what llvmpipe has for a buffer.
TOO_LARGE = ((b"negated", schema.BuiltinOperator.NEG, [1, 3000, 3000, 4]),)


@pytest.mark.parametrize("signatures, options, reason", [
    (TOO_LARGE, "", "past the device's buffers"),
    (LARGE, "wait_type:do_not_wait", "wants all outputs bound"),
    (LARGE, "device:no such renderer", "no such renderer")])
def test_what_cannot_be_built_runs_on_the_cpu(signatures, options, reason, report, monkeypatch):
    given = os.environ["GLES_DELEGATE_OPTIONS"]
    monkeypatch.setenv("GLES_DELEGATE_OPTIONS", f"{given};{options}" if options else given)
    model = compiled(model_of(signatures), GPU | CPU)
    assert report()["nodes_delegated"] == 0
    assert reason in json.dumps(report())
    expected = run(compiled(model_of(signatures), CPU))
    np.testing.assert_array_equal(run(model)[0], expected[0])


def assert_quantized(actual, expected):
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected):
        assert np.ptp(e) > 0
        np.testing.assert_array_equal(a, e)


def assert_masks(actual, expected):
    """Of a model that answers noise with a mask of 1e-3 and much less."""
    assert_close([before_logistic(mask) for mask in actual],
                 [before_logistic(mask) for mask in expected])


def assert_boxes(actual, expected):
    """Boxes are decoded in 32 bits, while the CPU's kernel has 64. Values behind the number
    of boxes found have no meaning."""
    boxes, classes, scores, count = (a.ravel() for a in actual)
    want_boxes, want_classes, want_scores, want_count = (a.ravel() for a in expected)
    assert count[0] == want_count[0]
    found = int(count[0])
    np.testing.assert_array_equal(classes[:found], want_classes[:found])
    np.testing.assert_array_equal(scores[:found], want_scores[:found])
    np.testing.assert_allclose(boxes[:4 * found], want_boxes[:4 * found], atol=2e-6, rtol=0)


# How each model's answers are held against the CPU's.
MODELS_TRIED = {**dict.fromkeys(WHOLE, assert_close), **dict.fromkeys(WHOLE_QUANTIZED, assert_quantized),
                "selfie_segmentation": assert_masks, "ssd_mobilenet_v1_quant": assert_boxes}


@pytest.mark.parametrize("name", MODELS_TRIED)
def test_models_run_whole(name, report):
    path = path_of(name)
    model = compiled(path, GPU)
    assert model.is_fully_accelerated()
    assert report()["nodes_delegated"] == report()["nodes_total"]
    MODELS_TRIED[name](run(model), run(compiled(path, CPU)))


# With GPU | CPU, whole and with its second half left to the CPU.
@pytest.mark.parametrize("name", MODELS_TRIED)
def test_models_on_gpu_and_cpu(name, report, monkeypatch):
    path = path_of(name)
    expected = run(compiled(path, CPU))

    def taken_by_gpu():
        model = compiled(path, GPU | CPU)
        MODELS_TRIED[name](run(model), expected)
        of_report = report()
        left = sum(len(group["nodes"]) for group in of_report["cpu"])
        assert left == of_report["nodes_total"] - of_report["nodes_delegated"]
        assert model.is_fully_accelerated() or left > 0
        return of_report

    whole = taken_by_gpu()
    assert whole["nodes_delegated"] == whole["nodes_total"]
    half = whole["nodes_total"] // 2
    monkeypatch.setenv("GLES_DELEGATE_OPTIONS", os.environ["GLES_DELEGATE_OPTIONS"] +
                       f";exclude_nodes:{half}-{whole['nodes_total'] - 1}"
                       ";max_delegated_partitions:1")
    # The weights of a node that is left are left, too.
    split = taken_by_gpu()
    weights = [node for group in split["cpu"] for node in group["nodes"]
               if node < half and group["op"] == "DEQUANTIZE"]
    assert split["nodes_delegated"] == half - len(weights)


@pytest.mark.parametrize("name", NOT_LITERTS)
def test_litert_itself_refuses(name, capfd):
    path = path_of(name)
    with pytest.raises(RuntimeError, match="Failed to load model"):
        compiled(path, CPU)
    assert "Variable tensors not yet supported" in capfd.readouterr().err


# --- Signatures, shapes, buffers ----------------------------------------------


def test_each_signature_runs(report):
    bytes_of_model = model_of(TWO_SIGNATURES)
    model = compiled(bytes_of_model, GPU)
    assert list(model.get_signature_list()) == ["negated", "squashed"]
    assert model.is_fully_accelerated()
    assert report()["nodes_delegated"] == report()["nodes_total"] == 2
    on_cpu = compiled(bytes_of_model, CPU)
    for signature in (1, 0, 1):
        assert_close(run(model, signature), run(on_cpu, signature))


def test_inputs_are_resized():
    path = path_of("mobilenet_v1_0.25_224")
    model, on_cpu = compiled(path, GPU), compiled(path, CPU)
    for batch in (2, 3, 1):
        for each in (model, on_cpu):
            each.resize_input_tensor(0, [batch, 224, 224, 3], strict=False)
        expected = run(on_cpu)
        assert expected[0].shape == (batch, 1001)
        assert_close(run(model), expected)


def test_many_runs_of_the_same_buffers():
    model = compiled(SMALL, GPU)
    key = list(model.get_signature_list())[0]
    detail, = model.get_input_tensor_details(key).values()
    size = int(np.prod(model.get_output_tensor_details(key).popitem()[1]["shape"]))
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
    answers = []
    for value in (0.5, -0.25, 0.5):
        inputs[0].write(np.full(detail["shape"], value, np.float32))
        model.run_by_index(0, inputs, outputs)
        answers.append(outputs[0].read(size, np.float32))
    np.testing.assert_array_equal(answers[0], answers[2])
    assert np.any(answers[0] != answers[1])


# --- What stays on the CPU ----------------------------------------------------


def test_gpu_alone_says_which_node_and_why(monkeypatch, capfd):
    monkeypatch.setenv("GLES_DELEGATE_OPTIONS", "exclude_nodes:2")
    with pytest.raises(RuntimeError):  # whose text LiteRT 2.2 leaves empty
        compiled(SMALL, GPU)
    said = capfd.readouterr().err
    assert re.search(r"LOGISTIC .*exclude_nodes", said), said


def test_the_cpu_takes_the_rest(report, monkeypatch):
    monkeypatch.setenv("GLES_DELEGATE_OPTIONS",
                       os.environ["GLES_DELEGATE_OPTIONS"] +
                       ";exclude_nodes:2;max_delegated_partitions:0")
    model = compiled(SMALL, GPU | CPU)
    assert report()["nodes_delegated"] == 2
    assert report()["cpu"][0]["op"] == "LOGISTIC"
    assert_close(run(model), run(compiled(SMALL, CPU)))


def test_without_a_device_all_runs_on_the_cpu(report, monkeypatch):
    monkeypatch.setenv("GLES_DELEGATE_DEVICE", "no such device")
    model = compiled(SMALL, GPU | CPU)
    assert "no such device" in report()["error"]
    assert_close(run(model), run(compiled(SMALL, CPU)), 0)


# --- Options ------------------------------------------------------------------


def test_gpu_options_reach_the_delegate(report, capfd):
    for options in (GpuOptions(enforce_f32=True),
                    GpuOptions(infinite_float_capping=True, benchmark_mode=True,
                               constant_tensor_sharing=True,
                               allow_src_quantized_fc_conv_ops=True,
                               hint_waiting_for_completion=True)):
        model = compiled(SMALL, GPU, Options(hardware_accelerators=GPU, gpu_options=options))
        assert model.is_fully_accelerated()
        assert report()["precision"] == "float32"
    assert "not known here" not in capfd.readouterr().err


# --- The C API ----------------------------------------------------------------


@pytest.fixture(name="app")
def app_fixture(tmp_path):
    """Runs litert_app.c on a model with the library of this Python's package: its output."""
    if "LITERT_APP" not in os.environ:
        pytest.skip("NO LITERT_APP, NOTHING TESTED: see compiled_model.py")
    path = tmp_path / "model.tflite"
    library = pathlib.Path(ai_edge_litert.__file__).parent / "libLiteRt.so"

    def run_app(folder, *more, model=SMALL, **environment):
        path.write_bytes(model)
        done = subprocess.run([os.environ["LITERT_APP"], library, folder, path, *more],
                              env=dict(os.environ, **environment), capture_output=True,
                              text=True, check=False)
        if done.returncode == 77:
            pytest.skip(done.stdout)
        assert done.returncode == 0, done.stdout + done.stderr
        assert re.search("hardware [23]: fully accelerated 1", done.stdout)
        return done.stdout

    return run_app


def test_a_c_program_runs_on_another_thread(app, report):
    app(gles_delegate.litert_runtime_dir())
    assert report()["context"] == "own"
    assert report()["nodes_delegated"] == 3


# LiteRT counts XNNPACK's nodes as accelerated, too; since 2.3 it tells them apart.
def test_litert_knows_what_runs_on_the_gpu(app, report, monkeypatch):
    own = "hardware 3: accelerated without the CPU "
    said = app(gles_delegate.litert_runtime_dir(), "both")
    assert own not in said or own + "1" in said
    monkeypatch.setenv("GLES_DELEGATE_OPTIONS",
                       os.environ["GLES_DELEGATE_OPTIONS"] +
                       ";exclude_nodes:2;max_delegated_partitions:0")
    said = app(gles_delegate.litert_runtime_dir(), "both")
    assert own not in said or own + "0" in said
    assert report()["nodes_delegated"] == 2


@pytest.mark.parametrize("more", [[], ["managed"]])
def test_a_run_waits_for_its_inputs_event(app, more):
    said = app(gles_delegate.litert_runtime_dir(), *more, GLES_DELEGATE_OPTIONS="zero_copy:on",
               GLES_DELEGATE_TUNING="host_transfers=0")
    assert "waits for an input's event: 1" in said


def test_without_a_runtime_folder_the_loader_finds_it(app, report):
    app("-", LD_LIBRARY_PATH=gles_delegate.litert_runtime_dir())
    assert report()["nodes_delegated"] == 3


def test_the_apps_egl_context_is_borrowed(app, report):
    app(gles_delegate.litert_runtime_dir(), "egl")
    assert report()["context"] == "borrowed"


# docs/litert.md says so.
@pytest.mark.skipif(platform.machine() != "x86_64", reason="of LiteRT for x86-64")
def test_litert_has_host_memory_alone(app):
    said = app(gles_delegate.litert_runtime_dir())
    for kind in ("GL buffers", "GL textures", "EGL fences", "dma-bufs"):
        assert f"{kind}: status 5" in said
    assert "hardware 2: asynchronous 0" in said


# The delegate copies each tensor once, to or from memory that the device sees (on x86-64 the
# output by its own instructions, egl/host_copy.h); with host_transfers it packs texels
# instead, which is not a memcpy. With zero_copy LiteRT's own buffers are in such memory.
@pytest.mark.parametrize("more, zero_copy, host_transfers, copies", [
    ([], "off", 0, 1), ([], "off", 1, 0), (["egl"], "off", 0, 1), (["egl"], "off", 1, 0),
    ([], "on", 0, 1), (["managed"], "off", 0, 1), (["managed"], "on", 0, 0),
    (["managed"], "on", 1, 0)])
def test_tensors_are_not_copied_on_the_way(app, more, zero_copy, host_transfers, copies):
    counter = pathlib.Path(os.environ["LITERT_APP"]).parent / "libcount_copies.so"
    if not counter.exists():
        pytest.skip(f"NO {counter}, NOTHING TESTED: see tests/litert/CMakeLists.txt")
    said = app(gles_delegate.litert_runtime_dir(), *more, model=model_of(LARGE),
               LD_PRELOAD=str(counter), GLES_DELEGATE_OPTIONS=f"zero_copy:{zero_copy}",
               GLES_DELEGATE_TUNING=f"host_transfers={host_transfers}")

    def copied(what, by):
        return int(re.search(f"^{what}: bytes copied by {by}: (\\d+)$", said, re.M).group(1))

    assert copied("compiling", "LiteRT") > 0, "LiteRT's copies are not seen"
    assert copied("a run", "LiteRT") == 0
    size = 4 * int(np.prod(LARGE[0][2]))  # bytes, of the input and of the output
    assert copies * size <= copied("a run", "the delegate") <= copies * 2 * size


# --- Buffers that the GPU accesses ----------------------------------------------


@pytest.fixture(name="zero_copy")
def zero_copy_fixture(monkeypatch, report):
    """As on devices that gain by it; the report's list of tensors."""
    monkeypatch.setenv("GLES_DELEGATE_OPTIONS",
                       os.environ["GLES_DELEGATE_OPTIONS"] + ";zero_copy:on")
    monkeypatch.setenv("GLES_DELEGATE_TUNING", "host_transfers=0")
    return lambda: report()["partition"][0]["zero_copy_tensors"]


@pytest.mark.parametrize("name", ["mobilenet_v1_0.25_224", "mobilenet_v1_0.25_224_quant"])
def test_models_read_and_write_litert_s_buffers(name, zero_copy):
    path = path_of(name)
    model, on_cpu = compiled(path, GPU), compiled(path, CPU)
    assert len(zero_copy()) == 2
    inputs, outputs = random_inputs(model, 0, 1), model.create_output_buffers(0)
    assert_close(run(model), run(on_cpu))
    if "quant" not in name:
        for batch in (2, 3, 1):
            for each in (model, on_cpu):
                each.resize_input_tensor(0, [batch, 224, 224, 3], strict=False)
            assert_close(run(model), run(on_cpu))
    # The buffers that were made before the resizes.
    model.run_by_index(0, inputs, outputs)
    expected = run(on_cpu)[0]
    np.testing.assert_allclose(outputs[0].read(expected.size, expected.dtype), expected.ravel(),
                               atol=2e-5)


def test_one_models_output_is_another_s_input(zero_copy):
    models = [compiled(model_of(LARGE), GPU) for _ in range(2)]
    assert len(zero_copy()) == 2
    inputs = random_inputs(models[0], 0, 1)
    values = inputs[0].read(int(np.prod(LARGE[0][2])), np.float32)
    between, outputs = models[0].create_output_buffers(0), models[1].create_output_buffers(0)
    for _ in range(3):
        models[0].run_by_index(0, inputs, between)
        models[1].run_by_index(0, between, outputs)
        np.testing.assert_array_equal(outputs[0].read(values.size, np.float32), values)


def test_buffers_that_were_run_are_deleted(zero_copy):
    model = compiled(model_of(LARGE), GPU)
    assert len(zero_copy()) == 2

    def grown_by(runs):
        before = resources()[0]
        for _ in range(runs):
            run(model)
        return resources()[0] - before

    grown_by(20)
    assert grown_by(100) < 2000  # kB; the buffers were 12,800


# --- Caches ---------------------------------------------------------------------


def steps_of_a_cache(hardware, rows):
    """The cache after four updates, each of the last one's result."""
    path = MODELS.parent / "findings" / "llm" / "dus_runtime.tflite"
    if not path.exists():
        pytest.skip(f"NO MODEL {path}: set GLES_DELEGATE_SHARED_DIR")
    model = compiled(str(path), hardware)
    if rows != 16:
        model.resize_input_tensor(0, [1, rows, 2, 8], strict=False)
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
    cache = np.random.default_rng(1).normal(size=(1, rows, 2, 8)).astype(np.float32)
    names = model.get_signature_list().popitem()[1]["inputs"]
    cached, update, position = (names.index(name) for name in ("cache", "upd", "pos"))
    inputs[cached].write(cache)
    for step in range(4):
        inputs[update].write(np.full((1, 1, 2, 8), step, np.float32))
        inputs[position].write(np.array([0, 3 * step, 0, 0], np.int32))
        model.run_by_index(0, inputs, outputs)
        inputs[cached], outputs[0] = outputs[0], inputs[cached]
    return inputs[cached].read(cache.size, np.float32)


@pytest.mark.parametrize("rows", [16, 40])
def test_a_cache_stays_on_the_gpu(report, rows):
    answer = steps_of_a_cache(GPU, rows)
    assert len(report()["partition"][0]["tensors_kept_on_gpu"]) == 2
    np.testing.assert_array_equal(answer, steps_of_a_cache(CPU, rows))


def test_buffers_of_caches_are_deleted():
    path = MODELS.parent / "findings" / "llm" / "dus_runtime.tflite"
    if not path.exists():
        pytest.skip(f"NO MODEL {path}: set GLES_DELEGATE_SHARED_DIR")
    model = compiled(str(path), GPU)
    model.resize_input_tensor(0, [1, 4096, 2, 8], strict=False)

    def grown_by(runs):
        before = resources()[0]
        for _ in range(runs):
            inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
            for name, buffer in zip(model.get_signature_list().popitem()[1]["inputs"], inputs):
                if name == "pos":
                    buffer.write(np.zeros(4, np.int32))
            model.run_by_index(0, inputs, outputs)
        return resources()[0] - before

    grown_by(10)
    assert grown_by(60) < 5000  # kB; the buffers were 31,000


# --- Threads, life ------------------------------------------------------------


def test_two_models_in_two_threads():
    names = ["mobilenet_v1_0.25_224", "face_detection_short_range"]
    paths = [path_of(name) for name in names]
    expected = [run(compiled(path, CPU)) for path in paths]
    failures = []

    def work(at):
        try:
            model = compiled(paths[at], GPU)
            for _ in range(5):
                assert_close(run(model), expected[at])
        except BaseException as error:  # pytest sees no thread's exceptions
            failures.append((names[at], error))

    threads = [threading.Thread(target=work, args=(at,)) for at in range(len(paths))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_model_may_run_on_another_thread():
    model, expected, answers = compiled(SMALL, GPU), run(compiled(SMALL, CPU)), []
    thread = threading.Thread(target=lambda: answers.append(run(model)))
    thread.start()
    thread.join()
    assert_close(answers[0], expected)


def resources():
    """Resident kilobytes (freed memory given back first), threads, open files."""
    ctypes.CDLL(None).malloc_trim(0)
    status = pathlib.Path("/proc/self/status").read_text()
    numbers = [int(line.split()[1]) for line in status.splitlines()
               if line.startswith(("VmRSS:", "Threads:"))]
    return [*numbers, len(os.listdir("/proc/self/fd"))]


def test_cycles_do_not_grow():
    def cycle():
        assert run(compiled(SMALL, GPU))

    for _ in range(CYCLES // 3):  # what drivers and LiteRT keep for good
        cycle()
    before = resources()
    for _ in range(CYCLES):
        cycle()
    after = resources()
    print(f"{CYCLES} cycles: {before} -> {after} (kB, threads, files)")
    assert after[1:] == before[1:]
    # A model's own buffers are some 100 kB: one that is kept would be more than this.
    assert after[0] - before[0] < 20 * CYCLES + 2000


def test_the_documents_example_prints_the_answer(tmp_path):
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "litert.md"
    program, = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"),
                          re.MULTILINE | re.DOTALL)
    (tmp_path / "model.tflite").write_bytes(SMALL)
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    model = compiled(SMALL, CPU)
    inputs = model.create_input_buffers(0)
    inputs[0].write(np.zeros((1, 16, 16, 5), np.float32))
    expected, = run(model, inputs=inputs)
    printed = np.array(re.findall(r"-?[\d.]+(?:e-?\d+)?", done.stdout.replace("...", "")), float)
    assert printed.size >= 20 and abs(printed[0] - expected.flat[0]) < 1e-5


def test_the_example_classifies_a_picture():
    root = pathlib.Path(__file__).resolve().parents[2]
    images = MODELS.parent / "images"
    done = subprocess.run(
        [sys.executable, root / "examples/python/compiled_model.py",
         path_of("mobilenet_v1_0.25_224"), images / "imagenet_labels.txt", images / "cat.bmp"],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 5 and "cat" in lines[0].split(), done.stdout


@pytest.mark.parametrize("name, picture, first", [
    ("mobilenet_v1_0.25_224", "cat.bmp", r"Egyptian cat 0\.\d+\n"),
    ("mobilenet_v2_1.0_224_quant", "bird.bmp", r"chickadee 2\d\d\.000\n")])
def test_the_example_in_cpp(name, picture, first, tmp_path):
    if shutil.which("c++") is None or shutil.which("cc") is None:
        pytest.skip("NO COMPILER FOR THE EXAMPLE")
    examples = pathlib.Path(__file__).resolve().parents[2] / "examples"
    library = pathlib.Path(ai_edge_litert.__path__[0]) / "libLiteRt.so"
    subprocess.run(["cc", "-c", examples / "c/picture.c", "-o", tmp_path / "picture.o"], check=True)
    subprocess.run(["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", examples / "cpp/compiled_model.cc",
                    tmp_path / "picture.o", library, f"-Wl,-rpath,{library.parent}", "-lm", "-o",
                    tmp_path / "compiled_model"], check=True)
    images = MODELS.parent / "images"
    command = [tmp_path / "compiled_model", path_of(name), images / "imagenet_labels.txt",
               images / picture]
    done = subprocess.run([*command, gles_delegate.litert_runtime_dir()], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0 and re.match(first, done.stdout), done
    assert "OpenGL ES" in done.stderr
    done = subprocess.run([*command, "/nowhere"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "compiling for the GPU" in done.stderr
