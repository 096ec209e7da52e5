"""Generates tokens with a decoder as litert-torch exports it, on the GPU.

    python generate_tokens.py DECODER.tflite TOKEN...

prints the 16 most probable tokens after the given ones, by their numbers. The decoder has a
signature prefill or prefill_N, a signature decode, and its mask as an input. Needs
gles-delegate, ai-edge-litert and NumPy. For text, see docs/language_models.md: LiteRT-LM has
tokenizers and templates.
"""

import argparse


def mask_of(positions, length):
    """What a token at each of the positions sees: itself and those before it."""
    import numpy as np

    seen = np.arange(length) <= np.reshape(positions, (-1, 1))
    return np.where(seen, 0, -1e4).astype(np.float32)[None, None]


def generate(interpreter, prompt, count):
    """The `count` tokens after those of `prompt`."""
    import numpy as np

    name = min(key for key in interpreter.get_signature_list() if key.startswith("prefill"))
    prefill, decode = (interpreter.get_signature_runner(key) for key in (name, "decode"))
    inputs = prefill.get_input_details()
    size, length = inputs["tokens"]["shape"][-1], inputs["mask"]["shape"][-1]
    *before, token = prompt
    if len(before) > size or len(prompt) + count > length:
        raise ValueError(f"the decoder takes {size + 1} tokens, and {length} with the answer")

    # Places after the prompt are overwritten before a token sees them.
    positions = np.arange(size, dtype=np.int32)
    tokens = np.zeros((1, size), np.int32)
    tokens[0, :len(before)] = before
    caches = {key: np.zeros(detail["shape"], detail["dtype"])
              for key, detail in inputs.items() if key.startswith("kv_cache_")}
    caches = prefill(tokens=tokens, input_pos=positions, mask=mask_of(positions, length), **caches)

    answer = []
    for place in range(len(before), len(before) + count):
        position = np.array([place], np.int32)
        caches = decode(tokens=np.array([[token]], np.int32), input_pos=position,
                        mask=mask_of(position, length), **caches)
        token = int(caches.pop("logits").argmax())
        answer.append(token)
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("decoder")
    parser.add_argument("tokens", nargs="+", type=int)
    arguments = parser.parse_args()

    import gles_delegate  # after the arguments, so that --help needs no package

    interpreter = gles_delegate.interpreter(
        arguments.decoder, max_delegated_partitions=0, state_pairs="auto")
    print(*generate(interpreter, arguments.tokens, 16))


if __name__ == "__main__":
    main()
