#!/usr/bin/env python3
"""Says what a run of the tests left out, and why; its last line counts.

    ctest --output-junit tests.xml --test-output-size-passed 1000000 ...
    tests/test_summary.py tests.xml

A skipped GoogleTest test passes as far as CTest can see. This lists each reason
for which one was skipped, with how many and where, and CTest's own "not run".
Always ends with 0: whether the run failed is CTest's to say.
"""

import collections
import re
import sys
import xml.etree.ElementTree

ENDS = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (\S+?)(?:,.*)? \(\d+ ms\)$")
STARTS = re.compile(r"^\[ RUN +\] (\S+)$")


def tests_of(output):
    """Yields (test, "OK", "FAILED" or "SKIPPED", reason) of a program's output.

    >>> list(tests_of('''[ RUN      ] A.B
    ... [       OK ] A.B (3 ms)
    ... [ RUN      ] A.C
    ... a.cc:7: Skipped
    ... No GPU here
    ...
    ... [  SKIPPED ] A.C (0 ms)
    ... [ RUN      ] A.D/2
    ... a.cc:9: Failure
    ... [  FAILED  ] A.D/2, where GetParam() = 3 (0 ms)
    ... [  PASSED  ] 1 test.'''))
    [('A.B', 'OK', ''), ('A.C', 'SKIPPED', 'No GPU here'), ('A.D/2', 'FAILED', '')]
    >>> list(tests_of("[ RUN      ] A.B"))  # the program died in it
    [('A.B', 'FAILED', '')]

    A child process of a test runs a disabled one, which its parent judges:

    >>> list(tests_of("[ RUN      ] A.B\\n[ RUN      ] C.DISABLED_D\\n[       OK ] A.B (3 ms)"))
    [('A.B', 'OK', '')]
    """
    running, lines = [], []
    for line in output.splitlines():
        start, end = STARTS.match(line), ENDS.match(line)
        if start:
            if ".DISABLED_" not in start.group(1):
                running.append(start.group(1))
            lines = []
        elif end and end.group(2) in running:
            yield end.group(2), end.group(1), reason(lines) if end.group(1) == "SKIPPED" else ""
            running.remove(end.group(2))
        else:
            lines.append(line)
    for test in running:
        yield test, "FAILED", ""


def reason(lines):
    """What GTEST_SKIP() was given: the text after "file:line: Skipped"."""
    for at, line in enumerate(lines):
        if line.endswith(": Skipped"):
            return " ".join(l.strip() for l in lines[at + 1:] if l.strip()) or "no reason given"
    return "no reason given"


def summary(cases):
    """Lines that sum up (entry, status, output) of each CTest entry.

    >>> skipped = "[ RUN      ] A.C\\na.cc:7: Skipped\\nNo GPU\\n[  SKIPPED ] A.C (0 ms)\\n"
    >>> passed = "[ RUN      ] A.B\\n[       OK ] A.B (3 ms)\\n"
    >>> print(*summary([("a", "run", passed + skipped), ("b", "run", skipped),
    ...                 ("c", "notrun", ""), ("d", "fail", "")]), sep="\\n")
    Skipped, not tested:
         2  No GPU (a, b)
         1  CTest did not run it (c)
    4 CTest entries: 2 passed, 1 failed, 1 not run; of 3 GoogleTest tests in them 1 passed, 0 failed, 2 were skipped
    """
    entries, tests = collections.Counter(), collections.Counter()
    reasons = collections.defaultdict(list)
    for entry, status, output in cases:
        kind = {"run": "passed", "fail": "failed"}.get(status, "not run")
        entries[kind] += 1
        if kind == "not run":
            reasons["CTest did not run it"].append(entry)
        for _, verdict, why in tests_of(output):
            tests[verdict] += 1
            if verdict == "SKIPPED":
                reasons[why].append(entry)
    if reasons:
        yield "Skipped, not tested:"
    for why, where in sorted(reasons.items(), key=lambda item: -len(item[1])):
        yield "%6d  %s (%s)" % (len(where), why, ", ".join(sorted(set(where))))
    yield ("%d CTest entries: %d passed, %d failed, %d not run; of %d GoogleTest tests in them "
           "%d passed, %d failed, %d were skipped" %
           (sum(entries.values()), entries["passed"], entries["failed"], entries["not run"],
            sum(tests.values()), tests["OK"], tests["FAILED"], tests["SKIPPED"]))


def cases_of(path):
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        yield case.get("name"), case.get("status"), case.findtext("system-out") or ""


if __name__ == "__main__":
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        sys.exit(0)
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(*summary(cases_of(sys.argv[1])), sep="\n")
