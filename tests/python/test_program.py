"""The program `python -m gles_delegate`."""

import json
import subprocess
import sys

import pytest

import gles_delegate
from gles_delegate import _model


def self_check(*arguments):
    return subprocess.run([sys.executable, "-m", "gles_delegate", *arguments],
                          capture_output=True, text=True, check=False)


def test_the_program_checks_itself():
    done = self_check()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "self_check: 3 of 3 nodes on " in done.stdout
    assert gles_delegate.find_runtime().version in done.stdout


def test_the_program_times_a_model(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(_model.self_check_model())
    done = self_check("--graph", str(path), "--seconds", "0.05", "--json",
                      "--options", "is_precision_loss_allowed:1")
    assert done.returncode == 0, done.stdout + done.stderr
    graph = json.loads(done.stdout)["graph"]
    for side in ("gpu", "cpu"):
        assert 0 < graph[side]["median_ms"] <= graph[side]["p90_ms"]
        assert graph[side]["runs"] >= 3


def test_the_program_says_what_is_wrong():
    done = self_check("--options", "device:no such renderer")
    assert done.returncode == 1
    assert "FAILED" in done.stderr and "no such renderer" in done.stderr
    done = self_check("--graph", "/nonexistent.tflite")
    assert done.returncode == 1 and "FAILED" in done.stderr


def test_the_program_suggests_the_flag_that_was_meant():
    done = self_check("--optoins=x")
    assert done.returncode == 2
    assert "unrecognized arguments: --optoins=x (did you mean --options?)" in done.stderr
    assert "did you mean" not in self_check("--qqqqqqqq").stderr
    assert "did you mean" not in self_check("word").stderr


CRASH = """
import os, signal, sys
from gles_delegate import __main__ as program
program._find = lambda arguments: os.kill(os.getpid(), signal.SIGSEGV)
sys.exit(program.main(sys.argv[1:]))
"""


@pytest.mark.parametrize("runtime, advice", [
    ("ai_edge_litert", "an OpenGL driver crashed"), ("tensorflow", "pip install ai-edge-litert")])
def test_the_program_survives_a_crash_and_says_what_to_do(runtime, advice):
    done = subprocess.run([sys.executable, "-c", CRASH, "--runtime", runtime],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "FAILED: the check ended by SIGSEGV" in done.stderr and advice in done.stderr
