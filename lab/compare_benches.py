#!/usr/bin/env python3
"""Compares two runs of the benches, or prints runs as tables.

  lab/compare_benches.py BEFORE.json AFTER.json [--limit 1.1] [--only REGEX]
  lab/compare_benches.py --table FILE.json...
  lab/compare_benches.py --update docs/benchmarks.md --section llvmpipe FILE.json...

The files are those of ./dev bench: Google Benchmark's, or benchmark_model's
(--report_json). Prints the ratio AFTER / BEFORE of the time of each benchmark, and
the geometric mean of each kind. Exit status 1: a benchmark is past --limit.
Single figures move by more than that where the machine does other work: compare
runs that one machine made within a few minutes.

--table prints Markdown, with renderer, driver, date and revision: ops by kind, and
whatever else the files hold with its counters. --update writes it between the
comments <!-- benches: SECTION --> and <!-- end of benches: SECTION --> of a page.
"""

import argparse
import json
import math
import pathlib
import re
import sys

# By hand, of no model (benches/shapes): not in sums over models.
OTHER_LAYERS = "other_layers"

# Fields of a run that are no counters of the bench.
NO_COUNTERS = {"family_index", "per_family_instance_index", "repetitions", "repetition_index",
               "threads", "iterations", "real_time", "cpu_time"}
UNITS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


def facts(context):
    """The line over a table: on what it was measured, and when.

    >>> facts({"renderer": "R", "driver": "D", "date": "2026-11-21T16:41:26+00:00",
    ...        "revision": "r1", "num_cpus": 2, "settings": "GLES_BENCH_HALF=1"})
    'R, D, 2 cores, 2026-11-21, revision r1, GLES_BENCH_HALF=1'
    >>> facts({})
    ''
    """
    parts = [context.get("renderer"), context.get("driver")]
    if "num_cpus" in context:
        parts.append("%d cores" % context["num_cpus"])
    parts.append((context.get("date") or "")[:10])
    if context.get("revision"):
        parts.append("revision " + context["revision"])
    parts.append(context.get("settings"))
    return ", ".join(p for p in parts if p)


def number(value):
    """A number as text of three significant digits; "" for None.

    >>> [number(v) for v in (None, 0, 0.01234, 0.7893, 1.5, 12.34, 123.4, 12345.6)]
    ['', '0', '0.0123', '0.789', '1.50', '12.3', '123', '12,300']
    """
    if value is None:
        return ""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(value)))
    if value < 1000:
        return "%.*f" % (digits, value)
    return "{:,.0f}".format(float("%.3g" % value))


def markdown(titles, rows):
    """A table, '' without rows; the first column is text, the others are numbers.

    >>> print(markdown(["a", "b"], [["x", "1"]]))
    | a | b |
    |---|---:|
    | x | 1 |
    """
    if not rows:
        return ""
    lines = ["| %s |" % " | ".join(titles), "|---|" + "---:|" * (len(titles) - 1)]
    lines.extend("| %s |" % " | ".join(row) for row in rows)
    return "\n".join(lines)


def path(name):
    """The parts of a name, without what Google Benchmark adds at its end.

    >>> path("op/ADD/m/n3/1x2/real_time")
    ['op', 'ADD', 'm', 'n3', '1x2']
    >>> path("model/m/iterations:1/manual_time")
    ['model', 'm']
    """
    return re.sub(r"(/iterations:\d+|/manual_time|/real_time)+$", "", name).split("/")


def op_table(rows):
    """Sums over all nodes of all models by kind of op; '' without any.

    >>> print(op_table([
    ...     {"name": "op/ADD/m/n0/1x2", "count": 2, "best_us": 10.0, "GBs": 3.0,
    ...      "of_peak": 0.25},
    ...     {"name": "op/CONV_2D/m/n1", "count": 1, "best_us": 30.0, "GBs": 1.0,
    ...      "GFLOPs": 20.0, "of_peak": 0.5},
    ...     {"name": "op/CONV_2D/m/n2", "count": 3, "best_us": 10.0, "GBs": 1.0,
    ...      "GFLOPs": 40.0, "of_peak": 1.0},
    ...     {"name": "op/CONV_2D/other_layers/n1", "count": 1, "best_us": 99.0}]))
    | op | shapes | nodes | all nodes, us | GFLOP/s | GB/s | of peak | of peak, best |
    |---|---:|---:|---:|---:|---:|---:|---:|
    | CONV_2D | 2 | 4 | 60.0 | 30.0 | 1.00 | 75.0% | 100% |
    | ADD | 1 | 2 | 20.0 |  | 3.00 | 25.0% | 25.0% |
    """
    kinds = {}
    for row in rows:
        parts = path(row["name"])
        if parts[0] == "op" and parts[2] != OTHER_LAYERS and row.get("best_us"):
            kinds.setdefault(parts[1], []).append(row)
    sums = {op: sum(r["count"] * r["best_us"] for r in group)
            for op, group in kinds.items()}
    lines = []
    for op in sorted(kinds, key=sums.get, reverse=True):
        group = kinds[op]

        def mean(key, group=group, total=sums[op]):
            if not any(key in r for r in group):
                return None
            return sum(r["count"] * r["best_us"] * r.get(key, 0) for r in group) / total

        best = max(r.get("of_peak", 0) for r in group)
        lines.append([op, str(len(group)), "%d" % sum(r["count"] for r in group),
                      number(sums[op]), number(mean("GFLOPs")), number(mean("GBs")),
                      number(100 * (mean("of_peak") or 0)) + "%", number(100 * best) + "%"])
    return markdown(["op", "shapes", "nodes", "all nodes, us", "GFLOP/s", "GB/s",
                     "of peak", "of peak, best"], lines)


