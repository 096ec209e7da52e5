"""The package gles-delegate-serving in an environment with kserve and real clients.

    tests/serving/package.py LIBRARY FOLDER

builds the wheels of bindings/python, around LIBRARY, and of serving, installs both below
FOLDER and runs pytest on tests/serving there. Run by CTest as `serving.server`; skips as
tests/python/environments.py says.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "python"))

import environments  # pylint: disable=wrong-import-position
import wheel  # pylint: disable=wrong-import-position

BUILD_TOOLS = ["hatchling==1.27.0", "pip"]
# The requirements of serving/pyproject.toml, with ray, and the clients.
PACKAGES = ["kserve>=0.21.0,<0.22", "ai-edge-litert>=2.0,<3", "ray[serve]>=2.43,<3",
            "grpcio-reflection<1.82", "tritonclient[http,grpc]>=2.50,<3", "pytest==8.4.2"]


def main():
    library, folder = sys.argv[1:]
    environments.check_may_fetch(PACKAGES)
    if sys.version_info < (3, 10):
        environments.skip("kserve needs Python 3.10")
    wheels = [wheel.build_wheel(library, folder), environments.build_wheel(
        BUILD_TOOLS, os.path.join(ROOT, "serving"), os.path.join(folder, "build_serving"),
        os.path.join(folder, "serving_wheels"))]
    python = environments.python_with(os.path.join(folder, "runtime"), PACKAGES)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps",
                    "--force-reinstall"] + wheels, check=True)
    subprocess.run([python, "-m", "pip", "check"], check=True)
    sys.exit(subprocess.run(
        [python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", HERE],
        check=False, cwd=folder).returncode)


if __name__ == "__main__":
    main()
