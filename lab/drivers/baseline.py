"""baseline.csv beside it, of ./dev drivers, and the table that docs/drivers.md has of it.

The baseline has a row for each driver and model.
"""
import csv
import io

from page import code, table

MARKER = "<!-- written by ./dev drivers from lab/drivers/baseline.csv; edit nothing below -->"
COLUMNS = ("driver", "renderer", "version", "date", "revision", "model", "storage", "nodes",
           "on_gpu", "error", "programs", "not_compiled", "spilling", "max_registers",
           "min_resident")


def rows_of(result):
    """The rows of one driver: each model with the driver's own choice of storage.

    >>> rows = rows_of({"name": "a", "renderer": "R", "driver": "V", "date": "D",
    ...     "revision": "r", "kind": "compiles", "models": {
    ...     "m float16": {"nodes_total": 3, "nodes_delegated": 2, "programs": 4, "failed": 0},
    ...     "m float16 buffer": {"nodes_total": 3, "nodes_delegated": 2}}})
    >>> len(rows), rows[0]["model"], rows[0]["storage"], rows[0]["on_gpu"], rows[0]["spilling"]
    (1, 'm', 'float16', 2, '')
    """
    rows = []
    for name, m in sorted(result["models"].items()):
        model, *storage = name.split(" ")
        if len(storage) > 1:
            continue
        resident = [m[k] for k in ("min_waves", "min_threads", "min_simd") if k in m]
        error = m.get("error", "")
        rows.append({
            "driver": result["name"], "renderer": result["renderer"],
            "version": result["driver"], "date": result["date"],
            "revision": m.get("checkout", result["revision"]), "model": model,
            "storage": storage[0] if storage else "float32", "nodes": m["nodes_total"],
            "on_gpu": m["nodes_delegated"],
            "error": f"{error:.1e}" if isinstance(error, float) else error,
            "programs": m.get("programs", ""), "not_compiled": m.get("failed", ""),
            "spilling": m.get("spilling", ""), "max_registers": m.get("max_registers", ""),
            "min_resident": min(resident, default="")})
    return rows


def updated(text, results, order):
    """The baseline `text` with the rows of `results` in place of these drivers' old ones, in
    the order of the drivers' names `order`.

    >>> print(updated("driver,model\\na,old\\nb,old\\n", [], ["b", "a"]).split()[1][:2])
    b,
    """
    rows = list(csv.DictReader(io.StringIO(text)))
    tried = {r["name"] for r in results}
    rows = [r for r in rows if r["driver"] not in tried]
    for result in results:
        rows += rows_of(result)
    rows.sort(key=lambda r: order.index(r["driver"]) if r["driver"] in order else len(order))
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def most(rows, key):
    """
    >>> most([{"n": "3"}, {"n": ""}], "n"), most([{"n": ""}], "n")
    (3, '')
    """
    return max((int(r[key]) for r in rows if r[key] != ""), default="")


def total(rows, key):
    return sum(int(r[key]) for r in rows if r[key] != "") if most(rows, key) != "" else ""


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
                     total(found, "programs"), total(found, "not_compiled"),
                     total(found, "spilling"), most(found, "max_registers")])
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
