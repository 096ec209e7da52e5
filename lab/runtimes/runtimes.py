"""Runs models in each TensorFlow Lite runtime that people have, on the CPU and with the delegate.

    ./dev runtimes [MODEL.tflite|FOLDER...] [--flags]

Each run is a separate process. The table has a row for each model and a column for each
runtime: nodes on the GPU of all nodes, and the largest difference from the same runtime's CPU
(of floats, relative to the output's largest magnitude or 1; of integers, in steps), or the
error. Without models it takes those of tests/corpus. Runtimes come from PyPI, npm and Maven
Central; one that cannot be fetched has a column that says so.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPS = ROOT / ".deps"
RUN_MODEL = pathlib.Path(__file__).resolve().parent / "run_model.py"

# The packages of the environment; the Python module or the C library (a pattern, below the
# environment or in .deps) that runs the models.
Runtime = collections.namedtuple("Runtime", "name packages module library",
                                 defaults=(None, None))
NUMPY_1, NUMPY_2 = "numpy<2", "numpy>=2"
LITERT = "ai_edge_litert.interpreter"
RUNTIMES = [
    Runtime("TFLite 2.9.0", [NUMPY_2], library=str(DEPS / "tflite-2.9/lib/lib*lite_c.so")),
    Runtime("tflite-runtime 2.14.0", ["tflite-runtime==2.14.0", NUMPY_1],
            "tflite_runtime.interpreter"),
    # The one package that brings this C library.
    Runtime("TFLite 2.17.1", ["pymicro-wakeword==2.5.0", NUMPY_2],
            library="**/pymicro_wakeword/lib/libtensorflowlite_c.so"),
    Runtime("TFLite 2.21.0", [NUMPY_2], library=str(DEPS / "tflite/lib/libjnitensorflowlite.so")),
    Runtime("LiteRT 1.0.1", ["ai-edge-litert==1.0.1", NUMPY_1], LITERT),
    Runtime("LiteRT 1.4.0", ["ai-edge-litert==1.4.0", NUMPY_2], LITERT),
    Runtime("LiteRT 2.1.6", ["ai-edge-litert==2.1.6", NUMPY_2], LITERT),
    Runtime("LiteRT 2.3.0", ["ai-edge-litert==2.3.0", NUMPY_2], LITERT),
    Runtime("LiteRT nightly", ["--pre", "ai-edge-litert-nightly", NUMPY_2], LITERT),
]
FETCH_S = 600  # for one environment


class NotAvailable(Exception):
    """A runtime that cannot be had here, and why."""


def fetched(runtime, folder):
    """The Python of the runtime's environment, made if it is new or for other packages."""
    place = folder / runtime.name.lower().replace(" ", "-")
    python, mark = place / "bin/python", place / "packages.txt"
    wanted = "\n".join(runtime.packages)
    if mark.exists() and mark.read_text(encoding="utf-8") == wanted:
        return python
    for command in ([sys.executable, "-m", "venv", "--clear", place],
                    [python, "-m", "pip", "install", "--quiet", *runtime.packages]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  timeout=FETCH_S)
        except subprocess.TimeoutExpired as error:
            raise NotAvailable("not fetched within %d s" % FETCH_S) from error
        if done.returncode != 0:
            raise NotAvailable(last_line(done.stderr) or "pip failed")
    mark.write_text(wanted, encoding="utf-8")
    return python


def prepared(runtime, folder):
    """The Python to run, and run_model.py's RUNTIME."""
    python = fetched(runtime, folder)
    if runtime.module:
        return python, runtime.module
    pattern = pathlib.Path(runtime.library)
    if pattern.is_absolute():
        found = sorted(pattern.parent.glob(pattern.name))
    else:
        found = sorted(python.parents[1].glob(runtime.library))
    if not found:
        raise NotAvailable("%s is missing; ./dev deps fetches it" % pattern.name)
    return python, str(found[0])


def last_line(text):
    """The last line that is not empty, before errors that Python ignores while it ends: there it and
    most programs say what is wrong.

    >>> last_line("Traceback\\n  File x\\nOSError: no\\n\\nException ignored in: y\\nz\\n")
    'OSError: no'
    """
    told = text.partition("Exception ignored in")[0]
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def reason(text):
    """Why a process failed: TensorFlow Lite's first error, or the last line.

    >>> reason("ERROR: WARNING: slow\\nERROR: no such op\\nRuntimeError: no interpreter")
    'no such op'
    """
    for line in text.splitlines():
        if line.startswith("ERROR: ") and "WARNING" not in line:
            return line[len("ERROR: "):]
    return last_line(text)


