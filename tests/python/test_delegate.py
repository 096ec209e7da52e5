"""The package with a runtime: models on the GPU beside the CPU of the same interpreter.
"""

import dataclasses
import io
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

import gles_delegate
from self_check import MODEL

MODELS = pathlib.Path(os.environ.get("GLES_DELEGATE_SHARED_DIR", "")) / "models"


def runtime():
    return gles_delegate.find_runtime()


def run(interpreter, seed=1):
    """All outputs for random inputs, as float64."""
    interpreter.allocate_tensors()
    rng = np.random.default_rng(seed)
    for detail in interpreter.get_input_details():
        dtype, shape = detail["dtype"], detail["shape"]
        values = (rng.uniform(-1, 1, shape) if np.issubdtype(dtype, np.floating)
                  else rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape))
        interpreter.set_tensor(detail["index"], values.astype(dtype))
    interpreter.invoke()
    return [interpreter.get_tensor(d["index"]).astype(np.float64)
            for d in interpreter.get_output_details()]


def on_cpu(**model):
    return run(runtime().Interpreter(**model))


def assert_close(actual, expected, tolerance=1e-5):
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected):
        assert a.shape == e.shape
        assert np.max(np.abs(a - e)) <= tolerance * max(1.0, np.max(np.abs(e)))


def test_a_model_runs_on_the_gpu():
    interpreter = gles_delegate.interpreter(MODEL)
    expected = on_cpu(model_content=MODEL)
    assert np.ptp(expected[0]) > 0.1, "the model's answer is flat"
    assert_close(run(interpreter), expected)
    report = gles_delegate.report(interpreter)
    assert report.nodes_delegated == report.nodes_total == 3
    assert report == gles_delegate.report()


def test_each_key_of_the_report_has_its_field_or_is_left_to_json(tmp_path):
    interpreter = gles_delegate.interpreter(
        MODEL, exclude_nodes=[2], max_delegated_partitions=0, enable_op_profiling=True,
        serialization_dir=tmp_path, model_token="m")
    run(interpreter)
    report = gles_delegate.report(interpreter)
    left = {"driver_family", "limits", "hardware_errors", "context", "context_stays_current",
            "contexts_lost", "host_profile", "programs", "subgraphs", "partition", "runtime"}
    assert set(report.json) == ({f.name for f in dataclasses.fields(report)} | left) - {"json", "error"}
    assert [entry.op for entry in report.cpu] == ["LOGISTIC"] and report.cpu[0].nodes == [2]
    assert report.partitions[0].nodes == 2 and not report.partitions[0].on_cpu
    assert report.gpu_bytes.total == report.partitions[0].gpu_bytes.total > 0
    assert report.cache.state == "cold" and report.cache.programs_compiled > 0
    assert all(dispatch.us > 0 and dispatch.shader for dispatch in report.profile)
    assert {dispatch.node for dispatch in report.profile} >= {0, 1}
    for part in (report, report.gpu_bytes, report.cache, report.cpu[0], report.partitions[0],
                 report.profile[0]):
        for entry in dataclasses.fields(part):
            assert re.search(rf"\b{entry.name}\b.*?: ", type(part).__doc__, re.DOTALL), entry.name


