"""LiteRT-LM on the GPU beside its own CPU: the same bundle, the same text.

The decoder (tests/corpus) has random weights, so the text means nothing. Each engine runs in
its own process, as use() lasts for the life of one.
"""

import json
import os
import pathlib
import subprocess
import sys

import litert_lm_builder as builder
import pytest
from litert_lm_builder.runtime.proto import llm_metadata_pb2, llm_model_type_pb2
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

DECODER = pathlib.Path(__file__).resolve().parents[1] / "corpus" / "decoder.float32.tflite"
WORDS, POSITIONS = 288, 64  # of the decoder
PROMPTS = ("the cat sat on the", "the dog and the cat", "log")

# Prints the text for each prompt as JSON: the most probable token each time.
PROGRAM = """
import json, sys
import litert_lm
bundle, device, kind, prompts = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
backend, more = litert_lm.Backend.CPU(), {}
if device == "gpu":
    import gles_delegate.litert_lm
    gles_delegate.litert_lm.use(report_file=bundle + ".report")
    gles_delegate.litert_lm.use(report_file=bundle + ".report")  # changes nothing
    backend = litert_lm.Backend.GPU()
if kind != "default":
    more["activation_data_type"] = litert_lm.ActivationDataType[kind]
greedy = litert_lm.SamplerConfig(top_k=1, top_p=1.0, temperature=1.0, seed=1)
texts = []
with litert_lm.Engine(bundle, backend, max_num_tokens=64, **more) as engine:
    for prompt in prompts:
        session = engine.create_session(apply_prompt_template=False, max_output_tokens=32,
                                        sampler_config=greedy)
        session.run_prefill([prompt])
        texts += session.run_decode().texts
        session.close()
print(json.dumps(texts))
"""


def tokenizer():
    """Bytes, and the pairs of a few words."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(
        ["the cat sat on the mat, and the dog sat on the log"] * 4,
        trainers.BpeTrainer(vocab_size=WORDS, special_tokens=["<s>", "</s>"], show_progress=False,
                            initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return made


@pytest.fixture(name="bundle", scope="module")
def bundle_fixture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundle")
    tokenizer().save(str(folder / "tokenizer.json"))
    metadata = llm_metadata_pb2.LlmMetadata()
    metadata.start_token.token_ids.ids.append(0)
    metadata.stop_tokens.add().token_ids.ids.append(1)
    metadata.max_num_tokens = POSITIONS
    metadata.llm_model_type.CopyFrom(
        llm_model_type_pb2.LlmModelType(generic_model=llm_model_type_pb2.GenericModel()))
    (folder / "metadata.pb").write_bytes(metadata.SerializeToString())
    made = builder.LitertLmFileBuilder()
    made.add_system_metadata(
        builder.Metadata(key="Authors", value="test", dtype=builder.DType.STRING))
    made.add_llm_metadata(str(folder / "metadata.pb"), supports_thinking=False,
                          supports_function_calling=False)
    made.add_hf_tokenizer(str(folder / "tokenizer.json"))
    made.add_tflite_model(str(DECODER), builder.TfLiteModelType.PREFILL_DECODE)
    path = folder / "model.litertlm"
    with open(path, "wb") as file:
        made.build(file)
    return str(path)


def run(program, *arguments, **environment):
    return subprocess.run([sys.executable, "-B", "-c", program, *arguments], text=True,
                          capture_output=True, check=False, timeout=300,
                          env={**os.environ, **environment})


def texts(bundle, device, kind="default"):
    done = run(PROGRAM, bundle, device, kind, *PROMPTS)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(name="cpu", scope="module")
def cpu_fixture(bundle):
    made = texts(bundle, "cpu", "FLOAT32")
    assert len(made) == len(PROMPTS) and all(made) and len(set(made)) == len(made)
    return made


@pytest.mark.parametrize("kind, precision", [("default", "float32"), ("FLOAT32", "float32"),
                                             ("FLOAT16", "float16")])
def test_has_the_text_of_the_cpu(bundle, cpu, kind, precision):
    assert texts(bundle, "gpu", kind) == cpu
    report = json.loads(pathlib.Path(bundle + ".report").read_text())
    assert report["precision"] == precision
    assert report["nodes_delegated"] == report["nodes_total"] > 0
    assert any(partition["tensors_kept_on_gpu"] for partition in report["partition"])


def test_leaves_the_cpu_alone(bundle, cpu):
    program = "import gles_delegate.litert_lm as l; l.use()\n" + PROGRAM
    done = run(program, bundle, "cpu", "FLOAT32", *PROMPTS)
    assert json.loads(done.stdout.splitlines()[-1]) == cpu, done.stderr[-3000:]


def test_restores_the_environment(bundle):
    program = PROGRAM + "\nimport os; print(os.environ['GLES_DELEGATE_OPTIONS'])"
    done = run(program, bundle, "gpu", "FLOAT16", "log",
               GLES_DELEGATE_OPTIONS="is_precision_loss_allowed:0;verbosity:0")
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == "is_precision_loss_allowed:0;verbosity:0"
    report = json.loads(pathlib.Path(bundle + ".report").read_text())
    assert report["precision"] == "float16"  # the engine's choice


def test_refuses_integer_activations(bundle):
    done = run(PROGRAM, bundle, "gpu", "INT8", "log")
    assert "activation_data_type 3: the GPU has FLOAT32 and FLOAT16" in done.stderr


def test_says_that_a_release_does_not_allow_it():
    done = run("""
import ctypes, types
from litert_lm import _ffi
_ffi._get_lib = lambda: ctypes.CDLL(None)
import gles_delegate, gles_delegate.litert_lm
try:
    gles_delegate.litert_lm.use()
except gles_delegate.DelegateError as error:
    print(error)
""")
    assert "does not allow another accelerator" in done.stdout, done.stderr
    assert "LiteRtStaticLinkedAcceleratorGpuDef" in done.stdout


def test_says_that_litert_lm_is_missing():
    done = run("""
import sys
sys.modules["litert_lm"] = None
import gles_delegate.litert_lm
try:
    gles_delegate.litert_lm.use()
except ImportError as error:
    print(error)
""")
    assert done.stdout.strip() == "LiteRT-LM is not installed: pip install litert-lm-api"


def test_refuses_an_unknown_option():
    done = run("import gles_delegate.litert_lm as l; l.use(precision=16)")
    assert "unknown option 'precision'" in done.stderr