def run(command, seconds):
    """A process's output, and its error: "" if it ended well."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=seconds, errors="replace")
    except subprocess.TimeoutExpired:
        return "", "no end within %d s" % seconds
    if done.returncode < 0:
        return "", "signal %d" % -done.returncode
    if done.returncode != 0:
        return "", reason(done.stderr) or "exit status %d" % done.returncode
    return done.stdout, ""


def cell(model, python, runtime, flags, folder):
    """One entry of the table."""
    command = [python, "-B", RUN_MODEL, runtime, model, os.path.join(folder, "outputs.npz")]
    _, error = run(command, flags.timeout)
    if error:
        return {"cpu_error": error}
    report = os.path.join(folder, "report.json")
    text, error = run([*command, flags.library, report, "verbosity=0", *flags.option], flags.timeout)
    result = {"error": error} if error else json.loads(last_line(text))
    if os.path.exists(report):
        with open(report, encoding="utf-8") as file:
            told = json.load(file)
        result.update({key: told.get(key, 0) for key in ("nodes_delegated", "nodes_total")})
    return result


def cell_text(entry):
    """As the table shows it.

    >>> cell_text({"difference": 1.25e-7, "nodes_delegated": 3, "nodes_total": 4})
    '3/4, 1.2e-07'
    >>> cell_text({"cpu_error": "no | interpreter"})
    'CPU: no / interpreter'
    >>> cell_text({"error": "signal 11", "nodes_delegated": 0, "nodes_total": 0})
    '**signal 11**'
    """
    if "cpu_error" in entry:
        return "CPU: " + entry["cpu_error"].replace("|", "/")[:120]
    if "error" in entry:
        return "**%s**" % entry["error"].replace("|", "/")[:160]
    return "%d/%d, %.2g" % (entry.get("nodes_delegated", 0), entry.get("nodes_total", 0),
                            entry["difference"])


def table(models, columns):
    """Markdown. `columns`: a runtime's name, and its entries by model or why it has none."""
    lines = ["| model | " + " | ".join(name for name, _ in columns) + " |",
             "|---" * (len(columns) + 1) + "|"]
    for model in models:
        entries = ["not available: " + found[:80] if isinstance(found, str)
                   else cell_text(found[model]) for _, found in columns]
        lines.append("| %s | %s |" % (model.stem, " | ".join(entries)))
    return "\n".join(lines) + "\n"


def run_all(models, runtime, flags):
    """A runtime's entries by model, or why there are none."""
    try:
        python, what = prepared(runtime, DEPS / "runtimes")
    except NotAvailable as error:
        print("%s: NOT AVAILABLE: %s" % (runtime.name, error), file=sys.stderr)
        return str(error)

    def one(model):
        with tempfile.TemporaryDirectory() as folder:
            return cell(str(model), python, what, flags, folder)

    with concurrent.futures.ThreadPoolExecutor(flags.jobs) as pool:
        entries = dict(zip(models, pool.map(one, models)))
    print("%s: %d models" % (runtime.name, len(models)), file=sys.stderr)
    return entries


def models_of(paths):
    """The .tflite files of files and folders, in order."""
    models = []
    for path in map(pathlib.Path, paths):
        found = sorted(path.glob("*.tflite")) if path.is_dir() else [path]
        if not found or not found[0].exists():
            sys.exit("runtimes: no model: %s" % path)
        models += [model.resolve() for model in found]
    return models


def parse_flags():
    parser = argparse.ArgumentParser(prog="./dev runtimes", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="models, or folders of models")
    parser.add_argument("--runtimes", default="",
                        help="only runtimes whose name has one of these, separated by commas")
    parser.add_argument("--library", default=str(ROOT / "build/lib/libgles_delegate.so"),
                        help="the delegate (default: build/lib)")
    parser.add_argument("--option", action="append", default=[], metavar="OPTION=VALUE",
                        help="an option of the delegate")
    parser.add_argument("--output", default=str(ROOT / "build/runtimes.md"),
                        help="the table's file (default: build/runtimes.md)")
    parser.add_argument("--timeout", type=int, default=120, help="seconds for one process")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    return parser.parse_args()


def main():
    flags = parse_flags()
    default = ROOT / "tests/corpus"
    if not flags.models and not default.is_dir():
        sys.exit("runtimes: give models: there is no tests/corpus")
    if not os.path.exists(flags.library):
        sys.exit("runtimes: no delegate in " + flags.library)
    models = models_of(flags.models or [default])
    wanted = [name for name in flags.runtimes.split(",") if name]
    columns = [(runtime.name, run_all(models, runtime, flags)) for runtime in RUNTIMES
               if not wanted or any(name in runtime.name for name in wanted)]
    if not columns:
        sys.exit("runtimes: --runtimes=%s names none of: %s"
                 % (flags.runtimes, ", ".join(runtime.name for runtime in RUNTIMES)))
    text = table(models, columns)
    pathlib.Path(flags.output).write_text(text, encoding="utf-8")
    print(text, end="")
    broken = any("error" in entry for _, found in columns if isinstance(found, dict)
                 for entry in found.values())
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
