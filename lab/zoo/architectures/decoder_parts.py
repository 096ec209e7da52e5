"""Decoders of litert-torch's generative API: signatures prefill and decode, weights at random."""

import copy
import dataclasses
import importlib.machinery
import pathlib
import sys
import tempfile
import types
from typing import Any, Tuple

import torch
import torch._dynamo.trace_rules  # asks for TensorFlow when it is imported
from ai_edge_litert import schema_py_generated


def _stand_in_for_tensorflow():
    """The generative API takes the schema from TensorFlow, and nothing else."""
    for name in ("tensorflow", "tensorflow.lite", "tensorflow.lite.python"):
        module = sys.modules[name] = types.ModuleType(name)
        module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    sys.modules["tensorflow.lite.python"].schema_py_generated = schema_py_generated


try:
    import tensorflow  # pylint: disable=unused-import
except ImportError:
    _stand_in_for_tensorflow()

# pylint: disable=wrong-import-position
from litert_torch.generative.layers import kv_cache, model_config  # noqa: E402
from litert_torch.generative.utilities import (converter, export_config,  # noqa: E402
                                               model_builder)

# The zoo's modes, by litert-torch's names of its recipes.
RECIPES = {"float32": "none", "float16": "fp16", "dynamic_int8": "dynamic_int8",
           "int8_weights": "weight_only_int8", "int4_block32": "dynamic_int4_block32"}


@dataclasses.dataclass(frozen=True)
class Decoder:
    """A decoder's shape, and how it is exported.

    prefill: the lengths of the prefill signatures.
    cache: positions of the key and value caches.
    """

    config: Any
    model_class: Any = model_builder.DecoderOnlyModel
    prefill: Tuple[int, ...] = (16,)
    cache: int = 64
    seed: int = 1
    spread: float = 0.05  # of the weights
    repeats: int = 0  # values after which the weights repeat, for a file that packs well

    def model(self):
        torch.manual_seed(self.seed)
        made = self.model_class(self.config)
        for parameter in made.parameters():
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=self.spread)
                if self.repeats:
                    values = parameter.data.flatten()
                    values.copy_(values[:self.repeats].repeat(
                        -(-values.numel() // self.repeats))[:values.numel()])
        return made.eval()

    def write(self, mode, path):
        layout = export_config.ExportConfig(
            mask_as_input=True, kvcache_layout=kv_cache.KV_LAYOUT_TRANSPOSED)
        with tempfile.TemporaryDirectory() as scratch:
            made = converter.convert_to_tflite(
                self.model(), scratch, "decoder", list(self.prefill), self.cache,
                quantize=RECIPES[mode], export_config=layout)
            path.write_bytes(pathlib.Path(made).read_bytes())


def shortened(config, layers, words):
    """A configuration with fewer layers and a smaller vocabulary."""
    config = copy.copy(config)
    config.num_layers, config.vocab_size = layers, words
    if isinstance(config.block_configs, list):
        config.block_configs = config.block_configs[:layers]
    return config


def block(heads, groups, width, hidden):
    """A block as Llama and its descendants have it."""
    norm = model_config.NormalizationConfig(type=model_config.NormalizationType.RMS_NORM)
    return model_config.TransformerBlockConfig(
        attn_config=model_config.AttentionConfig(
            num_heads=heads, head_dim=width, num_query_groups=groups, rotary_base=10000,
            rotary_percentage=1.0),
        ff_config=model_config.FeedForwardConfig(
            type=model_config.FeedForwardType.GATED,
            activation=model_config.ActivationConfig(model_config.ActivationType.SILU),
            intermediate_size=hidden),
        pre_attention_norm_config=norm, post_attention_norm_config=norm)


def small(words, layers, **shape):
    """A configuration for tests."""
    made = block(**shape)
    return model_config.ModelConfig(
        vocab_size=words, num_layers=layers, max_seq_len=128,
        embedding_dim=shape["heads"] * shape["width"], block_configs=made,
        final_norm_config=made.pre_attention_norm_config)
