"""Classifies a picture by LiteRT's CompiledModel on the GPU.

    python compiled_model.py MODEL.tflite LABELS.txt PICTURE

prints the five best classes. Needs gles-delegate, ai-edge-litert 2.2 or newer, NumPy and Pillow.
"""

import argparse
import pathlib


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    for name in ("model", "labels", "picture"):
        parser.add_argument(name)
    arguments = parser.parse_args()

    # After the arguments, so that --help needs no package.
    import numpy as np
    from ai_edge_litert.compiled_model import CompiledModel, Environment, HardwareAccelerator
    from PIL import Image

    import gles_delegate

    labels = pathlib.Path(arguments.labels).read_text(encoding="utf-8").splitlines()

    # The package's folder has the accelerator that LiteRT looks for.
    environment = Environment.create(runtime_path=gles_delegate.litert_runtime_dir())
    model = CompiledModel.from_file(arguments.model, HardwareAccelerator.GPU, environment)
    (key, names), = model.get_signature_list().items()
    source = model.get_input_tensor_details(key)[names["inputs"][0]]
    result = model.get_output_tensor_details(key)[names["outputs"][0]]
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)

    _, height, width, _ = (int(n) for n in source["shape"])
    with Image.open(arguments.picture) as file:
        image = file.convert("RGB").resize((width, height), Image.Resampling.BILINEAR)
    pixels = np.asarray(image)
    if np.dtype(source["dtype"]) == np.float32:
        pixels = pixels.astype(np.float32) / 127.5 - 1
    inputs[0].write(np.ascontiguousarray(pixels.astype(source["dtype"])))
    model.run_by_index(0, inputs, outputs)
    scores = outputs[0].read(int(np.prod(result["shape"])), np.dtype(result["dtype"]))
    for kind in np.argsort(-scores.astype(np.float32))[:5]:
        print(f"{labels[kind]} {scores[kind]:.3f}")


if __name__ == "__main__":
    main()
