#!/usr/bin/env python3
"""Unpacks some of the roots of drivers.json, folders with Debian's or npm's packages.

    unpack_roots.py [--roots_dir=FOLDER] NAME...

Roots that exist are left as they are. Exit status: 77 if one cannot be had.
"""
import argparse
import json
import pathlib
import sys

import roots as roots_module

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    roots_module.add_flag(parser)
    parser.add_argument("names", nargs="+", metavar="NAME")
    flags = parser.parse_args()
    known = json.loads((HERE / "drivers.json").read_text())["roots"]
    unknown = [name for name in flags.names if name not in known]
    if unknown:
        parser.error(f"no root {', '.join(unknown)}; there are: {', '.join(known)}")
    try:
        roots_module.prepare(known, {"name": "", "roots": flags.names}, flags.roots_dir, True,
                             lambda text: print(text, file=sys.stderr, flush=True))
    except roots_module.NotAvailable as error:
        print(f"{', '.join(flags.names)} CANNOT BE HAD: {error}", file=sys.stderr)
        return roots_module.SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
