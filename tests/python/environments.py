"""Python environments for tests that want packages of PyPI.

Nothing is fetched unless GLES_DELEGATE_FETCH_WHEELS is set, and a registry that cannot be
reached is a reason to skip: exit status 77, which CTest shows as skipped, with the reason.
"""

import glob
import os
import re
import subprocess
import sys

SKIPPED = 77
LIMIT_S = 1800  # of one command that fetches: PyTorch is 3 GB


def skip(reason):
    print("SKIPPED: " + reason)
    sys.exit(SKIPPED)


def run_or_skip(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        skip("%s did not end in %d s" % (" ".join(command), LIMIT_S))
    if done.returncode != 0:
        skip("%s failed: %s" % (" ".join(command), done.stderr.strip()[-300:]))
    return done.stdout


def check_may_fetch(packages):
    """Skips where the tests may not fetch."""
    if os.environ.get("GLES_DELEGATE_FETCH_WHEELS", "0") in ("", "0"):
        skip("nothing is fetched: set GLES_DELEGATE_FETCH_WHEELS=1 to fetch "
             + ", ".join(packages))


def versions_in(listing):
    """The versions that `pip index versions` lists, oldest first.

    >>> versions_in("x (2.14.0)\\nAvailable versions: 2.14.0, 2.13.0, 2.5.0.post1\\n")
    ['2.5.0.post1', '2.13.0', '2.14.0']
    """
    found = re.search(r"^Available versions: (.*)$", listing, re.MULTILINE)
    return list(reversed(found.group(1).split(", "))) if found else []


def resolve(package):
    """"oldest:NAME" and "newest:NAME" as "NAME==VERSION", of those for this Python."""
    age, colon, name = package.partition(":")
    if not colon:
        return package
    versions = versions_in(run_or_skip(
        [sys.executable, "-m", "pip", "index", "versions", name]))
    if not versions:
        skip("no version of %s is for this Python" % name)
    if age == "newest" and len(versions) == 1:
        skip("this Python can have one version of %s, %s, which is the oldest, too"
             % (name, versions[0]))
    return "%s==%s" % (name, versions[0 if age == "oldest" else -1])


def python_with(folder, packages):
    """The path of a Python in `folder` that has the packages, fetched where it is new.

    The folder is made again if it was made for other packages.
    """
    python = os.path.join(folder, "bin", "python")
    mark = os.path.join(folder, "packages.txt")
    wanted = "\n".join(packages)
    if os.path.exists(mark):
        with open(mark, encoding="utf-8") as file:
            if file.read() == wanted:
                return python
    check_may_fetch(packages)
    run_or_skip([sys.executable, "-m", "venv", "--clear", folder])
    run_or_skip([python, "-m", "pip", "install", "--quiet"] + packages)
    with open(mark, "w", encoding="utf-8") as file:
        file.write(wanted)
    return python


def build_wheel(build_tools, project, folder, out, *settings):
    """The path of a new wheel of `project` in `out`, which has no other.

    It is built by a Python in `folder` that has the build tools.
    """
    python = python_with(folder, build_tools)
    for old in glob.glob(os.path.join(out, "*.whl")):
        os.remove(old)
    subprocess.run(
        [python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", *settings,
         "--wheel-dir", out, project], check=True)
    wheels = glob.glob(os.path.join(out, "*.whl"))
    if len(wheels) != 1:
        sys.exit("FAILED: %d wheels were built" % len(wheels))
    return wheels[0]