def counter_tables(rows, us_of):
    """A table for each kind of the other benchmarks: microseconds and counters by their names.

    `us_of` gives a row's microseconds.

    >>> rows = [{"name": "BM_Transfer/upload/4096/real_time", "bytes_per_second": 2e9},
    ...         {"name": "cold_start/m", "cpu_time": 3.0, "none_ms": 300.0},
    ...         {"name": "cold_start/n", "warm_ms": 100.0}, {"name": "op/ADD/m"}]
    >>> print("\\n".join(counter_tables(rows, lambda row: 1.5)))
    | BM_Transfer | us | GB/s |
    |---|---:|---:|
    | upload/4096 | 1.50 | 2.00 |
    | cold_start | us | none_ms | warm_ms |
    |---|---:|---:|---:|
    | m | 1.50 | 300 |  |
    | n | 1.50 |  | 100 |
    """
    kinds = {}
    for row in rows:
        kind, *name = path(row["name"])
        counters = {key: value for key, value in row.items()
                    if key not in NO_COUNTERS and isinstance(value, (int, float))}
        if "bytes_per_second" in counters:
            counters["GB/s"] = counters.pop("bytes_per_second") / 1e9
        kinds.setdefault(kind, []).append(("/".join(name), us_of(row), counters))
    kinds.pop("op", None)
    for kind, lines in kinds.items():
        titles = list(dict.fromkeys(key for *_, counters in lines for key in counters))
        yield markdown([kind, "us", *titles],
                       [[name, number(us), *(number(counters.get(key)) for key in titles)]
                        for name, us, counters in lines])


def insert(text, section, tables):
    """The text with `tables` between the section's two comments.

    >>> page = "a\\n<!-- benches: gpu -->\\nold\\n<!-- end of benches: gpu -->\\nb\\n"
    >>> print(insert(page, "benches: gpu", "new"), end="")
    a
    <!-- benches: gpu -->
    <BLANKLINE>
    new
    <BLANKLINE>
    <!-- end of benches: gpu -->
    b
    >>> insert(page, "benches: cpu", "new")
    Traceback (most recent call last):
    ValueError: no lines <!-- benches: cpu --> and <!-- end of benches: cpu -->
    """
    begin = "<!-- %s -->" % section
    end = "<!-- end of %s -->" % section
    head, found, rest = text.partition(begin + "\n")
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise ValueError("no lines %s and %s" % (begin, end))
    return "%s%s\n\n%s\n\n%s%s" % (head, begin, tables, end, tail)


def us_of(row):
    """Microseconds of one of Google Benchmark's rows.

    >>> us_of({"best_us": 12.0, "real_time": 1.0, "time_unit": "ms"})
    12.0
    >>> us_of({"real_time": 3.0, "time_unit": "ms"})
    3000.0
    """
    return row.get("best_us", row["real_time"] * UNITS[row.get("time_unit", "ns")])


def rows_of(report):
    """Google Benchmark's rows that measured something.

    >>> [r["name"] for r in rows_of({"benchmarks": [
    ...     {"name": "conv", "run_type": "iteration"}, {"name": "pool"},
    ...     {"name": "broken", "error_occurred": True},
    ...     {"name": "pool_mean", "run_type": "aggregate"}]})]
    ['conv', 'pool']
    """
    return [r for r in report["benchmarks"]
            if not r.get("error_occurred") and r.get("run_type") != "aggregate"]


