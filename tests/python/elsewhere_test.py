"""The wheel gles-delegate on a machine that is not this one: its tag, and the package in the Python of
another Debian.

    tests/python/elsewhere_test.py MACHINE LIBRARY FOLDER ROOTS_FOLDER [GLIBC]

makes the wheel around MACHINE's LIBRARY below FOLDER and runs `python -m gles_delegate` there, which
compares a model's answers with the CPU's. The runtime comes from PyPI: ai-edge-litert for aarch64, else
tflite-runtime. Python and Mesa are Debian's, in ROOTS_FOLDER (tests/drivers/roots.py): Debian 12 under
qemu-user for aarch64 and armv7l, Debian 11 for x86_64, the oldest with Python 3.9. GLIBC (2.28): the
library must not need a newer one. Run by CTest as arm64.wheel and *.old_glibc. Skips (exit status 77)
if the library is not built, or if something would have to be fetched and GLES_DELEGATE_FETCH_WHEELS=1
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
sys.path.insert(0, str(ROOT / "tests" / "install"))
sys.path.insert(0, str(ROOT / "tests" / "drivers"))
sys.path.insert(0, str(ROOT / "bindings" / "python"))

# pylint: disable=wrong-import-position
import environments  # noqa: E402
import hardening  # noqa: E402
import make_wheel  # noqa: E402
import roots  # noqa: E402
import self_check  # noqa: E402

# Where PyPI has no newer one for the machine or this old a Python.
OLD_RUNTIME = "tflite-runtime==2.14.0"


class Place:
    """Another Debian, with a Python. `packages`: what is installed from PyPI."""

    def __init__(self, root, python, platform, packages, qemu=None, device="llvmpipe"):
        self.root, self.python, self.packages, self.qemu = root, python, packages, qemu
        self.device = device
        self.platforms = [platform, "manylinux_2_27_", "manylinux2014_"]

    def prepare(self, folder, machine, more):
        """The folders of the roots, or a skip."""
        known = json.loads((ROOT / "tests/drivers/drivers.json").read_text())["roots"]
        fetch = os.environ.get("GLES_DELEGATE_FETCH_WHEELS", "0") not in ("", "0")
        try:
            return roots.prepare(known, {"name": machine, "roots": [self.root, *more]}, folder, fetch,
                                 print)[0]
        except roots.NotAvailable as error:
            environments.skip(f"NO PYTHON {self.python} OF {machine}: {error}")

    def command(self, machine, folder):
        """A command that runs its Python, and the environment."""
        if self.qemu:
            places = self.prepare(folder, machine, ["qemu"])
            debian = places[self.root]
            # NumPy's libraries, to which an installation would have made links.
            libraries = [str(path.parent) for path in debian.glob("usr/lib/*/*/lib*.so.3")]
            return [places["qemu"] / "usr/bin" / self.qemu, "-L", debian,
                    debian / "usr/bin" / self.python], {
                        "LD_LIBRARY_PATH": ":".join(libraries),
                        "PYTHONPATH": debian / "usr/lib/python3/dist-packages"}
        debian = self.prepare(folder, machine, [])[self.root]
        libraries = debian / "usr/lib" / f"{machine}-linux-gnu"
        return [next(libraries.glob("ld-*.so*")), "--library-path", libraries,
                debian / "usr/bin" / self.python], {
                    "PYTHONHOME": debian / "usr", "LIBGL_DRIVERS_PATH": libraries / "dri",
                    "__EGL_VENDOR_LIBRARY_DIRS": debian / "usr/share/glvnd/egl_vendor.d"}


NUMPY = "numpy==1.26.4"
# PyPI has no NumPy for armv7l: that is Debian's. llvmpipe computes wrongly there, under qemu 10 at
# least, which the self-check finds.
PLACES = {"aarch64": Place("bookworm-arm64", "python3.11", "manylinux_2_34_",
                           ["ai-edge-litert==2.3.0", NUMPY], "qemu-aarch64"),
          "armv7l": Place("bookworm-armhf", "python3.11", "manylinux_2_34_", [OLD_RUNTIME],
                          "qemu-arm", "softpipe"),
          "x86_64": Place("bullseye-amd64", "python3.9", "manylinux_2_17_", [OLD_RUNTIME, NUMPY])}


def oldest_glibc(library):
    """The newest of the versions of glibc's functions that `library` calls: (2, 34)."""
    return 2, max(int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)\0", library.read_bytes()))


def unpack(wheels, folder):
    shutil.rmtree(folder, ignore_errors=True)
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as file:
            file.extractall(folder)


def check_wheel(wheel, library, limit, folder):
    """Ends the test if the tag or the libraries are not as they should be."""
    tag = re.search(r"-py3-none-manylinux_2_(\d+)_\w+\.whl$", wheel)
    if not tag or int(tag.group(1)) < oldest_glibc(library)[1]:
        sys.exit(f"FAILED: the tag of {os.path.basename(wheel)}: {oldest_glibc(library)} is needed")
    if not limit:
        return
    if int(tag.group(1)) > int(limit.split(".")[1]):
        sys.exit(f"FAILED: {os.path.basename(wheel)} is not for glibc {limit}")
    for binary in (folder / "site/gles_delegate").glob("*.so*"):
        for text in hardening.wrong(binary, (ROOT, folder), stripped=True):
            sys.exit(f"FAILED: {text}")


def main():
    machine, library, folder, roots_folder, *limit = sys.argv[1:]
    library, folder = pathlib.Path(library).resolve(), pathlib.Path(folder).resolve()
    if not library.exists():
        environments.skip(f"{library} IS NOT BUILT; ./dev cross arm64 or ./dev wheel builds it")
    place = PLACES[machine]
    command, environment = place.command(machine, pathlib.Path(roots_folder).resolve())
    environments.check_may_fetch(place.packages)
    folder.mkdir(parents=True, exist_ok=True)
    wheel = make_wheel.make_wheel(library, folder / "wheels", machine, folder / "tools")
    platforms = [f"--platform={p}{machine}" for p in place.platforms]
    environments.run_or_skip(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
         "--python-version=" + place.python[len("python"):], "--implementation=cp", *platforms,
         "--dest", str(folder / "runtime"), *place.packages])
    unpack([wheel, *glob.glob(str(folder / "runtime" / "*.whl"))], folder / "site")
    check_wheel(wheel, library, limit and limit[0], folder)
    environment["PYTHONPATH"] = f"{folder}/site:{environment.get('PYTHONPATH', '')}"
    model = self_check.write_model(str(folder / "model.tflite"))
    done = subprocess.run(
        [*command, "-m", "gles_delegate", "--json", "--seconds=0", "--max_batch=1", model], capture_output=True, text=True, check=False,
        cwd=folder, env={**os.environ, **environment, "GLES_DELEGATE_DEVICE": place.device,
                         "GALLIUM_DRIVER": place.device, "PYTHONDONTWRITEBYTECODE": "1"})
    print(done.stdout, done.stderr[-2000:], sep="\n")
    if done.returncode != 0:
        sys.exit(f"FAILED: python -m gles_delegate ended with {done.returncode}")
    check = json.loads(done.stdout)["models"][0]
    if not check["max_error"] < 1e-4 or not 0 < check["nodes_delegated"] == check["nodes_total"]:
        sys.exit(f"FAILED: {check}")
    print(f"{os.path.basename(wheel)}: passed")


if __name__ == "__main__":
    main()
