"""LiteRT's CompiledModel with libLiteRtGpuAccelerator.so, in Python.

    tests/litert/compiled_model.py LIBRARY APP FOLDER PACKAGE...

runs test_compiled_model.py, which also runs APP (litert_app.c), as run_with_accelerator() says.
Run by CTest as `litert.*`; skips as tests/python/environments.py says.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))

import environments  # noqa: E402
import wheel  # noqa: E402


def run_with_accelerator(test, library, folder, packages, tools, **environment):
    """Builds the wheel around `library` and the accelerator beside it, installs it with
    `packages` ("newest:NAME" is PyPI's newest version) and `tools` below `folder`, and runs the
    pytest file `test` of this folder there. Returns the exit status."""
    environments.check_may_fetch(packages)
    accelerator = os.path.join(os.path.dirname(library), "libLiteRtGpuAccelerator.so")
    if not os.path.exists(accelerator):
        environments.skip("%s was not built: libtomlplusplus-dev is missing" % accelerator)
    packages = [environments.resolve(package) for package in packages]
    print("with " + ", ".join(packages))
    built = wheel.build_wheel(library, folder)
    python = environments.python_with(os.path.join(folder, "runtime"), packages + tools)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps",
                    "--force-reinstall", built], check=True)
    return subprocess.run(
        [python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
         os.path.join(HERE, test)],
        check=False, cwd=folder, env=dict(os.environ, **environment)).returncode


def main():
    library, app, folder, *packages = sys.argv[1:]
    sys.exit(run_with_accelerator(
        "test_compiled_model.py", library, folder, packages, wheel.TEST_TOOLS, LITERT_APP=app))


if __name__ == "__main__":
    main()
