#!/usr/bin/env python3
"""Models by this project and by its peers: PyTorch on CUDA, LiteRT's WebGPU, and XNNPACK.

    benches/peers.py [--rounds=N] [--threads=N] [--skip=pytorch,webgpu,...] [--bin=build/bin] \\
        [--json=FILE] [--update] MODEL.tflite...
    benches/peers.py --from=FILE [--update | --check]

Needs a built benchmark_model, and a Python with torch for the PyTorch columns and with
ai-edge-litert 2.3 or newer for WebGPU's. A peer that is missing or fails has the reason in its
cells. Prints a table in Markdown: median times in ms.

--update also writes it into docs/benchmarks.md, and its float32 columns at batch 1 into the
README and its chart: all figures of those pages come from one run. --json saves the results after
PyTorch and after each round. --from makes the tables from such a file: peers_h200.json has those of
the pages, which --check compares.

The names of the model files choose the PyTorch models: minilm, whisper and vit are those of
transformer_models.py; mobilenet_v1_1.0_224_features_float has a second row at batch 32, without
WebGPU, which would need another file. Other models have no PyTorch columns.

pytorch_models.py runs once, in one process, before the rounds: its compilation is slow, and it
leaves the GPU to the others. In each round, the other ways take turns on each model, each in its
own process. A time is from host tensors to host tensors. WebGPU's includes reading the outputs,
but not writing the inputs. Runs on the GPU begin with --warmup_runs that are not timed (WebGPU's:
with those of litert_ways.py), as an idle GPU raises its clock meanwhile.
"""

import argparse
import collections
import datetime
import importlib.metadata
import json
import pathlib
import re
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "lab"))

import compare_benches  # pylint: disable=wrong-import-position
import litert_ways  # pylint: disable=wrong-import-position
import plot_speed  # pylint: disable=wrong-import-position
from litert_ways import ended, short  # pylint: disable=wrong-import-position

# By the names of the files: a title, and the name that pytorch_models.py has for the model.
COUNTERPARTS = {
    "minilm": ("MiniLM-L6, 128 tokens", "minilm"),
    "whisper": ("Whisper-tiny's encoder, 1,500 positions", "whisper"),
    "vit": ("ViT-B/16, 224", "vit"),
    "mobilenet_v1_1.0_224_features_float": ("MobileNet v1 1.0, 224", "mobilenet"),
}
LARGE_BATCH = 32
LARGE_BATCH_FLAGS = ["--input_layer=input", f"--input_layer_shape={LARGE_BATCH},224,224,3"]

COLUMNS = ["ours, float32", "PyTorch compiled, float32", "PyTorch graph, float32",
           "LiteRT WebGPU, float32", "XNNPACK", "ours, float16", "PyTorch compiled, float16",
           "PyTorch graph, float16"]
# The columns of the README, with what they are called there.
SPEED = {"ours, float32": "delegate", "PyTorch compiled, float32": "PyTorch, compiled",
         "LiteRT WebGPU, float32": "LiteRT's WebGPU", "XNNPACK": "CPU: XNNPACK"}

Row = collections.namedtuple("Row", "title path counterpart batch")


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
    return compare_benches.number(median(results)) + "".join(f" ({note})" for note in sorted(notes))


def facts(kept):
    """The line over the table.

    >>> result = {"renderer": "R", "driver": "D", "tflite": "2.21.0 (t.so)", "revision": "r1"}
    >>> facts({"rows": {"a": {"ours, float32": ["fails", result]}}, "threads": 4, "rounds": 3,
    ...        "date": "2026-11-27", "litert": "L", "pytorch": ""})
    'R, D, TFLite 2.21.0 (t.so), L, 2026-11-27, revision r1, 4 threads, 3 rounds'
    """
    ran = [result for columns in kept["rows"].values() for column, results in columns.items()
           for result in results if column.startswith("ours") and isinstance(result, dict)]
    machine = [ran[0]["renderer"], ran[0]["driver"], f"TFLite {ran[0]['tflite']}"] if ran else []
    revision = [f"revision {ran[0]['revision']}"] if ran else []
    parts = [*machine, kept["pytorch"], kept["litert"], kept["date"], *revision,
             f"{kept['threads']} threads",
             "1 round" if kept["rounds"] == 1 else f"{kept['rounds']} rounds"]
    return ", ".join(part for part in parts if part)


