#!/usr/bin/env python3
"""Writes a decoder in the shape of SmolLM-135M, whole, for decode.py.

    .deps/zoo/torch/bin/python benches/make_decoder.py MODE FILE.tflite [POSITIONS]

30 layers, 49,152 words, caches of 1,024 positions (or POSITIONS), prefill of 128 tokens. MODE is
one of decoder_parts.RECIPES, such as int8_weights or int4_block32. The Python is that of
`./dev zoo`. Weights are random and repeat, so that the file packs well.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lab" / "zoo"))

# pylint: disable=wrong-import-position
from architectures import decoder_parts  # noqa: E402  first: it stands in for TensorFlow
from litert_torch.generative.examples.smollm import smollm  # noqa: E402


def main():
    mode, path, *positions = sys.argv[1:]
    decoder_parts.Decoder(smollm.get_model_config(), prefill=(128,),
                          cache=int(positions[0]) if positions else 1024,
                          repeats=997).write(mode, pathlib.Path(path))


if __name__ == "__main__":
    main()
