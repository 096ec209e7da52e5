"""baseline.csv beside it, of ./dev drivers, and the table that docs/drivers.md has of it.

The baseline has a row for each driver and model.
"""
import csv
import io

from compiling import summary

MARKER = "<!-- written by ./dev drivers from lab/drivers/baseline.csv; edit nothing below -->"
COLUMNS = ("driver", "renderer", "version", "date", "revision", "model", "storage", "nodes",
           "on_gpu", "error", "programs", "not_compiled", "spilling", "max_registers",
           "min_resident")


def table(heads, rows):
    head, *lines = ["| " + " | ".join(map(str, line)) + " |" for line in (heads, *rows)]
    return "\n".join([head, "|" + "---|" * len(heads), *lines])


def code(text):
    return str(text).replace("|", "\\|").replace("\n", " ").strip()


def rows_of(result):
    """The rows of one driver.

    >>> rows = rows_of({"name": "a", "renderer": "R", "driver": "V", "date": "D",
    ...     "revision": "r", "models": {
    ...     "m float16": {"nodes_total": 3, "nodes_delegated": 2, "programs": {"p": {}}}}})
    >>> rows[0]["model"], rows[0]["storage"], rows[0]["on_gpu"], rows[0]["programs"]
    ('m', 'float16', 2, 1)
    """
    rows = []
    for name, m in sorted(result.get("models", {}).items()):
        model, _, storage = name.partition(" ")
        error = m.get("error", "")
        rows.append({
            "driver": result["name"], "renderer": result["renderer"],
            "version": result["driver"], "date": result["date"],
            "revision": result["revision"], "model": model, "storage": storage or "float32",
            "nodes": m["nodes_total"], "on_gpu": m["nodes_delegated"],
            "error": f"{error:.1e}" if isinstance(error, float) else error,
            **(summary(m["programs"]) if "programs" in m else {})})
    return rows


def updated(text, results, order):
    """The baseline `text` with the rows of `results`, in the order of the drivers' names `order`.
    They replace those of their drivers; of a result that is "partial", those of its models."""
    rows = list(csv.DictReader(io.StringIO(text)))
    for result in results:
        new = rows_of(result)
        models = {(row["model"], row["storage"]) for row in new}
        rows = new + [row for row in rows if row["driver"] != result["name"] or (
            result.get("partial") and (row["model"], row["storage"]) not in models)]
    rows.sort(key=lambda r: (order.index(r["driver"]) if r["driver"] in order else len(order),
                             r["model"], r["storage"]))
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def combined(how, rows, key):
    """
    >>> rows = [{"n": "3", "m": ""}, {"n": "", "m": ""}]
    >>> combined(max, rows, "n"), combined(sum, rows, "m")
    (3, '')
    """
    numbers = [int(r[key]) for r in rows if r[key] != ""]
    return how(numbers) if numbers else ""


def summary_table(text, titles):
    """docs/drivers.md's table. `titles`: {driver's name: its title}."""
    by_driver = {}
    for r in csv.DictReader(io.StringIO(text)):
        by_driver.setdefault(r["driver"], []).append(r)
    rows = []
    for name, found in by_driver.items():
        first = found[0]
        storages = {}
        for r in found:
            storages.setdefault(r["model"], []).append(r["nodes"] == r["on_gpu"])
        whole = f"{sum(map(all, storages.values()))} of {len(storages)}"
        rows.append([titles.get(name, name), f"`{code(first['renderer'])}`",
                     f"`{code(first['version'])}`", first["date"], whole,
                     max((r["error"] for r in found if r["error"]), key=float, default=""),
                     *(combined(sum, found, key)
                       for key in ("programs", "not_compiled", "spilling")),
                     combined(max, found, "max_registers")])
    return table(["driver", "GL_RENDERER", "GL_VERSION", "date", "models whole",
                  "largest error", "programs", "not compiled", "that spill",
                  "most registers"], rows)


def rewrite(page, text, titles):
    """`page` with everything from the marker on written again from the baseline `text`.

    >>> rewrite("by hand\\n" + MARKER + "\\nold", "driver\\n", {}).splitlines()[0]
    'by hand'
    """
    if MARKER not in page:
        raise ValueError(f"docs/drivers.md has no line {MARKER}")
    return f"{page[:page.index(MARKER)]}{MARKER}\n\n{summary_table(text, titles)}\n"
