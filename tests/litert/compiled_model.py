"""LiteRT's CompiledModel with libLiteRtGpuAccelerator.so, in Python.

    tests/litert/compiled_model.py LIBRARY APP FOLDER PACKAGE...

builds the wheel around LIBRARY and the accelerator beside it, installs it with the packages
below FOLDER, and runs test_compiled_model.py there, which also runs APP (litert_app.c). "newest:NAME" is PyPI's newest version.
Run by CTest as `litert.*`; skips as tests/python/environments.py says.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))

import environments  # noqa: E402
import wheel  # noqa: E402


def main():
    library, app, folder, *packages = sys.argv[1:]
    environments.check_may_fetch(packages)
    accelerator = os.path.join(os.path.dirname(library), "libLiteRtGpuAccelerator.so")
    if not os.path.exists(accelerator):
        environments.skip("%s was not built: libtomlplusplus-dev is missing" % accelerator)
    packages = [environments.resolve(package) for package in packages]
    print("with " + ", ".join(packages))
    built = wheel.build_wheel(library, folder)
    python = environments.python_with(os.path.join(folder, "runtime"),
                                      packages + wheel.TEST_TOOLS)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps",
                    "--force-reinstall", built], check=True)
    sys.exit(subprocess.run(
        [python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
         os.path.join(HERE, "test_compiled_model.py")],
        check=False, cwd=folder, env=dict(
            os.environ, LITERT_APP=app, LITERT_PROBE_DIR=os.path.join(
                os.path.dirname(app), "requirements_probe"))).returncode)


if __name__ == "__main__":
    main()
