#!/usr/bin/env python3
"""A laboratory of GLES drivers without their hardware (`./dev drivers`).

    drivers_lab.py                        every driver of drivers.json
    drivers_lab.py asahi_m1 virgl         these
    drivers_lab.py --list
    drivers_lab.py --fetch virgl          unpack, and nothing else
    drivers_lab.py --page                 docs/drivers.md from lab/drivers/baseline.csv

Each driver's packages are unpacked in a separate folder (roots.py); nothing on
this machine is changed. A driver's results are compared with the CPU's
(computing.py). Of a driver that only compiles, the compiler's words are kept
(compiling.py). The script writes RESULTS/NAME.json with everything,
and the driver's rows in lab/drivers/baseline.csv, from which
docs/drivers.md has its table. It names each driver that cannot be had, and goes on with the
next one.
Exit status: 0 where every driver that was wanted was tried, 1 where one could not be
had.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tests/drivers")]

# pylint: disable=wrong-import-position
import baseline  # noqa: E402
import compiling  # noqa: E402
import computing  # noqa: E402
import roots as roots_module  # noqa: E402
from driver import Driver  # noqa: E402

BASELINE = ROOT / "lab" / "drivers" / "baseline.csv"
PAGE = ROOT / "docs" / "drivers.md"


def write(path, text):
    """Replaces the file as a whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(path.suffix + ".part")
    part.write_text(text)
    part.replace(path)


def revision():
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--abbrev=12", "--dirty=+"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


class Lab:
    def __init__(self, flags, description):
        self.flags = flags
        self.roots = description["roots"]
        self.drivers = description["drivers"]
        self.start = time.monotonic()

    def say(self, driver):
        def line(text):
            print(f"[{time.monotonic() - self.start:5.0f} s] {driver}: {text}", file=sys.stderr,
                  flush=True)
        return line

    def models(self, description):
        if self.flags.models_dir is None:
            return []
        paths = sorted(self.flags.models_dir.glob("*.tflite"))
        wanted = self.flags.model or description.get("models")
        return [p for p in paths if not wanted or p.stem in wanted]

    def try_computing(self, driver, say):
        flags, paths = self.flags, self.models(driver.description)
        sample = flags.sample or driver.description["sample"]
        steps = {
            "borrowed": lambda: computing.borrowed(driver, flags.timeout, say),
            "cache": lambda: (computing.start_up_cache(driver, paths[0], flags.timeout, say)
                              if paths else {"why": "no model at hand"}),
            "models": lambda: {path.stem: computing.model(driver, path, flags.timeout, say)
                               for path in paths},
            "conformance": lambda: computing.conformance(
                driver, sample, flags.small, flags.conformance_timeout, say),
        }
        with driver.serving():
            result = computing.identity(driver, say)
            if not result["renderer"]:
                raise roots_module.NotAvailable(
                    f"the delegate could not be applied: {result['demo']['why']}")
            for name in flags.step or steps:
                result[name] = steps[name]()
        return result

    def try_compiling(self, driver, say):
        result = compiling.compile_models(driver, self.models(driver.description),
                                          self.flags.timeout, say)
        if not result["renderer"]:
            first = next(iter(result["models"].values()), {"why": "no model at hand"})
            raise roots_module.NotAvailable(f"no context: {first['why']}")
        return result

    def try_driver(self, description):
        """Tries one driver, writes its results and returns them; None with --fetch.
        NotAvailable: it cannot be had."""
        say = self.say(description["name"])
        places, versions = roots_module.prepare(
            self.roots, description, self.flags.roots_dir, True, say)
        if self.flags.tuning:
            description = dict(description, environment={
                **description.get("environment", {}), "GLES_DELEGATE_TUNING": self.flags.tuning})
        driver = Driver(description, self.roots, places, {
            "amd64": self.flags.build_dir, "arm64": self.flags.arm64_build_dir})
        if self.flags.fetch:
            return None
        attempt = (self.try_computing if description["kind"] == "computes"
                   else self.try_compiling)
        result = {**attempt(driver, say), "packages": versions, "revision": revision(),
                  "date": datetime.date.today().isoformat(), "partial": bool(self.flags.model),
                  **{key: description[key] for key in ("name", "title", "kind", "models_why")
                     if key in description}}
        path = self.flags.results_dir / f"{driver.name}.json"
        write(path, json.dumps(result, indent=1, sort_keys=True) + "\n")
        say(f"done; {path}")
        return result

    def write_pages(self, results):
        """The rows of `results` in docs/ and in the baseline."""
        text = baseline.updated(BASELINE.read_text(), results, [d["name"] for d in self.drivers])
        write(BASELINE, text)
        titles = {d["name"]: d["title"] for d in self.drivers}
        write(PAGE, baseline.rewrite(PAGE.read_text(), text, titles))


def parse_flags():
    shared = os.environ.get("GLES_DELEGATE_SHARED_DIR")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="drivers (default: every one)")
    parser.add_argument("--list", action="store_true", help="print the drivers' names and end")
    parser.add_argument("--page", action="store_true", help="write docs/drivers.md and end")
    parser.add_argument("--fetch", action="store_true",
                        help="unpack the drivers' packages and end")
    parser.add_argument("--build_dir", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--arm64_build_dir", type=pathlib.Path, default=ROOT / "build-arm64",
                        help="what ./dev cross arm64 built")
    roots_module.add_flag(parser)
    parser.add_argument("--results_dir", type=pathlib.Path, default=ROOT / "build" / "drivers")
    parser.add_argument("--models_dir", type=pathlib.Path,
                        default=pathlib.Path(shared) / "models" if shared else None,
                        help="a folder of .tflite files (GLES_DELEGATE_SHARED_DIR/models)")
    parser.add_argument("--model", action="append",
                        help="only this one (may be repeated); the baseline keeps the others' rows")
    parser.add_argument("--sample", type=int, help="one conformance case in SAMPLE")
    parser.add_argument("--small", action="store_true", help="conformance's small set")
    parser.add_argument("--step", action="append",
                        choices=("borrowed", "cache", "models", "conformance"),
                        help="of a driver that computes, only this step (may be repeated)")
    parser.add_argument("--tuning", help="tuning parameters in place of the device preset's "
                        "(docs/tuning.md); docs/ is not written then")
    parser.add_argument("--timeout", type=float, default=600, help="seconds of one program")
    parser.add_argument("--conformance_timeout", type=float, default=3600)
    return parser.parse_args()


def main():
    flags = parse_flags()
    lab = Lab(flags, json.loads((ROOT / "tests/drivers/drivers.json").read_text()))
    known = {d["name"]: d for d in lab.drivers}
    if flags.list:
        for d in lab.drivers:
            print(f"{d['name']:20} {d['kind']:9} {d['title']}")
        return 0
    unknown = [name for name in flags.names if name not in known]
    if unknown:
        print(f"no driver {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    absent, results = False, []
    for name in [] if flags.page else flags.names or known:
        try:
            results.append(lab.try_driver(known[name]))
        except roots_module.NotAvailable as error:
            lab.say(name)(f"SKIPPED: {error}")
            absent = True
    if not flags.tuning and not flags.fetch:
        lab.write_pages([result for result in results if "models" in result])
        print(f"{PAGE.relative_to(ROOT)} written", file=sys.stderr)
    return 1 if absent else 0


if __name__ == "__main__":
    sys.exit(main())
