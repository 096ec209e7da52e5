"""LiteRT-LM with libLiteRtGpuAccelerator.so: gles_delegate.litert_lm.

    tests/litert/language_model.py LIBRARY FOLDER PACKAGE...

builds the wheel around LIBRARY and the accelerator beside it, installs it with the packages
below FOLDER, and runs test_language_model.py there. "newest:NAME" is PyPI's newest version.
Run by CTest as `litert_lm`; skips as tests/python/environments.py says.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))

import environments  # noqa: E402
import wheel  # noqa: E402


def main():
    library, folder, *packages = sys.argv[1:]
    environments.check_may_fetch(packages)
    accelerator = os.path.join(os.path.dirname(library), "libLiteRtGpuAccelerator.so")
    if not os.path.exists(accelerator):
        environments.skip("%s was not built: libtomlplusplus-dev is missing" % accelerator)
    packages = [environments.resolve(package) for package in packages]
    print("with " + ", ".join(packages))
    built = wheel.build_wheel(library, folder)
    python = environments.python_with(os.path.join(folder, "runtime"),
                                      packages + ["tokenizers", "pytest==8.4.2"])
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps",
                    "--force-reinstall", built], check=True)
    sys.exit(subprocess.run(
        [python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
         os.path.join(HERE, "test_language_model.py")], check=False, cwd=folder).returncode)


if __name__ == "__main__":
    main()
