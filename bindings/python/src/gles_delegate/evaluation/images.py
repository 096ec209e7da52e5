"""Images from files into a model's input."""

import pathlib
from typing import Any, List

import numpy as np
from PIL import Image, UnidentifiedImageError

from . import EvaluationError

_SUFFIXES = {".bmp", ".gif", ".jpeg", ".jpg", ".png", ".webp"}


def list_images(folder: pathlib.Path) -> List[pathlib.Path]:
    """The folder's images, by name."""
    if not folder.is_dir():
        raise EvaluationError(f"{folder} is no folder")
    found = sorted(p for p in folder.iterdir() if p.suffix.lower() in _SUFFIXES)
    if not found:
        raise EvaluationError(f"{folder} has no image ({', '.join(sorted(_SUFFIXES))})")
    return found


def _central(image: Any, fraction: float) -> Any:
    """The square in the middle whose side is `fraction` of the shorter side."""
    side = max(1, round(fraction * min(image.size)))
    left, top = (image.width - side) // 2, (image.height - side) // 2
    return image.crop((left, top, left + side, top + side))


class Preprocessing:
    """How an image becomes the input `detail` of an interpreter: BHWC, batch 1, RGB.

    Resized bilinearly to the input's size; cropping_fraction as _central(), 0 for the whole
    image. A float32 input holds (value - mean) / std of values 0 to 255, a uint8 one the
    values, an int8 one the values less 128, as TensorFlow Lite's own evaluation has it.
    """

    def __init__(self, detail: Any, cropping_fraction: float, mean: float, std: float):
        shape = [int(n) for n in detail["shape"]]
        self._dtype = np.dtype(detail["dtype"])
        if len(shape) != 4 or shape[0] != 1 or shape[3] != 3:
            raise EvaluationError(f"the model's input {detail['name']} has the shape {shape}; "
                                  "an image is 1 x height x width x 3")
        if self._dtype.name not in ("float32", "uint8", "int8"):
            raise EvaluationError(f"the model's input {detail['name']} holds {self._dtype}; "
                                  "an image is float32, uint8 or int8")
        if not 0 <= cropping_fraction <= 1 or std == 0:
            raise EvaluationError("--cropping_fraction is from 0 to 1, --std is not 0")
        self._height, self._width = shape[1:3]
        self._cropping_fraction, self._mean, self._std = cropping_fraction, mean, std

    def read(self, path: pathlib.Path) -> Any:
        """The input for the file. Raises EvaluationError if it is not an image."""
        try:
            with Image.open(path) as file:
                image = file.convert("RGB")
        except (OSError, UnidentifiedImageError, Image.DecompressionBombError) as error:
            raise EvaluationError(f"{path.name} cannot be read: {error}") from error
        if self._cropping_fraction > 0:
            image = _central(image, self._cropping_fraction)
        image = image.resize((self._width, self._height), Image.Resampling.BILINEAR)
        values = np.asarray(image, dtype=np.float32)[np.newaxis]
        if self._dtype == np.float32:
            return (values - np.float32(self._mean)) / np.float32(self._std)
        if self._dtype == np.int8:
            return (values - 128).astype(np.int8)
        return values.astype(np.uint8)
