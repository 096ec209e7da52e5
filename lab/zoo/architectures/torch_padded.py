"""Hugging Face's text models with a padded batch, as their masks are made of attention_mask."""

import torch
import transformers
from torch import nn

from registry import architecture

LENGTH = 12
SHAPE = {"vocab_size": 100, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
         "num_attention_heads": 4, "max_position_embeddings": 64, "pad_token_id": 1}
DECODER = {"vocab_size": 100, "bos_token_id": 2, "eos_token_id": 3, "pad_token_id": 1}
BART = {**DECODER, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2,
        "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 64,
        "decoder_ffn_dim": 64, "max_position_embeddings": 64, "decoder_start_token_id": 3,
        "use_cache": False}


def pattern(kept):
    """1 for the words of each row: all, some, and none."""
    mask = torch.ones(3, LENGTH, dtype=torch.int64)
    mask[1, ~kept], mask[2] = 0, 0
    return mask


RIGHT = pattern(torch.arange(LENGTH) < 7)
LEFT = pattern(torch.arange(LENGTH) >= 5)

# Name: how its rows are padded, the class of the model, its configuration. A mask is added to the
# scores ("eager", the smallest float or infinity) or selects among them ("sdpa").
MODELS = {
    "bert": (RIGHT, transformers.BertModel, transformers.BertConfig(**SHAPE)),
    "mpnet": (RIGHT, transformers.MPNetModel, transformers.MPNetConfig(**SHAPE)),
    "deberta": (RIGHT, transformers.DebertaV2Model, transformers.DebertaV2Config(
        **SHAPE, relative_attention=True, position_buckets=8, pos_att_type=["p2c", "c2p"])),
    "t5": (RIGHT, transformers.T5EncoderModel, transformers.T5Config(
        vocab_size=100, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4)),
    "bart": (RIGHT, transformers.BartModel, transformers.BartConfig(**BART)),
    "gpt2": (LEFT, transformers.GPT2Model, transformers.GPT2Config(
        **DECODER, n_positions=64, n_embd=32, n_layer=2, n_head=4, use_cache=False)),
    "opt": (LEFT, transformers.OPTModel, transformers.OPTConfig(
        **DECODER, hidden_size=32, ffn_dim=64, num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=64, word_embed_proj_dim=32, use_cache=False)),
    "bloom": (LEFT, transformers.BloomModel, transformers.BloomConfig(
        **DECODER, hidden_size=32, n_layer=2, n_head=4, use_cache=False)),
    "llama": (LEFT, transformers.LlamaModel, transformers.LlamaConfig(**{
        **SHAPE, "num_key_value_heads": 2, "use_cache": False})),
}


class Padded(nn.Module):
    """The model's first output; the mask depends on the words, so that none is a constant."""

    def __init__(self, model, mask):
        super().__init__()
        self.model = model
        self.register_buffer("mask", mask)

    def forward(self, words):
        mask = self.mask * (words + 1).clamp(max=1)
        words = torch.where(mask > 0, words + 4, 1)
        return self.model(input_ids=words, attention_mask=mask, return_dict=False)[0]


def enter(name, kind, mask, model, config):
    def build():
        made = model._from_config(config, attn_implementation=kind) if kind else model(config)
        return Padded(made, mask), (torch.arange(3 * LENGTH).reshape(3, LENGTH) % 8,)
    suffix = f"_{kind}" if kind else ""
    architecture(f"padded_{name}{suffix}", "padded batch", ("float32",), "torch")(build)


for of, entry in MODELS.items():
    for attention in ("eager", "sdpa") if entry[1]._supports_sdpa else ("",):
        enter(of, attention, *entry)
