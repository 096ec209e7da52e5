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
(compiling.py). The script writes RESULTS/NAME.json with everything (for
lab/compare_drivers.py), RESULTS/summaries/NAME.json and RESULTS/report.md with what
matters of it, and the driver's rows in lab/drivers/baseline.csv, from which docs/drivers.md has
its table. It names each driver that cannot be had, and goes on with the next one.
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
import lower_bounds  # noqa: E402
import page  # noqa: E402
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


def as_json(value):
    return json.dumps(value, indent=1, sort_keys=True) + "\n"


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
            "models": lambda: computing.models(driver, paths, flags.timeout, say),
            "conformance": lambda: computing.conformance(
                driver, sample, flags.small, flags.conformance_timeout, say),
        }
        result = {}
        if flags.step:  # the others' results stay, with the revision of their run
            if not self.results_of(driver).exists():
                raise roots_module.NotAvailable(
                    f"--step adds to a whole run's results: no {self.results_of(driver)}")
            result = json.loads(self.results_of(driver).read_text())
            result["older"] = sorted({*result.get("older", []), result["revision"]})
        with driver.serving():
            if not flags.step:
                result = computing.identity(driver, say)
            if not result["renderer"]:
                raise roots_module.NotAvailable(
                    f"the delegate could not be applied: {result['demo']['why']}")
            for name in flags.step or steps:
                result[name] = steps[name]()
            result["models"] = self.with_others(driver, result["models"])
        return result, dict(result)

    def results_of(self, driver):
        return self.flags.results_dir / f"{driver.name}.json"

    def summary_of(self, name):
        return self.flags.results_dir / "summaries" / f"{name}.json"

    def try_compiling(self, driver, say):
        storages = ["auto"]
        if self.flags.every_storage:
            storages += ["texture_array", "texture_2d", "buffer"]
        models, identity = compiling.compile_models(
            driver, self.models(driver.description), storages, self.flags.timeout, say)
        if not identity:
            first = next(iter(models.values()), {"why": "no model at hand"})
            raise roots_module.NotAvailable(f"no context: {first['why']}")
        whole = dict(identity, models=models)
        told = {n: compiling.summary(m) for n, m in models.items()}
        return whole, dict(identity, models=self.with_others(driver, told))

    def with_others(self, driver, models):
        """`models` and, with --keep_others, those of earlier runs, each with the checkout of its
        run."""
        path = self.summary_of(driver.name)
        if not self.flags.keep_others or not path.exists():
            return models
        earlier = json.loads(path.read_text())
        others = {name: {"checkout": earlier["revision"], **model}
                  for name, model in earlier["models"].items() if name not in models}
        return {**others, **models}

    def try_driver(self, description):
        """Tries one driver and writes its results. NotAvailable: it cannot be had."""
        say = self.say(description["name"])
        places, versions = roots_module.prepare(
            self.roots, description, self.flags.roots_dir, True, say)
        if self.flags.tuning:
            description = dict(description, environment={
                **description.get("environment", {}), "GLES_DELEGATE_TUNING": self.flags.tuning})
        driver = Driver(description, self.roots, places, {
            "amd64": self.flags.build_dir, "arm64": self.flags.arm64_build_dir})
        if self.flags.fetch:
            return
        attempt = (self.try_computing if description["kind"] == "computes"
                   else self.try_compiling)
        whole, summary = attempt(driver, say)
        facts = {"name": description["name"], "title": description["title"],
                 "kind": description["kind"], "packages": versions, "revision": revision(),
                 "date": datetime.date.today().isoformat()}
        if "models_why" in description:
            facts["models_why"] = description["models_why"]
        write(self.results_of(driver), as_json({**whole, **facts}))
        if not self.flags.tuning:
            write(self.summary_of(description["name"]), as_json({**summary, **facts}))
        say(f"done; {self.results_of(driver)}")

    def write_pages(self, names, absent):
        """The report, and the rows of the drivers `names` in docs/."""
        summaries = self.flags.results_dir / "summaries"
        results = page.results_of(self.drivers, summaries)
        write(self.flags.results_dir / "report.md", page.tables(results, absent))
        order = [d["name"] for d in self.drivers]
        text = baseline.updated(BASELINE.read_text(), [r for r in results if r["name"] in names],
                             order)
        write(BASELINE, text)
        titles = {d["name"]: d["title"] for d in self.drivers}
        models = lower_bounds.models_of(ROOT / "benches" / "shapes")
        bounds = lower_bounds.rewrite(PAGE.read_text(), self.drivers, models)
        write(PAGE, baseline.rewrite(bounds, text, titles))


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
    parser.add_argument("--model", action="append", help="only this one (may be repeated)")
    parser.add_argument("--sample", type=int, help="one conformance case in SAMPLE")
    parser.add_argument("--small", action="store_true", help="conformance's small set")
    parser.add_argument("--every_storage", action="store_true",
                        help="compile for each storage, not only the device's own choice")
    parser.add_argument("--step", action="append",
                        choices=("borrowed", "cache", "models", "conformance"),
                        help="of a driver that computes and was tried before, only this step "
                        "again (may be repeated)")
    parser.add_argument("--keep_others", action="store_true",
                        help="with --model: the summary keeps the other models of earlier runs")
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
    absent, tried = {}, []
    for name in [] if flags.page else flags.names or known:
        try:
            lab.try_driver(known[name])
            tried.append(name)
        except roots_module.NotAvailable as error:
            lab.say(name)(f"SKIPPED: {error}")
            absent[known[name]["title"]] = str(error)
    if not flags.tuning and not flags.fetch:
        lab.write_pages(tried, absent)
        print(f"{PAGE.relative_to(ROOT)} written", file=sys.stderr)
    return 1 if absent else 0


if __name__ == "__main__":
    sys.exit(main())
