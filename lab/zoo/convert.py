"""Converts architectures in each of their modes, by the Python that has their converter.

    convert.py [--corpus] CONVERTER FOLDER NAME...

Writes FOLDER/NAME.MODE.tflite, or NAME.MODE.error with the converter's last words; one of
either that is there already is not made again.
`convert.py CONVERTER` prints the table of its architectures as JSON.
"""

import json
import pathlib
import sys
import tempfile
import traceback
import unittest.mock

import numpy as np

import registry

CALIBRATIONS = 4


def some_input(shape, dtype, rng):
    """Values that suit calibration: floats around 0, small numbers for integers."""
    if np.issubdtype(dtype, np.integer):
        return rng.integers(0, 8, shape).astype(dtype)
    return rng.normal(size=shape).astype(dtype)


class Keras:
    """TensorFlow's converter, of a keras.Model or of a tf.function with a signature."""

    def __init__(self, model):
        import tensorflow as tf  # pylint: disable=import-outside-toplevel
        self.tf, self.model = tf, model
        self.is_keras = hasattr(model, "inputs")
        specs = model.inputs if self.is_keras else model.input_signature
        self.specs = [(tuple(s.shape), self.tf.as_dtype(s.dtype)) for s in specs]

    def calibration(self):
        rng = np.random.default_rng(1)
        for _ in range(CALIBRATIONS):
            yield [some_input([d or 1 for d in shape], dtype.as_numpy_dtype, rng)
                   for shape, dtype in self.specs]

    def converter(self, mode):
        lite = self.tf.lite.TFLiteConverter
        if not self.is_keras:
            module = self.tf.Module()  # without one the file has no signature
            module.call = self.model
            return lite.from_concrete_functions([self.model.get_concrete_function()], module)
        if mode != "batch1":
            return lite.from_keras_model(self.model)
        import keras  # pylint: disable=import-outside-toplevel
        inputs = [keras.Input(batch_shape=(1, *shape[1:]), dtype=dtype.name)
                  for shape, dtype in self.specs]
        outputs = self.model(inputs if len(inputs) > 1 else inputs[0])
        return lite.from_keras_model(keras.Model(inputs, outputs))

    def convert(self, mode, path):
        if mode == "free" or self.is_keras and isinstance(self.model.input, dict):
            self.model.export(str(path), format="litert", verbose=False)
            return
        lite, converter = self.tf.lite, self.converter(mode)
        if mode not in ("float32", "batch1"):
            converter.optimizations = [lite.Optimize.DEFAULT]
        if mode == "float16":
            converter.target_spec.supported_types = [self.tf.float16]
        if mode in ("int8", "int16x8"):
            converter.representative_dataset = self.calibration
            integers = (lite.OpsSet.TFLITE_BUILTINS_INT8 if mode == "int8" else
                        lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8)
            converter.target_spec.supported_ops = [integers, lite.OpsSet.TFLITE_BUILTINS]
        if mode == "int8" and all(d == self.tf.float32 for _, d in self.specs):
            converter.inference_input_type = converter.inference_output_type = self.tf.int8
        path.write_bytes(converter.convert())


def freed(keras_input):
    """keras.Input, but every axis is free except the channels of floats."""
    def free_input(shape, dtype=None, **_):
        channels = () if dtype == "int32" else tuple(shape[-1:])
        return keras_input((None,) * (len(shape) - len(channels)) + channels, dtype=dtype)
    return free_input


class Torch:
    """litert-torch, of a module and its example inputs, or of a Decoder (decoder_parts.py)."""

    def __init__(self, model):
        self.model = model

    def convert(self, mode, path):
        import litert_torch  # pylint: disable=import-outside-toplevel
        if hasattr(self.model, "write"):
            self.model.write(mode, path)
            return
        model, inputs = self.model
        if mode != "float32":
            raise ValueError(f"litert-torch makes float32, not {mode}")
        litert_torch.convert(model.eval(), inputs).export(str(path))


class Onnx:
    """onnx2tf, of an ONNX model."""

    SUFFIXES = {"float32": "float32", "float16": "float16", "dynamic_int8": "dynamic_range_quant"}

    def __init__(self, model):
        self.model = model

    def convert(self, mode, path):
        # pylint: disable=import-outside-toplevel
        import onnx
        import onnx2tf
        with tempfile.TemporaryDirectory() as scratch:
            source = pathlib.Path(scratch) / "model.onnx"
            onnx.save(self.model, source)
            onnx2tf.convert(input_onnx_file_path=str(source), output_folder_path=scratch,
                            output_dynamic_range_quantized_tflite=mode == "dynamic_int8",
                            verbosity="error", replace_to_pseudo_operators=["erf"])  # TFLite has none
            made = pathlib.Path(scratch) / f"model_{self.SUFFIXES[mode]}.tflite"
            path.write_bytes(made.read_bytes())


def quantize_int4(source, path):
    """Weights in int4 of a float model, by ai-edge-quantizer."""
    # pylint: disable=import-outside-toplevel
    from ai_edge_quantizer import quantizer, recipe
    made = quantizer.Quantizer(str(source), recipe.dynamic_wi4_afp32())
    path.write_bytes(made.quantize().quantized_model)


def convert(architecture, folder):
    """Makes what is missing of an architecture's modes."""
    missing = registry.missing(architecture.name, architecture.modes, folder)
    if not missing:
        return
    wrap = {"keras": Keras, "torch": Torch, "onnx": Onnx}[architecture.converter]
    wrapped = None
    for mode in sorted(missing, key="free".__eq__):  # last: it is another model
        path = folder / f"{architecture.name}.{mode}.tflite"
        try:
            if mode == "free":
                import keras  # pylint: disable=import-outside-toplevel
                with unittest.mock.patch("keras.Input", freed(keras.Input)):
                    wrapped = wrap(architecture.build())
            elif wrapped is None:
                wrapped = wrap(architecture.build())
            if mode == "int4":
                with tempfile.TemporaryDirectory() as scratch:
                    source = pathlib.Path(scratch) / "float32.tflite"
                    wrapped.convert("float32", source)
                    quantize_int4(source, path)
            else:
                wrapped.convert(mode, path)
        except (Exception, SystemExit):  # pylint: disable=broad-except
            path.with_suffix(".error").write_text(traceback.format_exc()[-2000:])


def main():
    corpus = sys.argv[1] == "--corpus"
    converter, *rest = sys.argv[1 + corpus:]
    table = registry.load(converter, corpus)
    if not rest:
        print(json.dumps({name: {"task": a.task, "modes": a.modes}
                          for name, a in table.items()}))
        return
    folder, *names = rest
    for name in names:
        if converter == "keras":
            import keras  # pylint: disable=import-outside-toplevel
            keras.backend.clear_session()  # names in the file depend on nothing before
            keras.utils.set_random_seed(1)
        elif converter == "torch":
            import torch  # pylint: disable=import-outside-toplevel
            torch.manual_seed(1)
        convert(table[name], pathlib.Path(folder))


if __name__ == "__main__":
    main()
