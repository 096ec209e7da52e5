"""Decoders in the shapes of small language models, with fewer layers and words."""

from architectures import decoder_parts  # first: the others import TensorFlow without it
from litert_torch.generative.examples.gemma3 import decoder as gemma3
from litert_torch.generative.examples.llama import llama
from litert_torch.generative.examples.qwen import qwen
from litert_torch.generative.examples.smollm import smollm
from registry import architecture

SHORT = ("float32", "dynamic_int8", "int4_block32")


def enter(name, layers, modes, config, *of_class):
    architecture(name, "language model", modes, "torch")(lambda: decoder_parts.Decoder(
        decoder_parts.shortened(config(), layers, 512), *of_class))


enter("smollm_135m", 2, ("float32", "float16", "dynamic_int8", "int8_weights", "int4_block32"),
      smollm.get_model_config)
enter("gemma3_270m", 2, SHORT, gemma3.get_decoder_config_270m, gemma3.Decoder)
enter("qwen2_5_0_5b", 2, SHORT, qwen.get_0_5b_model_config)
enter("llama3_2_1b", 1, SHORT, llama.get_1b_model_config)
