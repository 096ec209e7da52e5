"""A small model, for tests: CONV_2D with RELU6, AVERAGE_POOL_2D and LOGISTIC on [1, 16, 16, 5] floats."""

import pathlib

MODEL = pathlib.Path(__file__).resolve().with_suffix(".tflite").read_bytes()


def write_model(path):
    """Writes the model to `path`, which is returned."""
    pathlib.Path(path).write_bytes(MODEL)
    return path
