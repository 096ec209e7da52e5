"""Options as Python's values: needs the package, no runtime."""

import doctest
import inspect
import os
import pathlib
import re
import typing

import pytest

import gles_delegate
from gles_delegate import _errors, _model_argument, _options, _report

ROOT = pathlib.Path(__file__).resolve().parents[2]


def header_options():
    header = (ROOT / "delegate/include/gles_delegate/gles_delegate.h").read_text()
    struct = re.search(r"^typedef struct TfLiteGlesDelegateOptions {.*?^}", header,
                       re.MULTILINE | re.DOTALL).group(0)
    fields = re.findall(r"^ +[\w ]+[ *]+(\w+)(?:\[\d+\])?;", struct, re.MULTILINE)
    return [f for f in fields if f != "struct_size" and not f.startswith("reserved_")]


def test_every_option_of_the_header_is_a_keyword():
    options = header_options()
    assert len(options) > 20
    assert sorted(gles_delegate.Options.__annotations__) == sorted(options)


def test_every_option_has_its_line_of_the_docstring():
    text = inspect.getdoc(gles_delegate.Options)
    for name in gles_delegate.Options.__annotations__:
        assert re.search(rf"^  {name}: \S", text, re.MULTILINE), name


def test_the_texts_of_a_choice_are_those_of_the_library():
    source = (ROOT / "delegate/tflite/options.inc").read_text()
    lists = [tuple(re.findall(r'"(\w+)"', names)) for names in re.findall(
        r'^OPTION\(kChoice,.*?",\n((?: *"\w+",?)+)\)$', source, re.DOTALL | re.MULTILINE)]
    choices = {name: typing.get_args(typing.get_args(hint)[0]) for name, hint in
               typing.get_type_hints(gles_delegate.Options).items()
               if typing.get_origin(typing.get_args(hint)[0]) is typing.Literal}
    assert len(choices) > 5
    for name, texts in choices.items():
        assert any(sorted(texts) == sorted(known) for known in lists), (name, texts, lists)


def test_a_misspelt_option_is_refused_with_the_one_that_was_meant():
    with pytest.raises(TypeError, match="'is_precision_lost_allowed' .did you mean "
                                        "'is_precision_loss_allowed'"):
        gles_delegate.load_delegate(is_precision_lost_allowed=True)


def test_values_are_texts():
    assert _options.option_texts({
        "is_precision_loss_allowed": True, "self_check": False, "verbosity": 2,
        "device": 1, "storage": "buffer", "model_token": "m",
        "serialization_dir": pathlib.Path("/"), "report_file": "r.json",
        "exclude_nodes": [3, range(17, 21), (30, 31)], "float32_nodes": "1-2",
        "tuning_file": None,
    }) == {
        "is_precision_loss_allowed": "1", "self_check": "0", "verbosity": "2",
        "device": "1", "storage": "buffer", "model_token": "m",
        "serialization_dir": "/", "report_file": "r.json",
        "exclude_nodes": "3,17-20,30-31", "float32_nodes": "1-2",
    }


@pytest.mark.parametrize("name, value", [
    ("self_check", "yes"), ("verbosity", "2"), ("verbosity", True), ("storage", 1),
    ("serialization_dir", 3), ("nonsense", 1)])
def test_a_value_of_another_type_is_refused_with_its_name(name, value):
    with pytest.raises(TypeError) as error:
        _options.option_texts({name: value})
    if name != "serialization_dir":  # os.fspath's own words
        assert name in str(error.value)


def test_the_library_is_the_packages_own_unless_one_is_named(monkeypatch):
    monkeypatch.delenv("GLES_DELEGATE_LIBRARY", raising=False)
    assert os.path.dirname(gles_delegate.library_path()) == os.path.dirname(
        gles_delegate.__file__)
    monkeypatch.setenv("GLES_DELEGATE_LIBRARY", "/x/libgles_delegate.so")
    assert gles_delegate.library_path() == "/x/libgles_delegate.so"


@pytest.mark.parametrize("module", [_errors, _model_argument, _options, _report])
def test_the_examples_of_the_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted and not result.failed


def test_the_accelerator_lies_beside_the_library(monkeypatch, tmp_path):
    monkeypatch.setenv("GLES_DELEGATE_LIBRARY", str(tmp_path / "libgles_delegate.so"))
    with pytest.raises(FileNotFoundError, match="libLiteRtGpuAccelerator.so does not exist"):
        gles_delegate.litert_runtime_dir()
    (tmp_path / "libLiteRtGpuAccelerator.so").write_bytes(b"")
    assert gles_delegate.litert_runtime_dir() == str(tmp_path)
