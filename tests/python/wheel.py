"""The wheel gles-delegate in an environment with one TensorFlow Lite runtime.

    tests/python/wheel.py LIBRARY FOLDER PACKAGE...

builds the wheel around LIBRARY (bindings/python), installs it with the packages below FOLDER,
and runs pytest on tests/python there. "oldest:NAME" and "newest:NAME" are the versions of
PyPI that this Python can install. Run by CTest as `python.*`; skips as environments.py says.
"""

import os
import pathlib
import subprocess
import sys

import environments

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))
import make_wheel  # noqa: E402  pylint: disable=wrong-import-position

# pytest, what the wheel's extra "evaluation" names, and a server that forks.
TEST_TOOLS = ["pytest==8.4.2", "pillow", "pycocotools", "tqdm", "gunicorn"]


def build_wheel(library, folder):
    """The path of a new wheel, as ./dev wheel makes it."""
    folder = pathlib.Path(folder)
    return make_wheel.make_wheel(pathlib.Path(library), folder / "wheels", None, folder / "build")


def check_that_a_source_distribution_is_refused(folder):
    """Ends the test if the build backend does not say why there is none."""
    done = subprocess.run(
        [os.path.join(folder, "build", "bin", "python"), "-c", "import backend; backend.build_sdist('.')"],
        capture_output=True, text=True, check=False, cwd=os.path.join(ROOT, "bindings", "python"))
    if done.returncode == 0 or not done.stderr.startswith(
            "gles-delegate has no source distribution: "):
        sys.exit("FAILED: a source distribution: " + done.stdout + done.stderr)


def main():
    library, folder, *packages = sys.argv[1:]
    environments.check_may_fetch(packages)
    packages = [environments.resolve(package) for package in packages]
    print("with " + ", ".join(packages))
    wheel = build_wheel(library, folder)
    check_that_a_source_distribution_is_refused(folder)
    python = environments.python_with(os.path.join(folder, "runtime"), packages + TEST_TOOLS)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps",
                    "--force-reinstall", wheel], check=True)
    sys.exit(subprocess.run(
        [python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", HERE],
        check=False, cwd=folder).returncode)


if __name__ == "__main__":
    main()
