#!/usr/bin/env python3
"""Compares two runs of the benches, or prints one as a table.

  tools/compare_benches.py BEFORE.json AFTER.json [--limit 1.1]
  tools/compare_benches.py --table FILE.json...

The files are those of ./dev bench: Google Benchmark's, or benchmark_model's
(--report_json). Of each benchmark the ratio AFTER / BEFORE of its time is
printed; exit status 1 where one is past --limit. A machine that does other
things moves single figures by more than that: compare runs of one minute on one
machine. --table prints Markdown for docs/performance.md, with renderer, driver
and revision where the file has them.
"""

import argparse
import json
import sys


def times(report):
    """Name -> microseconds.

    >>> times({"benchmarks": [
    ...     {"name": "conv", "run_type": "iteration", "best_us": 12.0,
    ...      "real_time": 1.0, "time_unit": "ms"},
    ...     {"name": "pool", "real_time": 3.0, "time_unit": "ms"},
    ...     {"name": "broken", "error_occurred": True, "real_time": 0},
    ...     {"name": "pool_mean", "run_type": "aggregate", "real_time": 9.0}]})
    {'conv': 12.0, 'pool': 3000.0}
    >>> times([{"model": "m/a.tflite", "backend": "gles", "num_threads": 1,
    ...         "invoke_ms": {"median": 0.5}}])
    {'a.tflite gles': 500.0}
    """
    if isinstance(report, list):
        return {
            "%s %s" % (row["model"].rsplit("/", 1)[-1], row["backend"]):
                1000 * row["invoke_ms"]["median"]
            for row in report
        }
    units = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
    result = {}
    for row in report["benchmarks"]:
        if row.get("error_occurred") or row.get("run_type") == "aggregate":
            continue
        us = row.get("best_us", row["real_time"] * units[row.get("time_unit", "ns")])
        result[row["name"]] = us
    return result


def compare(before, after, limit):
    """Lines to print, and the names that are past the limit.

    >>> lines, slower = compare({"a": 10.0, "b": 10.0, "c": 1.0},
    ...                         {"a": 11.5, "b": 5.0, "d": 1.0}, 1.1)
    >>> slower
    ['a']
    >>> print("\\n".join(lines))
      ratio     before us      after us  benchmark
      1.150          10.0          11.5  a  SLOWER
      0.500          10.0           5.0  b
    only before: c
    only after: d
    """
    lines = ["%7s %13s %13s  %s" % ("ratio", "before us", "after us", "benchmark")]
    slower = []
    for name in before:
        if name not in after:
            continue
        ratio = after[name] / before[name]
        past = ratio > limit
        if past:
            slower.append(name)
        lines.append("%7.3f %13.1f %13.1f  %s%s" % (
            ratio, before[name], after[name], name, "  SLOWER" if past else ""))
    for title, some, others in (("only before", before, after),
                                ("only after", after, before)):
        lines.extend("%s: %s" % (title, name) for name in some if name not in others)
    return lines, slower


def table(report):
    """Markdown.

    >>> print(table([{"model": "a.tflite", "backend": "gles", "num_threads": 1,
    ...     "renderer": "R", "driver": "D", "revision": "r1",
    ...     "invoke_ms": {"median": 0.5}}]))
    R, D, revision r1
    <BLANKLINE>
    | benchmark | us |
    |---|---:|
    | a.tflite gles | 500.0 |
    """
    row = next((r for r in report if r.get("renderer")), {}) \
        if isinstance(report, list) else report.get("context", {})
    facts = [row.get("renderer"), row.get("driver"), row.get("date"),
             "revision " + row["revision"] if row.get("revision") else None]
    lines = [", ".join(f for f in facts if f), "", "| benchmark | us |", "|---|---:|"]
    lines.extend("| %s | %.1f |" % item for item in times(report).items())
    return "\n".join(lines)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--limit", type=float, default=1.1)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        print("\n\n".join(table(load(path)) for path in options.files))
        return 0
    if len(options.files) != 2:
        parser.error("two files are compared")
    before, after = (times(load(path)) for path in options.files)
    lines, slower = compare(before, after, options.limit)
    print("\n".join(lines))
    if not set(before) & set(after):
        print("the files have no benchmark in common", file=sys.stderr)
        return 1
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
