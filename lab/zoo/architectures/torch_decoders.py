"""Decoders in the shapes of small language models, with fewer layers and words."""

from architectures import decoder_parts  # first: the others import TensorFlow without it
from litert_torch.generative.examples.gemma3 import decoder as gemma3
from litert_torch.generative.examples.llama import llama
from litert_torch.generative.examples.qwen import qwen
from litert_torch.generative.examples.smollm import smollm
from registry import architecture

ALL = ("float32", "float16", "dynamic_int8", "int8_weights", "int4_block32")


def decoder(name, modes=("float32", "dynamic_int8", "int4_block32")):
    return architecture(name, "language model", modes, "torch")


@decoder("smollm_135m", ALL)
def smollm_135m():
    return decoder_parts.Decoder(decoder_parts.shortened(smollm.get_model_config(), 2, 512))


@decoder("gemma3_270m")
def gemma3_270m():
    shape = decoder_parts.shortened(gemma3.get_decoder_config_270m(), 2, 512)
    return decoder_parts.Decoder(shape, gemma3.Decoder)


@decoder("qwen2_5_0_5b")
def qwen2_5_0_5b():
    return decoder_parts.Decoder(decoder_parts.shortened(qwen.get_0_5b_model_config(), 2, 512))


@decoder("llama3_2_1b")
def llama3_2_1b():
    return decoder_parts.Decoder(decoder_parts.shortened(llama.get_1b_model_config(), 1, 512))
