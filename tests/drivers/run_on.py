#!/usr/bin/env python3
"""Runs one of build/bin's programs on a driver of the laboratory.

  run_on.py --build_dir=build NAME PROGRAM [ARGUMENT...]

NAME: of drivers.json. Its packages are fetched where they are not there yet and
GLES_DELEGATE_FETCH_WHEELS=1, or --fetch, allows it. Exit status: the program's;
77, which CTest takes for a skip, where the driver cannot be had.
"""
import argparse
import json
import os
import pathlib
import sys

import roots as roots_module
from driver import Driver

HERE = pathlib.Path(__file__).resolve().parent


def main():
    root = HERE.parent.parent
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build_dir", type=pathlib.Path, default=root / "build")
    parser.add_argument("--arm64_build_dir", type=pathlib.Path, default=root / "build-arm64")
    roots_module.add_flag(parser)
    parser.add_argument("--fetch", action="store_true",
                        default=os.environ.get("GLES_DELEGATE_FETCH_WHEELS", "0") not in ("", "0"))
    parser.add_argument("--timeout", type=float, default=3600)
    parser.add_argument("name")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    flags = parser.parse_args()
    lab = json.loads((HERE / "drivers.json").read_text())
    known = {d["name"]: d for d in lab["drivers"]}
    if flags.name not in known:
        parser.error(f"no driver {flags.name}; there are: {', '.join(known)}")
    if not flags.program:
        parser.error(f"no program to run on {flags.name}")
    description = known[flags.name]
    try:
        places, _ = roots_module.prepare(lab["roots"], description, flags.roots_dir, flags.fetch,
                                         lambda text: print(text, file=sys.stderr))
        driver = Driver(description, lab["roots"], places, {
            "amd64": flags.build_dir.resolve(), "arm64": flags.arm64_build_dir.resolve()})
        with driver.serving():
            result = driver.run(flags.program, flags.timeout)
    except roots_module.NotAvailable as error:
        print(f"NO {description['title']}, NOTHING TESTED ON IT: {error}")
        return roots_module.SKIPPED
    print(result.output, end="")
    if result.status is None or result.status < 0:
        print(result.why())
        return 1
    return result.status


if __name__ == "__main__":
    sys.exit(main())
