#!/usr/bin/env python3
"""Writes the transformers that docs/benchmarks.md measures: MiniLM-L6's encoder on 128
embeddings, Whisper-tiny's encoder, ViT-B/16.

    transformer_models.py FOLDER [minilm|whisper|vit]...

Float32, by litert-torch. Weights repeat 997 normal values, from another one on
in each layer, divided by the root of the fan-in: the files compress well, and activations have the range of a trained model's.
Run it with the Python that `./dev zoo` makes: .deps/zoo/torch/bin/python.
"""

import pathlib
import sys

import torch
import torchvision
import transformers

PATTERN = torch.randn(997, generator=torch.Generator().manual_seed(1))


class First(torch.nn.Module):
    """The first result of a model whose input has a keyword."""

    def __init__(self, model, keyword):
        super().__init__()
        self.model, self.keyword = model, keyword

    def forward(self, x):
        return self.model(**{self.keyword: x})[0]


def minilm(attention="eager"):
    config = transformers.BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12,
                                     intermediate_size=1536)
    config._attn_implementation = attention  # pylint: disable=protected-access
    return First(transformers.models.bert.modeling_bert.BertEncoder(config),
                 "hidden_states"), torch.randn(1, 128, 384)


def whisper(attention="eager"):
    config = transformers.WhisperConfig(d_model=384, encoder_layers=4, encoder_attention_heads=6,
                                        encoder_ffn_dim=1536, num_mel_bins=80)
    config._attn_implementation = attention  # pylint: disable=protected-access
    model = transformers.models.whisper.modeling_whisper.WhisperEncoder(config)
    return First(model, "input_features"), torch.randn(1, 80, 3000)


def vit():
    return torchvision.models.vit_b_16(), torch.randn(1, 3, 224, 224)


MODELS = {"minilm": minilm, "whisper": whisper, "vit": vit}


def fill(model):
    with torch.no_grad():
        for i, (name, weight) in enumerate(model.named_parameters()):
            if weight.dim() < 2:
                # A normalization's scale is near 1, everything else near 0.
                weight.fill_(1.0 if "norm" in name.lower() and "weight" in name else 0.02)
                continue
            pattern = PATTERN.roll(31 * i).repeat(weight.numel() // 997 + 1)[:weight.numel()]
            weight.copy_(pattern.reshape(weight.shape) / weight[0].numel() ** 0.5)


def main():
    import litert_torch  # pylint: disable=import-outside-toplevel
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or MODELS:
        model, example = MODELS[name]()
        fill(model)
        edge = litert_torch.convert(model.eval(), (example,))
        edge.export(str(folder / f"{name}.tflite"))


if __name__ == "__main__":
    main()