def speed(kept):
    """The README's table of the same results at batch 1: titles of columns, and rows.

    >>> speed({"rows": {"m": {"ours, float32": [{"ms": 2}], "XNNPACK": [{"ms": 3}]},
    ...                 "m, batch 2": {}}, "threads": 4})
    (['delegate', 'CPU: XNNPACK, 4 threads'], [['m', '2.00', '3.00']])
    """
    rows = {title: columns for title, columns in kept["rows"].items() if ", batch " not in title}
    names = [name for name in SPEED if any(name in columns for columns in rows.values())]
    heads = [SPEED[name] + (f", {kept['threads']} threads" if name == "XNNPACK" else "")
             for name in names]
    return heads, [[title] + [cell(columns.get(name, [])) for name in names]
                   for title, columns in rows.items()]


def table(kept):
    """
    >>> text = table({"rows": {"m": {"ours, float32": [{"ms": 2, "renderer": "R", "driver": "D",
    ...     "tflite": "T", "revision": "r"}], "LiteRT WebGPU, float32": [{"ms": 3}],
    ...     "XNNPACK": ["not here"]}}, "threads": 4, "rounds": 1, "date": "d", "litert": "",
    ...     "pytorch": ""})
    >>> print(text.splitlines()[4])
    | m | 2.00 |  |  | 3.00 | not here |  |  |  |
    """
    heads = [name.replace("XNNPACK", f"XNNPACK, {kept['threads']} threads") for name in COLUMNS]
    times = [[title] + [cell(columns.get(name, [])) for name in COLUMNS]
             for title, columns in kept["rows"].items()]
    return facts(kept) + "\n\n" + compare_benches.markdown(["model, ms"] + heads, times)


def rows_of(paths):
    """
    >>> for row in rows_of(["a/mobilenet_v1_1.0_224_features_float.tflite", "b.tflite"]):
    ...     print(row.title, row.counterpart, row.batch)
    MobileNet v1 1.0, 224 mobilenet 1
    MobileNet v1 1.0, 224, batch 32 mobilenet 32
    b None 1
    """
    rows = []
    for path in paths:
        name = pathlib.Path(path).stem
        title, counterpart = COUNTERPARTS.get(name, (name, None))
        rows.append(Row(title, path, counterpart, 1))
        if counterpart == "mobilenet":
            rows.append(Row(f"{title}, batch {LARGE_BATCH}", path, counterpart, LARGE_BATCH))
    return rows


def benchmark(row, flags, backend):
    """A measurement of benchmark_model, or a text that says why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        _, _, failure = ended(
            [flags.bin / "benchmark_model", f"--graph={row.path}",
             f"--report_json={report}", "--min_secs=1", *backend.format(**vars(flags)).split(),
             *(LARGE_BATCH_FLAGS if row.batch > 1 else [])], flags.timeout)
        if failure or not report.exists():
            return failure or "no result"
        result, = json.loads(report.read_text(encoding="utf-8"))
    kept = {key: result[key] for key in ("renderer", "driver", "tflite", "revision")}
    return {"ms": result["invoke_ms"]["median"], "note": note_of(result), **kept}


def webgpu_note(log):
    """The same for WebGPU, which says in its log if it leaves nodes.

    >>> webgpu_note("INFO: 29 operations will run on the GPU, and the remaining 2 on the CPU.")
    '29 of 31 nodes'
    >>> webgpu_note("")
    ''
    """
    left = re.search(r"(\d+) operations will run on the GPU, and the remaining (\d+)", log)
    return f"{left[1]} of {int(left[1]) + int(left[2])} nodes" if left else ""


def webgpu(row, flags, _):
    """A measurement of LiteRT's WebGPU, None at a batch that the file does not have."""
    if row.batch > 1:
        return None
    measurement, log = litert_ways.measured([sys.executable, litert_ways.__file__, row.path],
                                            flags.timeout)
    if isinstance(measurement, str):
        return measurement
    return {**measurement, "note": webgpu_note(log)}


OURS = "--use_gles --warmup_runs={warmup_runs} --num_runs=200"
# Column, name for --skip, what measures a row, benchmark_model's flags.
WAYS = [("ours, float32", "ours", benchmark, OURS),
        ("LiteRT WebGPU, float32", "webgpu", webgpu, ""),
        ("XNNPACK", "xnnpack", benchmark,
         "--use_xnnpack --num_threads={threads} --warmup_runs=5 --num_runs=20"),
        ("ours, float16", "ours", benchmark,
         OURS + " --gles_options=is_precision_loss_allowed:1")]


def pytorch(rows, flags):
    """PyTorch's results by row and column, and its version."""
    names = {row.counterpart: 0 for row in rows if row.counterpart}
    if not names:
        return {}, ""
    script = ROOT / "benches" / "pytorch_models.py"
    output, _, failure = ended([sys.executable, script, "--json", *names], flags.pytorch_timeout)
    lines = [json.loads(line) for line in output.splitlines()
             if line.startswith('{"model"') and line.endswith("}")]
    return by_row(rows, lines, failure), next((f"PyTorch {r['torch']}" for r in lines), "")


