"""Text and vision models of the package transformers, with small shapes."""

import torch
import transformers
from torch import nn

from registry import architecture

SMALL = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
         "num_attention_heads": 4}
WORDS = torch.arange(16)[None] % 8


class First(nn.Module):
    """A model's first output, of its inputs by name."""

    def __init__(self, model, *names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *inputs):
        return self.model(**dict(zip(self.names, inputs)), return_dict=False)[0]


class Far(nn.Module):
    """A decoder whose words stand behind this many others."""

    def __init__(self, model, before):
        super().__init__()
        self.model, self.before = model, before

    def forward(self, words):
        places = torch.arange(16) + self.before + words.min()  # depends on words: no constant
        return self.model(input_ids=words, position_ids=places[None], return_dict=False)[0]


# Name: the model, and its inputs.
MODELS = {
    "hf_clip_text": lambda: (First(transformers.CLIPTextModel(transformers.CLIPTextConfig(
        vocab_size=100, max_position_embeddings=16, projection_dim=32, eos_token_id=7, **SMALL)),
        "input_ids"), (WORDS,)),
    "hf_clip_vision": lambda: (First(transformers.CLIPVisionModel(transformers.CLIPVisionConfig(
        image_size=32, patch_size=8, projection_dim=32, **SMALL)), "pixel_values"),
        (torch.randn(1, 3, 32, 32),)),
    "hf_whisper_decoder": lambda: (First(transformers.WhisperModel(transformers.WhisperConfig(
        vocab_size=100, d_model=32, encoder_layers=1, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, num_mel_bins=16,
        max_source_positions=32, max_target_positions=16, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, decoder_start_token_id=3, use_cache=False)).decoder,
        "input_ids", "encoder_hidden_states"), (WORDS, torch.randn(1, 32, 32))),
    "hf_sam_encoder": lambda: (First(transformers.SamVisionModel(transformers.SamVisionConfig(
        hidden_size=32, output_channels=16, num_hidden_layers=2, num_attention_heads=4,
        image_size=64, patch_size=8, window_size=4, global_attn_indexes=[1], mlp_dim=64,
        initializer_range=0.02)), "pixel_values"),  # by default 1e-10
        (torch.randn(1, 3, 64, 64),)),
    "hf_llama_far": lambda: (Far(transformers.LlamaModel(transformers.LlamaConfig(
        vocab_size=100, max_position_embeddings=131072, use_cache=False, **SMALL)), 100000),
        (WORDS,)),
}
for name, build in MODELS.items():
    architecture(name, "transformer", converter="torch")(build)
