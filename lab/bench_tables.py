"""Markdown tables from the JSON of the benches, for docs/benchmarks.md.

lab/compare_benches.py --table is the command.
"""

import math
import re

# By hand, of no model (benches/shapes): not in sums over models.
OTHER_LAYERS = "other_layers"

# What Google Benchmark says of each run beside its counters.
NO_COUNTERS = {"family_index", "per_family_instance_index", "repetitions", "repetition_index",
               "threads", "iterations", "real_time", "cpu_time"}


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
