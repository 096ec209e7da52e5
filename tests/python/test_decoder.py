"""A decoder with two signatures and its caches: the CPU's tokens (tests/corpus, random weights)."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

import gles_delegate

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECODER = str(ROOT / "tests" / "corpus" / "decoder.float32.tflite")
COUNT = 32


@pytest.fixture(name="generate", scope="module")
def generate_fixture():
    spec = importlib.util.spec_from_file_location(
        "generate_tokens", ROOT / "examples" / "python" / "generate_tokens.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generate


@pytest.fixture(name="cpu", scope="module")
def cpu_fixture():
    runtime = gles_delegate.find_runtime()
    try:
        interpreter = runtime.Interpreter(model_path=DECODER)
        interpreter.allocate_tensors()
    except (RuntimeError, ValueError) as error:
        pytest.skip(f"{runtime.name} {runtime.version} has no composites: {error}")
    return interpreter


@pytest.mark.parametrize("options", [{}, {"is_precision_loss_allowed": True}, {"state_pairs": "auto"}])
@pytest.mark.parametrize("prompt", [[5, 6, 7, 8], [200], list(range(40, 57))])
def test_generates_the_tokens_of_the_cpu(generate, cpu, options, prompt):
    gpu = gles_delegate.interpreter(DECODER, max_delegated_partitions=0, **options)
    expected = generate(cpu, prompt, COUNT)
    assert len(set(expected)) > 3
    assert generate(gpu, prompt, COUNT) == expected
    report = gles_delegate.report(gpu)
    assert report.nodes_delegated == report.nodes_total


def test_a_layer_takes_eight_dispatches_at_one_token(generate, cpu, monkeypatch):
    monkeypatch.setenv("GLES_DELEGATE_TUNING", "simd_lanes=1")  # as on a GPU
    gpu = gles_delegate.interpreter(DECODER, max_delegated_partitions=0, enable_op_profiling=True)
    assert generate(gpu, [5, 6], 8) == generate(cpu, [5, 6], 8)
    shaders = [dispatch.shader for dispatch in gles_delegate.report(gpu).profile]
    # Prefill has no attention of one row; decode's layer begins with a product.
    assert shaders.count("attention") == 1
    decode = len(shaders) - shaders[::-1].index("linear_gather")
    layer = shaders[shaders.index("gemv_by_lanes", decode):]
    places = ("cast", "concat_channels", "upload", "readback", "none")  # of the caches
    # The last is the words'.
    assert [s for s in layer if s not in places] == [
        "gemv_by_lanes", "dynamic_update_slice", "dynamic_update_slice", "moved_functions",
        "attention", "gemv_by_lanes", "gemv_by_lanes", "gemv_by_lanes", "gemv_by_lanes"]


def test_both_signatures_share_their_weights(generate, cpu, monkeypatch):
    # As on NVIDIA's GPUs: prefill's products are tiles, decode's are rows.
    monkeypatch.setenv("GLES_DELEGATE_TUNING",
                       "simd_lanes=1,work_group_size=64,split_k_target=49152")
    gpu = gles_delegate.interpreter(DECODER, max_delegated_partitions=0, enable_op_profiling=True)
    assert generate(gpu, [5, 6, 7], 4) == generate(cpu, [5, 6, 7], 4)
    report = gles_delegate.report(gpu)
    assert {"conv_shared", "gemv_by_lanes"} <= {dispatch.shader for dispatch in report.profile}
    # All that prefill has is decode's, which has the words' matrix besides.
    assert [p.gpu_bytes.constants for p in report.partitions][0] == (
        report.gpu_bytes.shared_constants)


def test_refuses_what_the_caches_do_not_hold(generate, cpu):
    with pytest.raises(ValueError, match="the decoder takes 17 tokens, and 64 with the answer"):
        generate(cpu, [1] * 18, 1)
    with pytest.raises(ValueError, match="64 with the answer"):
        generate(cpu, [1], 64)


def test_the_program_gives_it_tokens_that_it_has(cpu):
    del cpu  # which skips
    done = subprocess.run([sys.executable, "-m", "gles_delegate", "--graph", DECODER, "--seconds",
                           "0.05", "--options", "max_delegated_partitions:0"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
