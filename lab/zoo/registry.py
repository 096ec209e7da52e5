"""The table of the zoo: an architecture is a function with a decorator.

    @architecture("unet", "segmentation", modes=("float32", "int8"))
    def unet():
        ...
        return keras.Model(inputs, outputs)

The function makes a model with random weights: a keras.Model of a free batch, or a tf.function
with an input signature, or (converter "torch") a torch.nn.Module and its example inputs, or a
Decoder of architectures/decoder_parts.py, or (converter "onnx") an onnx.ModelProto. Its module
stands in architectures/, which only the Python of the converter can import.
"""

import dataclasses
import importlib
import pathlib
from typing import Callable, Tuple

# Each way to convert an architecture, and what it does.
MODES = {
    "float32": "as the converter writes it by default: float32, free batch",
    "free": "float32 by Keras's own export, every axis free but the channels",
    "batch1": "float32, batch 1",
    "float16": "weights in float16",
    "dynamic_int8": "weights in int8, activations quantized by the runtime",
    "int8": "weights, activations, inputs and outputs in int8",
    "int16x8": "weights in int8, activations in int16",
    "int4": "weights in int4 (ai-edge-quantizer)",
    "int8_weights": "weights in int8, computed in floats",
    "int4_block32": "weights in int4, a scale for each 32, activations as in dynamic_int8",
}

ARCHITECTURES = {}


@dataclasses.dataclass(frozen=True)
class Architecture:
    name: str
    task: str
    converter: str
    modes: Tuple[str, ...]
    build: Callable


def architecture(name, task, modes=("float32",), converter="keras"):
    """Enters the function that it decorates."""
    unknown = [mode for mode in modes if mode not in MODES]
    if unknown:
        raise ValueError(f"{name}: no mode {unknown}; there are {list(MODES)}")

    def enter(build):
        if name in ARCHITECTURES:
            raise ValueError(f"two architectures are called {name}")
        ARCHITECTURES[name] = Architecture(name, task, converter, tuple(modes), build)
        return build
    return enter


def missing(name, modes, folder):
    """The modes of which `folder` has neither a model nor an error, and the files without their ends."""
    stems = {mode: folder / f"{name}.{mode}" for mode in modes}
    return {mode: stem for mode, stem in stems.items() if not any(
        stem.with_name(stem.name + end).exists() for end in (".tflite", ".error"))}


def load(converter, corpus):
    """Imports a converter's architectures, those for tests/corpus or all others; returns the table."""
    folder = pathlib.Path(__file__).resolve().parent / "architectures"
    for path in sorted(folder.glob(f"{converter}_*.py")):
        if corpus == path.stem.endswith("_corpus"):
            importlib.import_module(f"architectures.{path.stem}")
    return ARCHITECTURES
