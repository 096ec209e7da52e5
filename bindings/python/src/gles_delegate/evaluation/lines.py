"""Files of one item a line."""

import pathlib
from typing import List

from . import EvaluationError


def read_lines(path: pathlib.Path) -> List[str]:
    """The lines without their ends; empty ones at the end of the file are left out."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: {error}") from error
    while lines and not lines[-1].strip():
        lines.pop()
    return [line.strip("\r\n") for line in lines]
