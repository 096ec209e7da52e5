"""images.py: which files are decoded, and what is looked at before."""

import io
import tracemalloc

import numpy as np
import pytest
from PIL import Image

from gles_serving import images
from gles_serving.config import Decode
from gles_serving.tensors import RequestError, Spec

SPEC = Spec("image", 0, np.float32, (4, 8, 8, 3))


def file_of(kind, size=(16, 12), **options):
    data = io.BytesIO()
    Image.new("RGB", size, (10, 20, 30)).save(data, kind, **options)
    return data.getvalue()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "BMP"])
def test_photographs(kind):
    made = images.decode([file_of(kind)] * 2, SPEC, Decode())
    assert made.shape == (2, 8, 8, 3) and made.dtype == np.float32
    np.testing.assert_allclose(made, np.broadcast_to([10, 20, 30], made.shape), atol=3)


EPS = (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n"
       b"/x {(would run) print} def\n%%EOF\n")


@pytest.mark.parametrize("data", [
    file_of("ICO"), file_of("WEBP"), file_of("TIFF"), file_of("PPM"), file_of("GIF"), EPS, b"",
    b"x" * 100,
], ids=["ICO", "WEBP", "TIFF", "PPM", "GIF", "EPS", "nothing", "letters"])
def test_other_files_reach_no_reader(data):
    with pytest.raises(RequestError, match="no image of JPEG, PNG, BMP"):
        images.decode([data], SPEC, Decode())


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "BMP"])
def test_pixels_are_counted_before_any_is_decoded(kind):
    large = file_of(kind, (3000, 2000))
    tracemalloc.start()
    try:
        with pytest.raises(RequestError, match=r"6000000 pixels \(3000x2000\); max_pixels is 5"):
            images.decode([large], SPEC, Decode(max_pixels=5_000_000))
        # Together, too.
        with pytest.raises(RequestError, match="18000000 pixels"):
            images.decode([large] * 3, SPEC, Decode(max_pixels=17_000_000))
        assert tracemalloc.get_traced_memory()[1] < 3 << 20
    finally:
        tracemalloc.stop()


def test_a_jpeg_of_many_scans():
    progressive = file_of("JPEG", progressive=True)
    assert 1 < progressive.count(b"\xff\xda") < 64
    images.decode([progressive], SPEC, Decode())
    begin = progressive.rindex(b"\xff\xda")
    scan = progressive[begin:-2]
    many = progressive[:begin] + scan * 100 + b"\xff\xd9"
    with pytest.raises(RequestError, match="more than 64 scans"):
        images.decode([many], SPEC, Decode())


def test_a_bmp_of_run_lengths():
    Image.new("P", (16, 12)).save(made := io.BytesIO(), "BMP")
    bmp = bytearray(made.getvalue())
    bmp[30] = 1  # RLE8
    with pytest.raises(RequestError, match="run lengths"):
        images.decode([bytes(bmp)], SPEC, Decode())


def test_a_torn_file():
    with pytest.raises(RequestError, match="no image that can be read"):
        images.decode([file_of("PNG", (300, 200))[:60]], SPEC, Decode())
