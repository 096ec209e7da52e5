"""Tasks on folders of images, on the CPU and with the delegate side by side.

    python -m gles_delegate.evaluation classification --help
    python -m gles_delegate.evaluation detection --help

needs NumPy, Pillow, tqdm and, for detection, pycocotools: the extra "evaluation" of the wheel.
"""


import pathlib
from typing import List


class EvaluationError(RuntimeError):
    """The input cannot be evaluated; the text says why and what to do."""


def read_lines(path: pathlib.Path) -> List[str]:
    """The lines without their ends; empty ones at the end of the file are left out."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: {error}") from error
    while lines and not lines[-1].strip():
        lines.pop()
    return [line.strip("\r\n") for line in lines]
