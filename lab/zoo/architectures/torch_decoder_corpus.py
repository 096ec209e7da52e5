"""The decoder of tests/litert_lm, which LiteRT-LM runs."""

from architectures import decoder_parts
from registry import architecture


@architecture("decoder", "corpus", ("float32",), "torch")
def decoder():
    # The seed is one whose greedy tokens are far enough from the second best that 16-bit
    # floats give the same.
    shape = decoder_parts.small(288, 1, heads=2, groups=1, width=16, hidden=64)
    return decoder_parts.Decoder(shape, seed=2, spread=0.2)
