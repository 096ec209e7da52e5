#!/usr/bin/env python3
"""Checks the source tree for what no compiler sees.

    tools/lint_tree.py               every check, on the tree of this script
    tools/lint_tree.py --self_test   the checks on text made to fail them

Prints one line a finding and ends with 1 where there is one.

- scratch: a test that writes a fixed name into the machine's temporary folder
  disturbs the same test run beside it. Only tests/testing/scratch_directory.h,
  which makes a new folder for each object, may ask for the temporary folder.
"""

import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# --- scratch ----------------------------------------------------------------

SCRATCH_HOME = "tests/testing/scratch_directory.h"
SHARED_FOLDER = re.compile(
    r"\bTempDir\s*\(|\btemp_directory_path\s*\(|\bmk[ds]?temp\s*\(|\btmpnam\s*\("
    r"|\bmkstemp\s*\(|\"/(?:var/)?tmp\b|\bcurrent_path\s*\(|\bchdir\s*\("
)


def check_scratch(path, text):
    """Yields findings of one test source.

    >>> list(check_scratch("tests/a_test.cc", 'f(::testing::TempDir() + "/x");'))
    ['tests/a_test.cc:1: TempDir( : take a testing::ScratchDirectory']
    >>> list(check_scratch("tests/a_test.cc", 'std::ofstream("/tmp/x");'))
    ['tests/a_test.cc:1: "/tmp : take a testing::ScratchDirectory']
    >>> list(check_scratch("tests/a_test.cc", "// TempDir() is shared"))
    []
    >>> list(check_scratch(SCRATCH_HOME, "mkdtemp(path.data())"))
    []
    """
    if path == SCRATCH_HOME:
        return
    for number, line in enumerate(text.splitlines(), 1):
        found = SHARED_FOLDER.search(line.split("//")[0] if "://" not in line else line)
        if found:
            yield f"{path}:{number}: {found.group(0)} : take a testing::ScratchDirectory"


# --- the tree ---------------------------------------------------------------


def tracked_files():
    """Names of the tree's files below ROOT; of git where it knows them."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return sorted(set(listed.stdout.splitlines()))
    names = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if not f.startswith((".", "build"))]
        names += [os.path.relpath(os.path.join(folder, f), ROOT) for f in files]
    return sorted(names)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def findings():
    for path in tracked_files():
        if not os.path.exists(os.path.join(ROOT, path)):
            continue  # removed, not yet committed
        if path.startswith("tests/") and path.endswith((".cc", ".h")):
            yield from check_scratch(path, read(path))


def self_test():
    import doctest
    result = doctest.testmod(sys.modules[__name__])
    print(f"{result.attempted} examples, {result.failed} failed")
    return 1 if result.failed or result.attempted == 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self_test", action="store_true")
    if parser.parse_args().self_test:
        return self_test()
    found = list(findings())
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
