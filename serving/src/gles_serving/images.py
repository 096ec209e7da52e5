"""The decode step: image files as a model's input. Needs numpy and Pillow."""

import io
import warnings
from typing import List

import numpy as np
from PIL import Image

from .config import Decode
from .tensors import RequestError, Spec

_MODES = {1: "L", 3: "RGB", 4: "RGBA"}
# Formats whose header alone says how many pixels there are, and whose readers are Pillow's or
# libjpeg's. Others run programs (EPS), or decode or reserve memory when opened (ICO, WebP).
FORMATS = ("JPEG", "PNG", "BMP")
_RUN_LENGTHS = (1, 2)
_START_OF_SCAN, _MOST_SCANS = b"\xff\xda", 64


def check(spec: Spec) -> None:
    """Raises ValueError where an image cannot be this input."""
    if len(spec.shape) != 4 or spec.shape[3] not in _MODES:
        raise ValueError(f"decode: input {spec.name!r} has shape {list(spec.shape)}; images need "
                         "[batch, height, width, 1, 3 or 4]")
    if np.dtype(spec.dtype).kind not in "iuf":
        raise ValueError(f"decode: input {spec.name!r} is of {spec.datatype}")


def _opened(data: bytes, spec: Spec) -> Image.Image:
    """The image with nothing but its header read.

    Raises RequestError.
    """
    # Decoding goes over all pixels once a scan; real files have about ten.
    if data.startswith(b"\xff\xd8") and data.count(_START_OF_SCAN) > _MOST_SCANS:
        raise RequestError(f"input {spec.name!r}: a JPEG of more than {_MOST_SCANS} scans")
    try:
        image = Image.open(io.BytesIO(data), formats=FORMATS)
    except Exception as error:  # Pillow's readers raise whatever a torn file makes them raise
        raise RequestError(f"input {spec.name!r}: no image of {', '.join(FORMATS)}: "
                           f"{type(error).__name__}: {error}"[:300]) from error
    # Pillow decodes runs of pixels by a loop in Python.
    if image.format == "BMP" and image.info.get("compression") in _RUN_LENGTHS:
        raise RequestError(f"input {spec.name!r}: a BMP that is compressed by run lengths")
    return image


def _pixels(image: Image.Image, spec: Spec, step: Decode) -> np.ndarray:
    _, height, width, channels = spec.shape
    try:
        if image.format == "JPEG":  # decodes at a half, a quarter, ... where that suffices
            image.draft("RGB" if channels == 3 else None, (width, height))
        image = image.convert(_MODES[channels])
        image = image.resize((width, height), Image.Resampling.BILINEAR)
    except Exception as error:  # as above
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

    No pixel is decoded before the headers of all files are read: what they announce is bounded.

    Raises RequestError.
    """
    with warnings.catch_warnings():
        # Pillow's own bound is a warning at first.
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        opened = [_opened(data, spec) for data in files]
        pixels = sum(image.width * image.height for image in opened)
        if pixels > step.max_pixels:
            sizes = ", ".join(f"{image.width}x{image.height}" for image in opened[:4])
            raise RequestError(f"input {spec.name!r}: {pixels} pixels ({sizes}); max_pixels is "
                               f"{step.max_pixels}")
        return np.stack([_pixels(image, spec, step) for image in opened])
