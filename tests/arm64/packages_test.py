"""The Debian packages for arm64: tests/install/deb_test.py, with qemu to start the programs.

    tests/arm64/packages_test.py CPACK BUILD_FOLDER FOLDER ROOTS_FOLDER

BUILD_FOLDER: what ./dev cross arm64 built. Run by CTest as arm64.packages. Skips (exit status
77) where that is not built, or where qemu and Debian's libraries for arm64 are not in
ROOTS_FOLDER and GLES_DELEGATE_FETCH_WHEELS=1 does not let them be fetched.
"""

import os
import pathlib
import subprocess
import sys

import wheel_test

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    cpack = sys.argv[1]
    build, folder, roots_folder = (pathlib.Path(p).resolve() for p in sys.argv[2:])
    if not (build / "bin" / "gles_conformance").exists():
        wheel_test.environments.skip(f"{build} HAS NO PROGRAMS; ./dev cross arm64 builds them")
    places = wheel_test.prepared(roots_folder)
    sys.exit(subprocess.run(
        [sys.executable, "-B", str(ROOT / "tests/install/deb_test.py"), cpack, str(build),
         str(folder), os.path.join(places["qemu"], "usr/bin/qemu-aarch64-static"), "-L",
         str(places["bookworm-arm64"])], check=False).returncode)


if __name__ == "__main__":
    main()
