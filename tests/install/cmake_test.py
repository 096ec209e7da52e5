"""The oldest CMake that CMakeLists.txt names, of PyPI, configures the whole tree.

    tests/install/cmake_test.py BUILD_FOLDER FOLDER

configures it below FOLDER with the dependencies of BUILD_FOLDER. Run by CTest as `cmake.oldest`.
Skips (exit status 77) if nothing may be fetched.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))
import environments  # noqa: E402  pylint: disable=wrong-import-position

KEPT = ("ABSEIL_SOURCE_DIR", "CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER", "TFLITE_C_ROOT",
        "TFLITE_OLDEST_ROOT")


def main():
    build, folder = (pathlib.Path(p).resolve() for p in sys.argv[1:])
    oldest = re.search(r"cmake_minimum_required\(VERSION ([\d.]+?)\.\.\.",
                       (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    python = environments.python_with(str(folder / "tools"), [f"cmake=={oldest}.*"])
    cmake = os.path.join(os.path.dirname(python), "cmake")
    print(subprocess.run([cmake, "--version"], capture_output=True, text=True, check=True).stdout)
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"),
                            re.MULTILINE))
    tree = folder / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run([cmake, "-S", ROOT, "-B", tree, "-G", "Ninja", "--log-level=WARNING",
                    "-DGLES_DELEGATE_UNITY=ON", *(f"-D{key}={cache[key]}" for key in KEPT)],
                   check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
