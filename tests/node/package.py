"""The package gles-delegate (bindings/node) with the real tfjs-tflite-node of npm.

    tests/node/package.py LIBRARY FOLDER

installs the packages below FOLDER, where npm compiles tfjs-tflite-node's binding, and runs
test.js there: on the self-check's model of tests/python, and on models of
GLES_DELEGATE_SHARED_DIR; then the same with a release's package. Run by CTest as `node`; skips, with the reason, if nothing may
be fetched (../python/environments.py), or Node or its headers are not there.
"""

import glob
import os
import shutil
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))
import environments  # noqa: E402
import self_check  # noqa: E402

PACKAGES = ["tfjs-tflite-node@0.0.2", "@tensorflow/tfjs-core@3.20.0",
            "@tensorflow/tfjs-backend-cpu@3.20.0"]
SHARED_MODELS = ["mobilenet_v1_0.25_224.tflite", "mobilenet_v1_0.25_224_quant.tflite"]


def node_home():
    """The folder below which Node's headers are: npm's own would be fetched."""
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            environments.skip(tool + " is not installed")
    home = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("node"))))
    if not os.path.exists(os.path.join(home, "include", "node", "node_api.h")):
        environments.skip("Node's headers are not installed (Debian: libnode-dev)")
    return home


def install(folder):
    binding = "node_modules/tfjs-tflite-node/build/Release/node_tflite_binding.node"
    if not os.path.exists(os.path.join(folder, binding)):
        home = node_home()
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as file:
            file.write('{"name": "test", "private": true}\n')
        environments.run_or_skip(
            ["npm", "install", "--prefix", folder, "--no-audit", "--no-fund",
             "--nodedir=" + home, *PACKAGES])
    # Node finds packages from the folder of the test.
    shutil.copy(os.path.join(HERE, "test.js"), folder)


def remove_own(folder):
    """The place of this project's package, which is then free."""
    place = os.path.join(folder, "node_modules", "gles-delegate")
    if os.path.islink(place):
        os.remove(place)
    shutil.rmtree(place, ignore_errors=True)
    return place


def unpack_release(library, folder):
    """Puts the package of a release with `library` inside in its place."""
    release = os.path.join(folder, "release")
    shutil.rmtree(release, ignore_errors=True)
    subprocess.run(
        [sys.executable, "-B", os.path.join(ROOT, "packaging", "release.py"),
         os.path.dirname(os.path.dirname(library)), release, "--only=npm", "--library=" + library],
        check=True, env=dict(os.environ, SOURCE_DATE_EPOCH="1700000000"))
    with tarfile.open(glob.glob(os.path.join(release, "*.tgz"))[0]) as archive:
        archive.extractall(release)
    os.rename(os.path.join(release, "package"), remove_own(folder))


def run_test(folder, environment):
    """Ends the process if the test fails."""
    done = subprocess.run(["node", "--test", "test.js"], check=False, cwd=folder, env=environment)
    if done.returncode != 0:
        sys.exit(done.returncode)


def models(folder):
    own = self_check.write_model(os.path.join(folder, "self_check.tflite"))
    shared = os.path.join(os.environ.get("GLES_DELEGATE_SHARED_DIR", ""), "models")
    found = [path for name in SHARED_MODELS
             for path in glob.glob(os.path.join(shared, name))]
    if not found:
        print("the real models are not there: the self-check's alone")
    return [own, *found]


def main():
    library, folder = sys.argv[1:]
    environments.check_may_fetch(PACKAGES)
    install(folder)
    environment = dict(os.environ, GLES_TEST_MODELS=os.pathsep.join(models(folder)))
    os.symlink(os.path.join(ROOT, "bindings", "node"), remove_own(folder))
    run_test(folder, dict(environment, GLES_DELEGATE_LIBRARY=library))
    unpack_release(library, folder)
    environment.pop("GLES_DELEGATE_LIBRARY", None)
    run_test(folder, environment)


if __name__ == "__main__":
    main()