def times(report):
    """{name: microseconds}.

    >>> times({"benchmarks": [{"name": "pool", "real_time": 3.0, "time_unit": "ms"}]})
    {'pool': 3000.0}
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
    return {row["name"]: us_of(row) for row in rows_of(report)}


def context_of(report):
    """Renderer, driver, date and revision, as far as the file has them."""
    if isinstance(report, list):
        return next((r for r in report if r.get("renderer", "CPU") != "CPU"), {})
    return report.get("context", {})


def means(ratios):
    """Lines of geometric means by the first two parts of the names.

    >>> print("\\n".join(means({"op/ADD/m/n1": 2.0, "op/ADD/m/n2": 0.5, "x": 1.5})))
      1.000  geometric mean of 2: op/ADD
      1.500  geometric mean of 1: x
    """
    kinds = {}
    for name, ratio in ratios.items():
        kinds.setdefault("/".join(name.split("/")[:2]), []).append(math.log(ratio))
    return ["%7.3f  geometric mean of %d: %s" % (
        math.exp(sum(logs) / len(logs)), len(logs), kind)
            for kind, logs in kinds.items()]


def compare(before, after, limit):
    """Lines to print, and the names that are past the limit.

    >>> lines, slower = compare({"a": 10.0, "b": 10.0, "c": 1.0, "none": 0.0},
    ...                         {"a": 11.5, "b": 5.0, "d": 1.0, "none": 0.0}, 1.1)
    >>> slower
    ['a']
    >>> print("\\n".join(lines))
      ratio     before us      after us  benchmark
      1.150          10.0          11.5  a  SLOWER
      0.500          10.0           5.0  b
    only before: c
    only after: d
      1.150  geometric mean of 1: a
      0.500  geometric mean of 1: b
    """
    lines = ["%7s %13s %13s  %s" % ("ratio", "before us", "after us", "benchmark")]
    ratios = {name: after[name] / before[name] for name in before
              if before[name] > 0 and after.get(name, 0) > 0}
    slower = [name for name, ratio in ratios.items() if ratio > limit]
    for name, ratio in ratios.items():
        lines.append("%7.3f %13.1f %13.1f  %s%s" % (
            ratio, before[name], after[name], name, "  SLOWER" if ratio > limit else ""))
    for title, some, others in (("only before", before, after),
                                ("only after", after, before)):
        lines.extend("%s: %s" % (title, name) for name in some if name not in others)
    return lines + means(ratios), slower


def tables(reports):
    """Markdown of all files together, a block for each kind of table.

    >>> print(tables([[{"model": "a.tflite", "backend": "gles", "num_threads": 1,
    ...     "renderer": "R", "driver": "D", "revision": "r1",
    ...     "invoke_ms": {"median": 0.5}}]]))
    R, D, revision r1
    <BLANKLINE>
    | benchmark | us |
    |---|---:|
    | a.tflite gles | 500 |
    >>> print(tables([{"context": {"renderer": "R"}, "benchmarks": [
    ...     {"name": "chain", "real_time": 2.0, "time_unit": "us"}]}] * 2))
    R
    <BLANKLINE>
    | chain | us |
    |---|---:|
    |  | 2.00 |
    |  | 2.00 |
    """
    lines = dict.fromkeys(facts(context_of(r)) for r in reports)
    rows = [row for r in reports if not isinstance(r, list) for row in rows_of(r)]
    lists = [item for r in reports if isinstance(r, list) for item in times(r).items()]
    blocks = ["  \n".join(line for line in lines if line),
              op_table(rows), *counter_tables(rows, us_of),
              markdown(["benchmark", "us"], [[name, number(us)]
                                                          for name, us in lists])]
    return "\n\n".join(block for block in blocks if block)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE.json")
    parser.add_argument("--limit", type=float, default=1.1, help="of a ratio")
    parser.add_argument("--only", default="", help="names that match this, alone")
    parser.add_argument("--table", action="store_true", help="print Markdown")
    parser.add_argument("--update", metavar="PAGE", help="write it into this page")
    parser.add_argument("--section", default="llvmpipe", help="of that page")
    options = parser.parse_args()
    reports = [load(path) for path in options.files]
    if options.update:
        page = pathlib.Path(options.update)
        try:
            page.write_text(insert(page.read_text(encoding="utf-8"), "benches: " + options.section,
                                   tables(reports)), encoding="utf-8")
        except ValueError as error:
            sys.exit(f"{page}: {error}")
        return 0
    if options.table:
        print(tables(reports))
        return 0
    if len(reports) != 2:
        parser.error("two files are compared")
    renderers = [context_of(report).get("renderer") for report in reports]
    if renderers[0] != renderers[1]:
        print("different renderers: %s and %s" % tuple(renderers), file=sys.stderr)
    before, after = ({name: us for name, us in times(report).items()
                      if re.search(options.only, name)} for report in reports)
    lines, slower = compare(before, after, options.limit)
    print("\n".join(lines))
    if not set(before) & set(after):
        print("the files have no benchmark in common", file=sys.stderr)
        return 1
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
