"""The self-check's model of the Python package, for tests that have no such package installed."""

import importlib.util
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCE = os.path.join(ROOT, "bindings", "python", "src", "gles_delegate", "_model.py")


def write_model(path):
    """Writes the model to `path`, which is returned."""
    spec = importlib.util.spec_from_file_location("model", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with open(path, "wb") as file:
        file.write(module.self_check_model())
    return path
