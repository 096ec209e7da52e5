"""Classifies all images of a folder on a machine without a screen.

    python classify_folder.py MODEL.tflite LABELS.txt FOLDER > classes.tsv

writes a line an image: its name, the best class, the score. Needs gles-delegate, a TensorFlow
Lite runtime, NumPy and Pillow. The programs of the GPU are kept beside the model, so that the
second start is a short one.
"""

import argparse
import pathlib
import sys


def read(path, detail):
    """An image as the model's input, 1 x height x width x 3; None if it is not an image."""
    import numpy as np
    from PIL import Image, UnidentifiedImageError

    _, height, width, _ = (int(n) for n in detail["shape"])
    try:
        with Image.open(path) as file:
            image = file.convert("RGB").resize((width, height), Image.Resampling.BILINEAR)
    except (OSError, UnidentifiedImageError) as error:
        print(f"{path.name} is left out: {error}", file=sys.stderr)
        return None
    pixels = np.asarray(image)[None].astype(detail["dtype"])
    return pixels / np.float32(127.5) - 1 if detail["dtype"] == np.float32 else pixels


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("model")
    parser.add_argument("labels", help="a text file with a class a line")
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()

    # After the arguments, so that --help needs no package.
    import numpy as np

    import gles_delegate

    labels = pathlib.Path(arguments.labels).read_text(encoding="utf-8").splitlines()
    cache = pathlib.Path(arguments.model).parent / "gles_cache"
    cache.mkdir(exist_ok=True)

    interpreter = gles_delegate.interpreter(arguments.model, serialization_dir=cache,
                                            model_token=pathlib.Path(arguments.model).stem)
    interpreter.allocate_tensors()
    detail = interpreter.get_input_details()[0]
    output = interpreter.get_output_details()[0]
    scale, zero_point = output["quantization"]

    for path in sorted(arguments.folder.iterdir()):
        pixels = read(path, detail) if path.is_file() else None
        if pixels is None:
            continue
        interpreter.set_tensor(detail["index"], pixels)
        interpreter.invoke()
        scores = interpreter.get_tensor(output["index"]).ravel().astype(np.float32)
        if scale:  # an 8-bit model
            scores = (scores - zero_point) * scale
        best = int(np.argmax(scores))
        print(f"{path.name}\t{labels[best]}\t{scores[best]:.4f}", flush=True)


if __name__ == "__main__":
    main()
