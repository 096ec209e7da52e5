"""The decode step: image files as a model's input. Needs numpy and Pillow."""

import io
import warnings
from typing import List

import numpy as np
from PIL import Image

from .config import Decode
from .tensors import RequestError, Spec

_MODES = {1: "L", 3: "RGB", 4: "RGBA"}


def check(spec: Spec) -> None:
    """Raises ValueError where an image cannot be this input."""
    if len(spec.shape) != 4 or spec.shape[3] not in _MODES:
        raise ValueError(f"decode: input {spec.name!r} has shape {list(spec.shape)}; images need "
                         "[batch, height, width, 1, 3 or 4]")
    if np.dtype(spec.dtype).kind not in "iuf":
        raise ValueError(f"decode: input {spec.name!r} is of {spec.datatype}")


def _one(data: bytes, spec: Spec, step: Decode) -> np.ndarray:
    _, height, width, channels = spec.shape
    try:
        with warnings.catch_warnings():
            # Pillow's own bound is a warning at first; ours is below, before any decoding.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data))
            if image.width * image.height > step.max_pixels:
                raise RequestError(f"input {spec.name!r}: an image of {image.width}x"
                                   f"{image.height}; max_pixels is {step.max_pixels}")
            if image.format == "JPEG":  # decodes at a half, a quarter, ... where that suffices
                image.draft("RGB" if channels == 3 else None, (width, height))
            image = image.convert(_MODES[channels])
            image = image.resize((width, height), Image.Resampling.BILINEAR)
    except RequestError:
        raise
    except Exception as error:  # Pillow's readers raise whatever a torn file makes them raise
        raise RequestError(f"input {spec.name!r}: no image that can be read: "
                           f"{type(error).__name__}: {error}"[:300]) from error
    pixels = np.asarray(image, dtype=np.float32).reshape(height, width, channels)
    values = (pixels - np.float32(step.mean)) / np.float32(step.std)
    if np.dtype(spec.dtype).kind in "iu":
        limits = np.iinfo(spec.dtype)
        values = np.clip(np.rint(values), limits.min, limits.max)
    return values.astype(spec.dtype)


def decode(files: List[bytes], spec: Spec, step: Decode) -> np.ndarray:
    """The files as [len(files), height, width, channels] of the input's type: resized to the
    model's height and width (bilinear, not keeping the aspect), then (pixel - mean) / std.

    Raises RequestError.
    """
    return np.stack([_one(data, spec, step) for data in files])
