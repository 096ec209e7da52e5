"""The quick start of docs/serving.md, from the first request on, as it stands."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from PIL import Image

import serving_process as sp

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "serving.md"
MODEL = pathlib.Path(sp.shared_model("mobilenet_v1_0.25_224"))


@pytest.fixture(name="quick_start", scope="module")
def quick_start_fixture(tmp_path_factory):
    """(A folder, the page's shell commands for clients, its Python program)."""
    if not MODEL.exists():
        pytest.skip("GLES_DELEGATE_SHARED_DIR HAS NO MOBILENET")
    folder = tmp_path_factory.mktemp("quick_start")
    sp.write_model(folder / "models", "classifier", MODEL.read_bytes())
    server = sp.Server(folder / "models")
    section = PAGE.read_text(encoding="utf-8").split("## Quick start\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", section.replace("localhost:8080", f"localhost:{server.http}"),
                        re.MULTILINE | re.DOTALL)
    (commands,) = [text for language, text in blocks if not language and "curl" in text]
    (program,) = [text for language, text in blocks if language == "python"]
    yield folder, commands, program
    assert server.stop() == 0, server.log()


def test_the_shell_commands_get_an_answer(quick_start):
    folder, commands, _ = quick_start
    if shutil.which("curl") is None:
        pytest.skip("NO curl on this machine")
    done = subprocess.run(["bash", "-e", "-c", commands.replace("curl ", "curl -sS --fail-with-body ")],
                          cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    answer = json.loads(re.search(r'\{"model_name".*', done.stdout).group())
    assert len(answer["outputs"][0]["data"]) == 1001


def test_the_program_classifies_a_picture(quick_start):
    folder, _, program = quick_start
    Image.open(sp.shared_image("cat.bmp")).save(folder / "cat.jpg")
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done
    labels = pathlib.Path(sp.shared_image("imagenet_labels.txt")).read_text(encoding="utf-8").splitlines()
    kind, score = re.fullmatch(r"class (\d+) score ([\d.]+)\n", done.stdout).groups()
    assert labels[int(kind)] == "Egyptian cat" and 0.3 < float(score) < 1