def test_a_path_is_a_model(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(MODEL)
    for model in (path, str(path)):
        assert_close(run(gles_delegate.interpreter(model, num_threads=1)),
                     on_cpu(model_content=MODEL))


def test_bytes_of_any_kind_and_open_files_are_models(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(MODEL)
    expected = on_cpu(model_content=MODEL)
    with open(path, "rb") as file:
        for model in (bytearray(MODEL), memoryview(MODEL), io.BytesIO(MODEL), file):
            assert_close(run(gles_delegate.interpreter(model)), expected)
    with open(path, encoding="latin-1") as text, pytest.raises(TypeError, match='mode "rb"'):
        gles_delegate.interpreter(text)
    with pytest.raises(TypeError, match="neither a path, nor bytes, nor a file"):
        gles_delegate.interpreter(3)


PATH_ERRORS = (("missing", FileNotFoundError), ("file/below", NotADirectoryError),
               ("secret", PermissionError))


@pytest.fixture(name="paths")
def bad_paths(tmp_path):
    """A folder with what PATH_ERRORS names, and a folder."""
    for name in ("file", "secret"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "folder").mkdir()
    (tmp_path / "secret").chmod(0)
    return tmp_path


def raises(error):
    if error is PermissionError and os.geteuid() == 0:
        pytest.skip("root has every permission")
    return pytest.raises(error)


@pytest.mark.parametrize("name, error", PATH_ERRORS + (("folder", IsADirectoryError),))
def test_paths_that_cannot_be_read_are_errors_of_python(paths, name, error):
    path = paths / name
    for call in (lambda: gles_delegate.interpreter(path), lambda: gles_delegate.benchmark(str(path)),
                 lambda: gles_delegate.load_delegate(tuning_file=path),
                 lambda: gles_delegate.interpreter(MODEL, tuning_file=str(path))):
        with raises(error) as raised:
            call()
        assert raised.value.filename == str(path)


@pytest.mark.parametrize("option, name, error", [
    ("serialization_dir", "missing", FileNotFoundError), ("serialization_dir", "file", NotADirectoryError),
    ("serialization_dir", "secret/x", NotADirectoryError), ("report_file", "missing/x", FileNotFoundError),
    ("report_file", "file/x", NotADirectoryError), ("report_file", "folder", IsADirectoryError),
    ("report_file", "secret", PermissionError)])
def test_folders_and_files_of_options(paths, option, name, error):
    with raises(error):
        gles_delegate.load_delegate(model_token="m", **{option: paths / name})
    gles_delegate.load_delegate(model_token="m", serialization_dir=paths, report_file=paths / "new")


def test_files_that_are_no_models_are_named(paths):
    (paths / "text").write_text("no model at all")
    for name, size in (("file", 0), ("text", 15)):
        with pytest.raises(ValueError, match=f"{paths / name} is no .tflite model: {size} bytes"):
            gles_delegate.interpreter(paths / name)
    for model in (b"", b"no model at all", io.BytesIO()):
        with pytest.raises(ValueError, match="model is no .tflite model"):
            gles_delegate.interpreter(model)


def test_a_with_block_ends_the_interpreter_and_its_delegate():
    before = run(gles_delegate.interpreter(MODEL))
    with gles_delegate.interpreter(MODEL) as interpreter:
        assert isinstance(interpreter, runtime().Interpreter)
        assert_close(run(interpreter), before)
        assert gles_delegate.report(interpreter).nodes_delegated == 3
    for method in [name for name in dir(gles_delegate.Interpreter) if name != "__exit__"
                   and (name == "__enter__" or not name.startswith("_"))] + ["any_other"]:
        with pytest.raises(ValueError, match="interpreter is closed"):
            getattr(interpreter, method)()
    with pytest.raises(ValueError, match="interpreter is closed"), interpreter:
        pass
    with pytest.raises(ValueError, match="interpreter is closed"):
        gles_delegate.report(interpreter)
    with pytest.raises(ValueError, match="the last one is gone"):
        gles_delegate.report()
    with pytest.raises(KeyError), gles_delegate.interpreter(MODEL):
        raise KeyError  # passes through


def test_a_benchmark():
    found = gles_delegate.benchmark(MODEL, seconds=0.05, num_threads=1, exclude_nodes=[2],
                                    max_delegated_partitions=0)
    assert found.answers.ok and found.answers.largest_output > 0.1
    assert found.report.nodes_delegated == 2
    for times in (found.gpu, found.cpu):
        assert times.runs >= 3 and 0 < times.median_ms <= times.p90_ms
    assert found.speedup == found.cpu.median_ms / found.gpu.median_ms


def test_a_delegate_of_an_interpreter_of_ones_own():
    delegate = gles_delegate.load_delegate(is_precision_loss_allowed=True,
                                           exclude_nodes=[2], max_delegated_partitions=0)
    interpreter = runtime().Interpreter(model_content=MODEL,
                                        experimental_delegates=[delegate])
    assert_close(run(interpreter), on_cpu(model_content=MODEL), 1e-2)
    report = gles_delegate.report(delegate)
    assert report.precision == "float16"
    assert report.nodes_delegated == 2
    assert report.cpu[0].op == "LOGISTIC"


@pytest.mark.parametrize("name, tolerance", [
    ("mobilenet_v1_0.25_224.tflite", 1e-4), ("face_detection_short_range.tflite", 1e-4),
    ("mobilenet_v1_0.25_224_quant.tflite", 0)])
def test_real_models(name, tolerance):
    path = MODELS / name
    if not path.exists():
        pytest.skip(f"NO MODEL {path}: set GLES_DELEGATE_SHARED_DIR")
    interpreter = gles_delegate.interpreter(path)
    assert_close(run(interpreter), on_cpu(model_path=str(path)), tolerance)
    report = gles_delegate.report(interpreter)
    assert report.nodes_delegated == report.nodes_total


def test_a_bad_option_is_an_exception_with_the_delegates_text():
    with pytest.raises(gles_delegate.DelegateError) as error:
        gles_delegate.load_delegate(storage="tape")
    assert error.value.message == "the delegate was not made"
    assert error.value.reason.startswith("option storage: 'tape' is not auto, texture_array")
    assert str(error.value) == f"{error.value.message}: {error.value.reason}"


def test_a_delegate_that_cannot_be_applied_is_one_too():
    with pytest.raises(gles_delegate.DelegateError) as error:
        gles_delegate.interpreter(MODEL, device="no such renderer")
    assert error.value.message == "the delegate was not applied"
    assert error.value.reason.startswith('no device for "no such renderer"')
    assert "execution plan" not in error.value.reason  # the runtime's words
    again = pickle.loads(pickle.dumps(error.value))
    assert (again.message, again.reason) == (error.value.message, error.value.reason)


def test_the_environment_stands_in(monkeypatch, tmp_path):
    path = tmp_path / "report.json"
    monkeypatch.setenv("GLES_DELEGATE_OPTIONS", f"exclude_nodes:0;max_delegated_partitions:0;"
                       f"report_file:{path}")
    interpreter = gles_delegate.interpreter(MODEL)
    assert gles_delegate.report(interpreter).nodes_delegated == 2
    assert json.loads(path.read_text())["nodes_delegated"] == 2
    monkeypatch.setenv("GLES_DELEGATE_OPTIONS", "nonsense:1")
    with pytest.raises(gles_delegate.DelegateError) as error:
        gles_delegate.load_delegate()
    assert "GLES_DELEGATE_OPTIONS: unknown option 'nonsense'" in str(error.value)


def test_a_report_of_nothing_is_an_error():
    with pytest.raises(ValueError):
        gles_delegate.report(object())
    delegate = gles_delegate.load_delegate()
    del delegate
    with pytest.raises(ValueError):
        gles_delegate.report()


def test_devices():
    found = gles_delegate.devices()
    assert [d.index for d in found] == list(range(len(found)))
    usable = [d for d in found if not d.error]
    assert usable, found
    assert all(d.renderer and d.version.startswith("OpenGL ES") for d in usable)
    interpreter = gles_delegate.interpreter(MODEL, device=usable[0].index)
    assert gles_delegate.report(interpreter).renderer == usable[0].renderer


def test_hardware_is_supported_and_software_alone_is_not():
    found = gles_delegate.compatibility()
    hardware = [d for d in gles_delegate.devices() if not d.error and not d.software]
    if not os.environ.get("GLES_DELEGATE_DEVICE"):  # which may name any of them
        assert found.supported == bool(hardware)
    assert found.supported == (not found.reason)
    assert found.best_options == {"is_precision_loss_allowed": True, "device": "hardware"}
    if found.supported:
        interpreter = gles_delegate.interpreter(MODEL, **found.best_options)
        assert gles_delegate.report(interpreter).precision == "float16"
    else:
        with pytest.raises(gles_delegate.DelegateError) as error:
            gles_delegate.interpreter(MODEL, **found.best_options)
        assert "device: hardware declines" in found.reason
        assert found.reason in str(error.value)


def test_an_unknown_runtime_is_refused_with_the_known_ones():
    with pytest.raises(ImportError) as error:
        gles_delegate.load_delegate(runtime="keras")
    assert "ai_edge_litert" in str(error.value)


def test_a_worker_lets_any_thread_invoke():
    interpreter = gles_delegate.interpreter(MODEL, thread_mode="worker")
    answers = []
    thread = threading.Thread(target=lambda: answers.append(run(interpreter)))
    thread.start()
    thread.join()
    assert_close(answers[0], on_cpu(model_content=MODEL))
    assert gles_delegate.report(interpreter).nodes_delegated == 3


def test_without_a_worker_another_thread_is_refused():
    interpreter = gles_delegate.interpreter(MODEL)
    run(interpreter)
    errors = []

    def invoke():
        try:
            interpreter.invoke()
        except (RuntimeError, ValueError) as error:
            errors.append(str(error))

    thread = threading.Thread(target=invoke)
    thread.start()
    thread.join()
    assert errors and "thread" in errors[0]


EACH_INDEX = """
import sys
import gles_delegate
interpreter = gles_delegate.interpreter(sys.argv[1])
interpreter.allocate_tensors()
interpreter.invoke()
for index in range(400):
    try:
        interpreter.get_tensor(index)
    except ValueError:
        pass
print("no crash")
"""


def test_each_index_of_a_tensor_may_be_asked_for():
    """Also of those that the delegate adds to a model of more than 112 tensors."""
    path = MODELS / "face_detection_short_range.tflite"
    if not path.exists():
        pytest.skip(f"no {path}: set GLES_DELEGATE_SHARED_DIR")
    done = subprocess.run([sys.executable, "-c", EACH_INDEX, str(path)], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0 and done.stdout == "no crash\n", done


REASON = f"""
import gles_delegate
try:
    gles_delegate.find_runtime().Interpreter(
        model_content={MODEL!r},
        experimental_delegates=[gles_delegate.load_delegate(device="no such renderer")])
    print("it was applied")
except (RuntimeError, ValueError) as error:
    print(error)
"""


def test_the_reason_stands_first():
    """The runtimes join what is reported into one text."""
    told = subprocess.run([sys.executable, "-c", REASON], capture_output=True, text=True,
                          check=True).stdout
    assert told.startswith('TfLiteGlesDelegate: no device for "no such renderer"'), told
    assert "WARNING" not in told
    for others in ("Restored original execution plan", "Failed to apply"):  # the runtime's words
        assert others not in told or "\n" + others in told, told
