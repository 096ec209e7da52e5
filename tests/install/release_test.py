"""The artifacts of a release that need no registry: the same bytes twice, and what is in them.

    tests/install/release_test.py BUILD_FOLDER FOLDER

Run by CTest as `release`. tests/java and tests/python try the jar and the wheel.
"""

import filecmp
import hashlib
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tarfile

import hardening

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import environments  # noqa: E402  pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).resolve().parents[2]
EPOCH = 1700000000
# Its library is this machine's here: that the npm package has both is tested.
OTHER_MACHINE = "x86_64" if platform.machine() == "aarch64" else "aarch64"
PROGRAMS = ("benchmark_model", "gles_conformance", "gles_demo", "gles_doctor", "gles_tune",
            "inference_diff", "model_report", "quantized_accuracy")


def make(build, dist):
    for flags in (["--only=tarball,sbom,npm"], ["--only=npm", "--machine=" + OTHER_MACHINE]):
        subprocess.run([sys.executable, "-B", ROOT / "packaging/release.py", build, dist, *flags,
                        f"--library={build}/lib/libgles_delegate.so"], check=True,
                       env=dict(os.environ, SOURCE_DATE_EPOCH=str(EPOCH)))


def check_tar(path):
    with tarfile.open(path) as archive:
        for entry in archive.getmembers():
            if (entry.mtime, entry.uid, entry.uname) != (EPOCH, 0, "root"):
                yield f"{path.name}: {entry.name} has its own date or owner"


def check_sums(dist):
    lines = (dist / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    named = dict(reversed(line.split("  ")) for line in lines)
    for file in dist.iterdir():
        if file.name != "SHA256SUMS" and named.get(file.name) != hashlib.sha256(
                file.read_bytes()).hexdigest():
            yield f"SHA256SUMS: {file.name}"


def check_sbom(path, root):
    """Yields what is wrong: each binary with its sum, each part with licence and version."""
    document = json.loads(path.read_text(encoding="utf-8"))
    packages = {p["name"]: p for p in document["packages"]}
    expected = ["gles_delegate", "abseil", "flatbuffers", "nlohmann-json", "xxhash", "toml++", "stb",
                "libstdc++"]
    if (root / "bin").exists():
        expected.append("libjnitensorflowlite.so")
    for name in expected:
        if name not in packages or not re.match(r"[\d:]", packages[name]["versionInfo"]):
            yield f"{path.name}: no {name}, or without its version"
    sums = {f["fileName"][2:]: f["checksums"][1]["checksumValue"] for f in document["files"]}
    for file in root.rglob("*"):
        name = str(file.relative_to(root))
        if file.is_file() and not file.is_symlink() and name != "sbom.spdx.json" and sums.get(
                name) != hashlib.sha256(file.read_bytes()).hexdigest():
            yield f"{path.name}: {name} is not listed, or with another sum"


def check_validity(path, folder):
    """The report of SPDX's own tool on the SBOM, if it may be fetched."""
    if os.environ.get("GLES_DELEGATE_FETCH_WHEELS", "0") in ("", "0"):
        print("SKIPPED: the SBOM IS NOT VALIDATED: GLES_DELEGATE_FETCH_WHEELS is not set")
        return
    python = environments.python_with(str(folder), ["spdx-tools==0.8.5"])
    done = subprocess.run([os.path.join(os.path.dirname(python), "pyspdxtools"), "-i", path],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        yield f"{path.name} is not valid: {done.stderr[:500]}"


def check_relative_paths(build, folder):
    """Yields the sources whose objects differ if their paths are relative, as ccache's base folder
    makes them."""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    back = os.path.relpath(ROOT, build)
    # The project's, abseil's, and one in the build folder (those of a unity build are there).
    for name in ("/delegate/tflite/c_api.cc", "/strings/numbers.cc", "/unity_0_cxx.cxx"):
        entry = next((e for e in commands if e["file"].endswith(name)), None)
        if not entry:
            continue
        words = shlex.split(entry["command"])
        objects = []
        for kind in ("absolute", "relative"):
            words[words.index("-o") + 1] = str(folder / f"{kind}.o")
            if kind == "relative":
                words = [word if word.startswith(("-D", "-ffile-prefix-map"))
                         else re.sub(rf"{ROOT}(?=/|$)", back, word.replace(f"{build}/", ""))
                         for word in words]
            subprocess.run([*words, "-g1"], check=True, cwd=entry["directory"])
            objects.append((folder / f"{kind}.o").read_bytes())
        if objects[0] != objects[1]:
            yield f"{entry['file']}: another object if its path is relative"
        if b" -O" in objects[0]:
            yield f"{entry['file']}: the compiler's flags are in the debug symbols"


def check_files(root, build):
    """The tarball, unpacked: what is in it, and whether programs find their libraries."""
    for name in ("LICENSE", "THIRD_PARTY_NOTICES", "sbom.spdx.json",
                 "include/gles_delegate/gles_delegate.h",
                 "share/bash-completion/completions/gles_doctor",
                 "share/zsh/site-functions/_gles_delegate"):
        if not (root / name).is_file():
            yield f"tarball: no {name}"
    binaries = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()
                and path.read_bytes()[:4] == b"\x7fELF" and "tensorflowlite.so" not in path.name]
    if len(binaries) < len(PROGRAMS) + 2:
        yield f"tarball: {len(binaries)} binaries"
    for path in binaries:
        yield from hardening.wrong(path, (ROOT, build), stripped=True)
        yield from hardening.stack_checks(path)
    for program in PROGRAMS:
        done = subprocess.run([root / "bin" / program, "--version"], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0 or not done.stdout.startswith(program):
            yield f"{program} does not start: {done.stderr}"
    done = subprocess.run([root / "bin" / "benchmark_model", "--graph=none"], capture_output=True,
                          text=True, check=False)
    if not done.stderr.startswith("TensorFlow Lite "):
        yield f"benchmark_model does not find its TensorFlow Lite: {done.stderr}"


def main():
    build, folder = (pathlib.Path(p).resolve() for p in sys.argv[1:])
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("first", "second"):
        make(build, folder / name)
    dist = folder / "first"
    names = sorted(path.name for path in dist.iterdir())
    _, differ, errors = filecmp.cmpfiles(dist, folder / "second", names, shallow=False)
    wrong = [f"{name} differs the second time" for name in differ + errors]
    if len(names) != 4:
        wrong.append(f"artifacts: {names}")
    wrong += check_sums(dist)
    tarball, npm = next(dist.glob("*.tar.gz")), next(dist.glob("*.tgz"))
    for archive in (tarball, npm):
        wrong += check_tar(archive)
        with tarfile.open(archive) as opened:
            opened.extractall(folder)
    root = folder / tarball.name[:-len(".tar.gz")]
    wrong += check_files(root, build)
    wrong += check_relative_paths(build, folder)
    document = next(dist.glob("*.spdx.json"))
    wrong += check_sbom(document, root)
    wrong += check_validity(document, folder.parent / "release_test_spdx")
    package = json.loads((folder / "package/package.json").read_text(encoding="utf-8"))
    libraries = list((folder / "package/lib").glob("*/libgles_delegate.so"))
    if len(libraries) != 2 or not (folder / "package" / package["main"]).exists():
        wrong.append("npm: not two libraries, or no main file")
    for text in wrong:
        print("FAILED: " + text)
    print(", ".join(names))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
