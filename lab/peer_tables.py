"""Markdown tables of the results of benches/peers.py, which is the command."""

import statistics

import bench_tables

COLUMNS = ["ours, float32", "PyTorch compiled, float32", "PyTorch graph, float32",
           "LiteRT WebGPU, float32", "XNNPACK", "ours, float16", "PyTorch compiled, float16",
           "PyTorch graph, float16"]
# The columns of the README, with what they are called there.
SPEED = {"ours, float32": "delegate", "PyTorch compiled, float32": "PyTorch, compiled",
         "LiteRT WebGPU, float32": "LiteRT's WebGPU", "XNNPACK": "CPU: XNNPACK"}
RATIOS = [("ours, float32", "PyTorch compiled, float32"),
          ("ours, float16", "PyTorch compiled, float16"),
          ("LiteRT WebGPU, float32", "ours, float32")]


def note_of(result):
    """A remark for a time of benchmark_model: where the nodes ran, if not where they should.

    >>> note_of({"backend": "gles", "nodes_delegated": 29, "nodes_total": 31})
    '29 of 31 nodes'
    >>> note_of({"backend": "xnnpack", "nodes_delegated": 29, "nodes_total": 31})
    ''
    >>> note_of({"backend": "xnnpack", "nodes_delegated": 0, "nodes_total": 31})
    'built-in'
    """
    taken, total = result["nodes_delegated"], result["nodes_total"]
    if result["backend"] == "xnnpack":
        return "" if taken else "built-in"
    return "" if taken == total else f"{taken} of {total} nodes"


def median(results):
    """The rounds' median; None if one of them has no time.

    >>> median([{"ms": 3}, {"ms": 1}, {"ms": 2}]), median([{"ms": 1}, "fails"]), median([])
    (2, None, None)
    """
    if not results or any(not isinstance(result, dict) for result in results):
        return None
    return statistics.median(result["ms"] for result in results)


def cell(results):
    """
    >>> cell([{"ms": 1.25}, {"ms": 2.25}]), cell([{"ms": 1}, "ends by signal 11"])
    ('1.75', 'ends by signal 11')
    >>> cell([{"ms": 0.5, "note": "29 of 31 nodes"}]), cell([None]), cell([])
    ('0.500 (29 of 31 nodes)', '', '')
    """
    for result in results:
        if isinstance(result, str):
            return result
    notes = {result["note"] for result in results if result and result.get("note")}
    return bench_tables.number(median(results)) + "".join(f" ({note})" for note in sorted(notes))


def ratio(columns, over, under):
    """
    >>> ratio({"a": [{"ms": 1}], "b": [{"ms": 4}]}, "a", "b"), ratio({"b": [{"ms": 4}]}, "a", "b")
    ('0.250', '')
    """
    times = [median(columns.get(name, [])) for name in (over, under)]
    return "" if None in times else bench_tables.number(times[0] / times[1])


def facts(kept):
    """The line over the tables.

    >>> result = {"ms": 1, "renderer": "R", "driver": "D", "tflite": "2.21.0 (libtflite.so)"}
    >>> facts({"rows": {"a": {"ours, float32": ["fails", result]}}, "threads": 4, "rounds": 3,
    ...        "date": "2026-11-27", "revision": "r1", "litert": "L", "pytorch": ""})
    'R, D, TFLite 2.21.0 (libtflite.so), L, 2026-11-27, revision r1, 4 threads, 3 rounds'
    """
    ran = [result for columns in kept["rows"].values() for column, results in columns.items()
           for result in results if column.startswith("ours") and isinstance(result, dict)]
    machine = [ran[0]["renderer"], ran[0]["driver"], f"TFLite {ran[0]['tflite']}"] if ran else []
    parts = machine + [kept["pytorch"], kept["litert"], kept["date"],
                       f"revision {kept['revision']}", f"{kept['threads']} threads",
                       "1 round" if kept["rounds"] == 1 else f"{kept['rounds']} rounds"]
    return ", ".join(part for part in parts if part)


def speed(kept):
    """The README's table of the same results at batch 1: titles of columns, and rows.

    >>> result = {"ms": 2, "renderer": "R", "driver": "D", "tflite": "T"}
    >>> speed({"rows": {"m": {"ours, float32": [result], "XNNPACK": [{"ms": 3}]}, "m, batch 2": {}},
    ...        "threads": 4})
    (['delegate', 'CPU: XNNPACK, 4 threads'], [['m', '2.00', '3.00']])
    """
    rows = {title: columns for title, columns in kept["rows"].items() if ", batch " not in title}
    names = [name for name in SPEED if any(name in columns for columns in rows.values())]
    heads = [SPEED[name] + (f", {kept['threads']} threads" if name == "XNNPACK" else "")
             for name in names]
    return heads, [[title] + [cell(columns.get(name, [])) for name in names]
                   for title, columns in rows.items()]


def tables(kept):
    """
    >>> text = tables({"rows": {"m": {"ours, float32": [{"ms": 2, "renderer": "R", "driver": "D",
    ...     "tflite": "T"}], "LiteRT WebGPU, float32": [{"ms": 3}], "XNNPACK": ["not here"]}},
    ...     "threads": 4, "rounds": 1, "date": "d", "revision": "r", "litert": "", "pytorch": ""})
    >>> print(text.splitlines()[4])
    | m | 2.00 |  |  | 3.00 | not here |  |  |  |
    >>> print("\\n".join(text.splitlines()[-3:]))
    | model | ours / PyTorch compiled, float32 | ours / PyTorch compiled, float16 | WebGPU / ours |
    |---|---:|---:|---:|
    | m |  |  | 1.50 |
    """
    heads = [name.replace("XNNPACK", f"XNNPACK, {kept['threads']} threads") for name in COLUMNS]
    times = [[title] + [cell(columns.get(name, [])) for name in COLUMNS]
             for title, columns in kept["rows"].items()]
    ratios = [[title] + [ratio(columns, *pair) for pair in RATIOS]
              for title, columns in kept["rows"].items()]
    return "\n\n".join([
        facts(kept), bench_tables.markdown(["model, ms"] + heads, times),
        bench_tables.markdown(["model", "ours / PyTorch compiled, float32",
                               "ours / PyTorch compiled, float16", "WebGPU / ours"], ratios)])
