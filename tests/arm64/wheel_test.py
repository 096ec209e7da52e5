"""The wheel gles-delegate for arm64: its tag, and the package in Debian 12's Python for arm64.

    tests/arm64/wheel_test.py LIBRARY FOLDER ROOTS_FOLDER

makes the wheel around LIBRARY, which is one of arm64, below FOLDER, and runs
`python -m gles_delegate`, which compares a model's answers with the CPU's, under qemu-user
with tflite-runtime's wheel for arm64 and Debian's Python and Mesa (ROOTS_FOLDER, of
tools/drivers/roots.py). Run by CTest as arm64.wheel. Skips (exit status 77) where the library
is not built, or where something would have to be fetched and GLES_DELEGATE_FETCH_WHEELS=1
does not allow it.
"""

import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))
sys.path.insert(0, str(ROOT / "tools" / "drivers"))
sys.path.insert(0, str(ROOT / "tools" / "python"))

# pylint: disable=wrong-import-position
import environments  # noqa: E402
import make_wheel  # noqa: E402
import roots  # noqa: E402

# The newest runtime that Debian 12's Python takes and that starts under qemu 7.2: of
# ai-edge-litert 2.3.0 the interpreter ends by SIGSEGV there, without any delegate.
RUNTIME = ["tflite-runtime==2.14.0", "numpy==1.26.4"]
PLATFORMS = ["manylinux_2_34_aarch64", "manylinux2014_aarch64"]


def prepared(folder):
    """The places of qemu and of Debian's arm64, or a skip."""
    known = json.loads((ROOT / "tools/drivers/drivers.json").read_text())["roots"]
    fetch = os.environ.get("GLES_DELEGATE_FETCH_WHEELS", "0") not in ("", "0")
    try:
        return roots.prepare(known, {"name": "llvmpipe_arm64", "roots": ["qemu", "bookworm-arm64"]},
                             folder, fetch, print)[0]
    except roots.NotAvailable as error:
        environments.skip(f"NO PYTHON OF ARM64: {error}")


def oldest_glibc(library):
    """The newest of the versions of glibc's functions that `library` calls: (2, 34)."""
    return 2, max(int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)\0", library.read_bytes()))


def unpack(wheels, folder):
    shutil.rmtree(folder, ignore_errors=True)
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as file:
            file.extractall(folder)


def main():
    library, folder, roots_folder = (pathlib.Path(p).resolve() for p in sys.argv[1:])
    if not library.exists():
        environments.skip(f"{library} IS NOT BUILT; ./dev cross arm64 builds it")
    places = prepared(roots_folder)
    environments.check_may_fetch(RUNTIME)
    folder.mkdir(parents=True, exist_ok=True)
    wheel = make_wheel.make_wheel(library, folder / "wheels", "aarch64", folder / "tools")
    tag = "-py3-none-manylinux_%d_%d_aarch64.whl" % oldest_glibc(library)
    if not wheel.endswith(tag):
        sys.exit(f"FAILED: {os.path.basename(wheel)} should end with {tag}")
    platforms = [f"--platform={p}" for p in PLATFORMS]
    environments.run_or_skip(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
         "--python-version=311", "--implementation=cp", *platforms, "--dest", str(folder / "runtime"),
         *RUNTIME])
    unpack([wheel, *glob.glob(str(folder / "runtime" / "*.whl"))], folder / "site")
    debian = places["bookworm-arm64"]
    environment = dict(os.environ, PYTHONPATH=str(folder / "site"), GLES_DELEGATE_DEVICE="llvmpipe",
                       PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run(
        [places["qemu"] / "usr/bin/qemu-aarch64-static", "-L", debian,
         debian / "usr/bin/python3.11", "-m", "gles_delegate", "--json"],
        capture_output=True, text=True, check=False, env=environment, cwd=folder)
    print(done.stdout, done.stderr[-2000:], sep="\n")
    if done.returncode != 0:
        sys.exit(f"FAILED: python -m gles_delegate ended with {done.returncode}")
    check = json.loads(done.stdout)["self_check"]
    if not check["ok"] or not 0 < check["nodes_delegated"] == check["nodes_total"]:
        sys.exit(f"FAILED: {check}")
    print(f"{os.path.basename(wheel)}: passed")


if __name__ == "__main__":
    main()
