"""What has to be built for some tests: prints ninja's targets, one a line.

    tests/test_targets.py BUILD_FOLDER [CTEST_SELECTION...]

./dev test LABEL asks for `-L LABEL`. CTest itself names no command whose program is not there.
"""

import json
import pathlib
import re
import subprocess
import sys

TEST = re.compile(r'^add_test\(\[=*\[(.*?)\]=*\] (".*")\)$', re.MULTILINE)


def targets_of(command, build):
    """The targets of one test's command, whose words are in quotes.

    >>> targets_of('"/b/bin/tests/softmax_test" "--x=/b/out.xml"', "/b")
    ['bin/tests/softmax_test']
    >>> targets_of('"python3" "lint.py" "/b/scratch"', "/b")
    []
    >>> targets_of('"python3" "commands_test.py" "/b/bin" "/b/lib/a.so"', "/b")
    ['all', 'lib/a.so']
    >>> targets_of('"python3" "run_on.py" "--build_dir=/b" "angle" "tests/add_test"', "/b")
    ['all', 'bin/tests/add_test']
    """
    words = re.findall(r'"([^"]*)"', command)
    found = [match.group(1) for match in
             (re.fullmatch(rf"(?:-.*=)?{re.escape(build)}/?((?:bin|lib)(?:/.+)?|)", word) for word in words)
             if match]
    targets = [path for path in found if "/" in path]
    targets += [f"bin/{word}" for word in words if re.fullmatch(r"tests/\w+_test", word)]
    # A script may use any program.
    return ["all"] * (len(found) > 0 and not words[0].startswith(build + "/")) + targets


def main():
    if sys.argv[1:] in ([], ["-h"], ["--help"]):
        print(__doc__)
        return
    build, *selection = sys.argv[1:]
    tests = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *selection],
                                      capture_output=True, text=True, check=True).stdout)["tests"]
    names = {test["name"] for test in tests}
    targets = set()
    for path in pathlib.Path(build).glob("**/CTestTestfile.cmake"):
        for name, command in TEST.findall(path.read_text(encoding="utf-8")):
            if name in names:
                targets.update(targets_of(command, build))
    print(*sorted(targets), sep="\n", end="\n" if targets else "")


if __name__ == "__main__":
    main()
