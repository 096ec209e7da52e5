"""The installed wheel's metadata, and the properties of its libraries."""

import importlib.metadata
import os
import pathlib
import re
import sys

import gles_delegate

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "install"))
import hardening  # noqa: E402  pylint: disable=wrong-import-position

DISTRIBUTION = importlib.metadata.distribution("gles-delegate")


def test_metadata_is_complete():
    metadata = DISTRIBUTION.metadata
    version = re.search(r"project\(gles_delegate VERSION ([\d.]+)",
                        (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    assert metadata["Version"] == gles_delegate.__version__ == version
    assert tuple(map(int, metadata["Metadata-Version"].split("."))) >= (2, 4)  # PEP 639
    assert metadata["License-Expression"] == "Apache-2.0 AND MIT AND BSD-2-Clause"
    assert metadata["Requires-Python"] == ">=3.9"
    assert metadata["Summary"] and metadata["Keywords"] and metadata["Author"]
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "import gles_delegate" in metadata.get_payload()
    assert "Typing :: Typed" in metadata.get_all("Classifier")


def test_urls_are_those_of_the_publisher():
    publisher = (ROOT / "packaging/publisher.env").read_text(encoding="utf-8")
    address = re.search('^REPOSITORY_URL="(.*)"$', publisher, re.MULTILINE).group(1)
    urls = DISTRIBUTION.metadata.get_all("Project-URL") or []
    assert bool(urls) == bool(address)
    assert all(address in url for url in urls)


def test_licence_texts_are_inside():
    files = {path.name: path for path in DISTRIBUTION.files}
    assert set(DISTRIBUTION.metadata.get_all("License-File")) == {
        "LICENSE", "THIRD_PARTY_NOTICES"}
    own = files["LICENSE"].read_text()
    assert own == (ROOT / "LICENSE").read_text(encoding="utf-8")
    others = files["THIRD_PARTY_NOTICES"].read_text()
    for name in ("abseil", "flatbuffers", "nlohmann-json", "xxhash", "toml++", "libstdc++"):
        assert f"Files: {name}" in others
    for words in ("Permission is hereby granted, free of charge", "Redistributions in binary form"):
        assert words in others


def test_libraries_are_hardened_and_stripped():
    folder = pathlib.Path(gles_delegate.library_path()).parent
    libraries = list(folder.glob("*.so*"))
    assert libraries
    builder = [ROOT, os.path.realpath(ROOT)]
    wrong = [text for library in libraries
             for text in hardening.wrong(library, builder, stripped=True)]
    wrong += hardening.branch_targets(gles_delegate.library_path(), "TfLiteGlesDelegateCreate")
    assert not wrong
