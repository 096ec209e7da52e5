"""The command line of this folder's lints."""

import argparse
import doctest
import sys


def run(findings, add_flags=None):
    """Ends the program: prints `findings()`, lines, or tries the examples (--self_test).

    `add_flags` adds flags to the parser; `findings` is then called with their values.
    """
    program = sys.modules["__main__"]
    parser = argparse.ArgumentParser(description=program.__doc__.splitlines()[0])
    parser.add_argument("--self_test", action="store_true")
    if add_flags:
        add_flags(parser)
    flags = parser.parse_args()
    if flags.self_test:
        result = doctest.testmod(program)
        print(f"{result.attempted} examples, {result.failed} failed")
        sys.exit(1 if result.failed or result.attempted == 0 else 0)
    found = list(findings(flags) if add_flags else findings())
    for line in found:
        print(line)
    sys.exit(1 if found else 0)
