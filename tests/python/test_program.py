"""The program `python -m gles_delegate`."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import gles_delegate
from gles_delegate import _checkup
from self_check import MODEL


CHECKUPS = json.loads((pathlib.Path(__file__).parents[1] / "tools/checkups.json").read_text())
QUICK = ("--seconds=0.05", "--max_batch=2")


def self_check(*arguments, **environment):
    return subprocess.run([sys.executable, "-m", "gles_delegate", *QUICK, *arguments],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def report_of(done):
    """Its JSON, with the keys that gles_doctor has."""
    report = json.loads(done.stdout)
    assert sorted(report) == sorted(CHECKUPS["keys"])
    for device in report["devices"]:
        assert sorted(device) == sorted(CHECKUPS["device_keys"])
    for model in report["models"]:
        assert sorted(model) == sorted(CHECKUPS["model_keys"])
    assert report["status"] == done.returncode
    return report


@pytest.fixture(name="path")
def model_file(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(MODEL)
    return str(path)


def test_the_program_checks_itself():
    done = self_check()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "built-in\n  " in done.stdout and "8 of 8 nodes on " in done.stdout
    assert gles_delegate.find_runtime().version in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("case", CHECKUPS["cases"])
def test_the_verdict_is_that_of_gles_doctor(case):
    assert _checkup.choose(
        case["speedups"], case.get("software", False), case.get("nodes_delegated", 1) > 0,
        case.get("right", True)) == (case["use"], case["verdict"])


def test_the_program_times_models(path):
    done = self_check(path, "--graph", path, "--json", "--options", "is_precision_loss_allowed:1")
    assert done.returncode == 0, done.stdout + done.stderr
    report = report_of(done)
    assert len(report["models"]) == 2 and report["options"] == "is_precision_loss_allowed:1"
    for model in report["models"]:
        assert model["model"] == path and model["nodes_delegated"] == 3 and model["right"]
        assert model["report"]["precision"] == "float16" and 0 < model["max_error"] < 3e-2
        for side in ("gles", "cpu"):
            assert model[side + "_ms"] > 0 and model[side + "_batch"] in (1, 2)
            assert model[side + "_batch_per_s"] >= model[side + "_per_s"]
        assert model["cpu_batch"] == 1 or model["cpu_batch_per_s"] > model["cpu_per_s"]
    assert "ms with the delegate" in done.stderr
    assert not re.search(r"\d+e\+| 0(\.00)? ms", done.stderr)  # however small the model is


def test_software_is_never_a_gpu(path):
    report = report_of(self_check(path, "--json", GLES_DELEGATE_DEVICE="llvmpipe"))
    assert report["models"][0]["software"] and report["models"][0]["use"] == "cpu"
    done = self_check(path, "--json", "--require=hardware", GLES_DELEGATE_DEVICE="llvmpipe")
    assert done.returncode == 2 and not report_of(done)["hardware"]
    assert "which --require asks for" in done.stderr


def test_the_program_says_what_is_wrong(path, tmp_path):
    done = self_check("--options", "device:no such renderer")
    assert done.returncode == 1
    assert "FAILED" in done.stderr and "no such renderer" in done.stderr
    done = self_check(str(tmp_path / "none"), str(tmp_path), path, f"--report_json={tmp_path}/r.json")
    assert done.returncode == 1 and "3 of 3 nodes on " in done.stdout
    for words in ("none: No such file or directory", f"{tmp_path}: Is a directory"):
        assert f"FAILED: Cannot open {tmp_path}" in done.stderr and words in done.stderr
    done.stdout = (tmp_path / "r.json").read_text()
    assert [model["use"] for model in report_of(done)["models"]][:2] == [None, None]
    assert self_check(path, f"--report_json={tmp_path}").returncode == 1


def test_without_egl_there_is_json_with_the_reason():
    for arguments, status in (((), 1), (("--require=hardware",), 2)):
        done = self_check("--json", *arguments, GLES_DELEGATE_EGL_LIBRARY="no_egl.so")
        assert done.returncode == status
        report = report_of(done)
        assert not report["hardware"] and "no_egl.so" in report["reason"]
        assert report["models"][0]["use"] == "cpu" and "no_egl.so" in report["models"][0]["error"]


def test_without_its_library_there_is_json_with_the_reason():
    done = self_check("--json", GLES_DELEGATE_LIBRARY="/nonexistent.so")
    assert done.returncode == 1
    report = report_of(done)
    assert "/nonexistent.so" in report["reason"] and "/nonexistent.so" in report["models"][0]["error"]


def test_the_program_suggests_the_flag_that_was_meant():
    done = self_check("--optoins=x")
    assert done.returncode == 1
    assert "unrecognized arguments: --optoins=x (did you mean --options?)" in done.stderr
    for arguments in (("--qqqqqqqq",), ("--seconds=-1",), ("--max_batch=0",), ("--require=gpu",)):
        done = self_check(*arguments)
        assert done.returncode == 1 and "did you mean" not in done.stderr


CRASH = """
import os, signal, sys
from gles_delegate import __main__ as program, _checkup
_checkup.checkup = lambda *arguments: os.kill(os.getpid(), signal.SIGSEGV)
sys.exit(program.main(sys.argv[1:]))
"""


def test_the_program_survives_a_crash_and_says_what_to_do():
    done = subprocess.run([sys.executable, "-c", CRASH, "--json"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 1
    assert "the check ended by SIGSEGV: an OpenGL driver crashed" in report_of(done)["models"][0]["error"]