def by_row(rows, lines, failure):
    """
    >>> line = {"model": "vit", "batch": 1, "type": "float16", "compiled": False, "ms": 0.5}
    >>> found = by_row(rows_of(["vit.tflite", "a.tflite"]), [line], "ends by signal 9")
    >>> list(found), found["ViT-B/16, 224"]["PyTorch graph, float16"]
    (['ViT-B/16, 224'], [{'ms': 0.5}])
    >>> found["ViT-B/16, 224"]["PyTorch graph, float32"]
    ['ends by signal 9']
    """
    found = {}
    for line in lines:
        column = f"PyTorch {'compiled' if line['compiled'] else 'graph'}, {line['type']}"
        found[line["model"], line["batch"], column] = (
            {"ms": line["ms"]} if "ms" in line else short(line["error"]))
    return {row.title: {column: [found.get((row.counterpart, row.batch, column),
                                           failure or "no result")]
                        for column in COLUMNS if column.startswith("PyTorch")}
            for row in rows if row.counterpart}


def litert_version():
    try:
        return "ai-edge-litert " + importlib.metadata.version("ai-edge-litert")
    except importlib.metadata.PackageNotFoundError:
        return ""


def measured(flags):
    """All results by row and column, a list of the rounds' in each, and what they hold for."""
    rows, skipped = rows_of(flags.models), flags.skip.split(",")
    kept = {"rows": {row.title: {} for row in rows}, "threads": flags.threads, "rounds": 0,
            "date": datetime.date.today().isoformat(),
            "litert": "" if "webgpu" in skipped else litert_version(), "pytorch": ""}
    if "pytorch" not in skipped:
        print("PyTorch compiles and runs its models", file=sys.stderr, flush=True)
        found, kept["pytorch"] = pytorch(rows, flags)
        kept["rows"].update(found)
        save(kept, flags.json)
    for at in range(flags.rounds):
        for row in rows:
            print(f"round {at + 1} of {flags.rounds}: {row.title}", file=sys.stderr, flush=True)
            for column, name, measure, backend in WAYS:
                if name not in skipped:
                    try:
                        result = measure(row, flags, backend)
                    except (OSError, KeyError, ValueError) as error:  # of an output that is another
                        result = short(str(error))
                    kept["rows"][row.title].setdefault(column, []).append(result)
        kept["rounds"] = at + 1
        save(kept, flags.json)
    return kept


def save(kept, path):
    if path:
        pathlib.Path(path).write_text(json.dumps(kept, indent=1), encoding="utf-8")


def flags_of():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=4, help="of XNNPACK")
    parser.add_argument("--skip", default="", help="some of: ours,pytorch,webgpu,xnnpack")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin",
                        help="the folder of benchmark_model")
    parser.add_argument("--warmup_runs", type=int, default=1000, help="on the GPU")
    parser.add_argument("--timeout", type=int, default=120, help="seconds, of a process")
    parser.add_argument("--pytorch_timeout", type=int, default=900, help="seconds")
    parser.add_argument("--update", action="store_true", help="write docs/benchmarks.md and README.md")
    parser.add_argument("--check", action="store_true", help="fail if they have other tables")
    parser.add_argument("--json", metavar="FILE", help="write the results to this file")
    parser.add_argument("--from", dest="source", metavar="FILE", help="results of --json")
    parser.add_argument("models", nargs="*", metavar="MODEL.tflite")
    flags = parser.parse_args()
    if bool(flags.source) == bool(flags.models):
        parser.error("needs models, or --from")
    return flags


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def pages(kept):
    """The texts of the files that show the results, by path."""
    heads, rows = speed(kept)
    readme = compare_benches.markdown(["model, ms"] + heads, rows)
    return {"docs/benchmarks.md": compare_benches.insert(read("docs/benchmarks.md"), "peers",
                                                         table(kept)),
            "README.md": compare_benches.insert(read("README.md"), "peers",
                                                f"{readme}\n\n{facts(kept)}."),
            "docs/images/speed.svg": plot_speed.draw(heads, rows) + "\n"}


def main():
    flags = flags_of()
    kept = compare_benches.load(flags.source) if flags.source else measured(flags)
    print(table(kept))
    if not flags.update and not flags.check:
        return 0
    changed = {path: text for path, text in pages(kept).items() if text != read(path)}
    for path, text in changed.items():
        print(f"{path}: {'written' if flags.update else 'other tables'}", file=sys.stderr)
        if flags.update:
            (ROOT / path).write_text(text, encoding="utf-8")
    return 0 if flags.update else int(bool(changed))


if __name__ == "__main__":
    sys.exit(main())
