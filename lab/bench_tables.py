"""Markdown tables from the JSON of the benches, for docs/benchmarks.md.

lab/compare_benches.py --table is the command.
"""

import math
import re

# By hand, of no model (benches/shapes): not in sums over models.
OTHER_LAYERS = "other_layers"

# The first part of the names of the rows of model_bench and cold_start.py.
MODEL_KINDS = ("model", "submit", "cold_start")


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


def op_rows(rows):
    """Yields (op, model, row) for each row of op_bench whose op is of a model."""
    for row in rows:
        parts = path(row["name"])
        if parts[0] == "op" and parts[2] != OTHER_LAYERS and row.get("best_us"):
            yield parts[1], parts[2], row


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
    for op, _, row in op_rows(rows):
        kinds.setdefault(op, []).append(row)
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


def models_of(rows):
    """{model: {kind: row}} of the rows of model_bench and cold_start.py."""
    models = {}
    for row in rows:
        parts = path(row["name"])
        if parts[0] in MODEL_KINDS:
            models.setdefault(parts[1], {})[parts[0]] = row
    return dict(sorted(models.items()))


def model_table(rows):
    """Latencies and starts, a model a line; '' without any.

    >>> print(model_table([
    ...     {"name": "model/m/iterations:1/manual_time", "real_time": 2.0,
    ...      "time_unit": "ms", "xnnpack_ms": 1.0, "xnnpack_threads": 4, "ratio": 2.0},
    ...     {"name": "cold_start/m", "none_ms": 300.0, "warm_ms": 100.0},
    ...     {"name": "op/ADD/m/n0", "count": 2, "best_us": 1000.0}]))
    | model | GL, ms | XNNPACK, 4 threads, ms | ratio | ops one by one, ms | first result, ms | with start-up cache, ms |
    |---|---:|---:|---:|---:|---:|---:|
    | m | 2.00 | 1.00 | 2.00 | 2.00 | 300 | 100 |

    Where XNNPACK took no node, its column holds the built-in kernels' time, and says so:

    >>> print(model_table([
    ...     {"name": "model/m/manual_time", "real_time": 2.0, "xnnpack_ms": 1.0, "ratio": 2.0,
    ...      "xnnpack_delegated": 0.0}]).splitlines()[-1])
    | m | 2.00 | 1.00 (built-in) | 2.00 |  |  |  |
    """
    models = models_of(rows)
    alone = {}
    for _, model, row in op_rows(rows):
        alone[model] = alone.get(model, 0) + row["count"] * row["best_us"] / 1000
    lines = []
    threads = "1"
    for name, kinds in models.items():
        latency, start = (kinds.get(kind, {}) for kind in ("model", "cold_start"))
        if latency or start:
            lines.append([name] + [number(v) for v in (
                latency.get("real_time"), latency.get("xnnpack_ms"), latency.get("ratio"),
                alone.get(name), start.get("none_ms"), start.get("warm_ms"))])
            if latency.get("xnnpack_delegated") == 0:
                lines[-1][2] += " (built-in)"
        threads = "%d" % latency.get("xnnpack_threads", int(threads))
    return markdown(["model", "GL, ms", "XNNPACK, %s threads, ms" % threads, "ratio",
                     "ops one by one, ms", "first result, ms", "with start-up cache, ms"],
                    lines)


def submit_table(rows):
    """The cost of inferences on the processor and the device, a model a line.

    >>> print(submit_table([
    ...     {"name": "submit/m", "submit_us": 50.0, "submit_wall_us": 60.0, "wall_us": 80.0,
    ...      "dispatches": 7, "upload_us": 1.0, "gpu_us": 2.0, "readback_us": 3.0}]))
    | model | dispatches | submission, processor us | submission, us | all, us | upload, us | GPU, us | readback, us |
    |---|---:|---:|---:|---:|---:|---:|---:|
    | m | 7 | 50.0 | 60.0 | 80.0 | 1.00 | 2.00 | 3.00 |
    """
    keys = ("submit_us", "submit_wall_us", "wall_us", "upload_us", "gpu_us", "readback_us")
    lines = [[name, "%d" % kinds["submit"]["dispatches"]] +
             [number(kinds["submit"][key]) for key in keys]
             for name, kinds in models_of(rows).items() if "submit" in kinds]
    return markdown(["model", "dispatches", "submission, processor us", "submission, us",
                     "all, us", "upload, us", "GPU, us", "readback, us"], lines)


def other_table(rows, us_of):
    """All other benchmarks, by name; `us_of` gives a row's microseconds.

    >>> print(other_table([{"name": "BM_Transfer/upload/4096/real_time",
    ...                     "bytes_per_second": 2e9},
    ...                    {"name": "BM_Peak/iterations:1", "best_GFLOPs": 30.0,
    ...                     "best_GBs": 5.0}, {"name": "op/ADD/m"}], lambda row: 1.5))
    | benchmark | us | rate |
    |---|---:|---:|
    | BM_Transfer/upload/4096 | 1.50 | 2.00 GB/s |
    | BM_Peak |  | 30.0 GFLOP/s, 5.00 GB/s |
    """
    lines = []
    for row in rows:
        parts = path(row["name"])
        if parts[0] == "op" or parts[0] in MODEL_KINDS:
            continue
        rates = [number(row[key] * scale) + unit for key, scale, unit in (
            ("best_GFLOPs", 1, " GFLOP/s"), ("GFLOPs", 1, " GFLOP/s"), ("best_GBs", 1, " GB/s"),
            ("bytes_per_second", 1e-9, " GB/s")) if key in row]
        us = "" if "best_GFLOPs" in row else number(us_of(row))
        lines.append(["/".join(parts), us, ", ".join(rates)])
    return markdown(["benchmark", "us", "rate"], lines)


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
