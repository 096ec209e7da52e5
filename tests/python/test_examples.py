"""The examples of examples/python, on real models."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

SHARED = pathlib.Path(os.environ.get("GLES_DELEGATE_SHARED_DIR", ""))
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
IMAGES, MODELS = SHARED / "images", SHARED / "models"
pytestmark = pytest.mark.skipif(
    not MODELS.is_dir(), reason="GLES_DELEGATE_SHARED_DIR names no folder with models")


def run(example, *arguments):
    done = subprocess.run([sys.executable, str(EXAMPLES / example), *map(str, arguments)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.mark.parametrize("model, labels, photo", [
    ("ssd_mobilenet_v1_quant", "coco_labels.txt", "pets.jpg"),
    ("mobilenet_v1_0.25_224_quant", "imagenet_labels.txt", "cat.bmp"),
    ("deeplabv3_257_mv_gpu", "pascal_voc_segmentation_labels.txt", "pets.jpg"),
])
def test_a_look_draws_the_same_on_both_sides(tmp_path, model, labels, photo):
    out = tmp_path / "out.png"
    done = run("look.py", MODELS / f"{model}.tflite", IMAGES / labels, IMAGES / photo, out)
    assert "largest difference" in done.stdout
    sheet = np.asarray(Image.open(out).convert("RGB")).astype(int)
    photo_width = (sheet.shape[1] - 10) // 2
    original = np.asarray(Image.open(IMAGES / photo).convert("RGB")).astype(int)
    gpu, cpu = sheet[24:, :photo_width], sheet[24:, photo_width + 10:]
    # Something is drawn, and all but a hundredth of the pixels are the same on both sides.
    assert np.mean(np.any(gpu != original, axis=-1)) > 0.002
    assert np.mean(np.any(gpu != cpu, axis=-1)) < 0.01


def test_a_folder_is_classified(tmp_path):
    model = tmp_path / "mobilenet.tflite"
    shutil.copy(MODELS / "mobilenet_v1_0.25_224_quant.tflite", model)
    folder = tmp_path / "images"
    folder.mkdir()
    for name in ("bird.bmp", "cat.bmp", "sunflower.bmp"):
        shutil.copy(IMAGES / name, folder)
    (folder / "letter.txt").write_text("Dear reader", encoding="utf-8")
    done = run("classify_folder.py", model, IMAGES / "imagenet_labels.txt", folder)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert [line[0] for line in lines] == ["bird.bmp", "cat.bmp", "sunflower.bmp"]
    assert all(0 < float(line[2]) <= 1 for line in lines)
    assert "letter.txt is left out" in done.stderr
    assert list((tmp_path / "gles_cache").iterdir())
    again = run("classify_folder.py", model, IMAGES / "imagenet_labels.txt", folder)
    assert again.stdout == done.stdout
