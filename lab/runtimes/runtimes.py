"""Runs models in each TensorFlow Lite runtime of PyPI, on the CPU and with the delegate.

    ./dev runtimes [MODEL.tflite|FOLDER...] [--flags]

Each runtime has an environment in .deps/runtimes, in which `python -m gles_delegate` compares the
models. The table has a row for each model and a column for each runtime: nodes on the GPU of all
nodes, and the largest difference from the same runtime's CPU, relative to the largest output, or
the error. Without models it takes those of tests/corpus. A runtime that cannot be fetched has a
column that says so. The C libraries 2.9 and 2.21 are those of the tests.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/python"), str(ROOT / "lab")]

# pylint: disable=wrong-import-position
import compare_benches  # noqa: E402
import environments  # noqa: E402

# The packages of the environment, the newest NumPy that the runtime takes among them.
RUNTIMES = {
    "tflite-runtime 2.14.0": ["tflite-runtime==2.14.0", "numpy<2"],
    "LiteRT 1.0.1": ["ai-edge-litert==1.0.1", "numpy<2"],
    "LiteRT 1.4.0": ["ai-edge-litert==1.4.0", "numpy>=2"],
    "LiteRT 2.1.6": ["ai-edge-litert==2.1.6", "numpy>=2"],
    "LiteRT 2.3.0": ["ai-edge-litert==2.3.0", "numpy>=2"],
    "LiteRT nightly": ["--pre", "ai-edge-litert-nightly", "numpy>=2"],
}


def column(name, models, flags):
    """The report of each model, or a text that says why it says nothing."""
    folder = ROOT / ".deps" / "runtimes" / name.lower().replace(" ", "-")
    try:
        python = environments.python_with(str(folder), RUNTIMES[name])
    except SystemExit:  # it has said why
        return "not available"
    done = subprocess.run(
        [python, "-B", "-m", "gles_delegate", "--json", "--seconds=0", "--max_batch=1",
         f"--gles_options={flags.gles_options}", *models], capture_output=True, text=True,
        check=False, errors="replace", env={
            **os.environ, "GLES_DELEGATE_LIBRARY": flags.library,
            "PYTHONPATH": str(ROOT / "bindings/python/src")})
    return json.loads(done.stdout)["models"] if done.stdout else (
        f"ended with {done.returncode}: {done.stderr.strip()[-60:]}")


def is_broken(found):
    """Whether the delegate failed a model that the CPU runs."""
    return found["use"] is not None and (found["error"] is not None or not found["right"])


def cell_text(found):
    """As the table shows it.

    >>> cell_text({"error": None, "use": "gpu", "right": True, "max_error": 1.25e-7,
    ...            "nodes_delegated": 3, "nodes_total": 4})
    '3/4, 1.2e-07'
    >>> cell_text({"error": "no | interpreter", "use": None})
    'CPU: no / interpreter'
    >>> cell_text({"error": "signal 11", "use": "cpu"})
    '**signal 11**'
    """
    if found["error"] is None:
        text = f"{found['nodes_delegated']}/{found['nodes_total']}, {found['max_error']:.2g}"
        return f"**{text}**" if is_broken(found) else text
    error = found["error"].replace("|", "/").replace("\n", " ")[:160]
    return f"**{error}**" if is_broken(found) else f"CPU: {error}"


def table(models, columns):
    """Markdown. `columns`: those of column(), by the runtimes' names."""
    return compare_benches.markdown(["model", *columns], [
        [pathlib.Path(model).stem, *(found if isinstance(found, str) else cell_text(found[at])
                                     for found in columns.values())]
        for at, model in enumerate(models)]) + "\n"


def main():
    parser = argparse.ArgumentParser(prog="./dev runtimes", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=[ROOT / "tests/corpus"], type=pathlib.Path,
                        help="models, or folders of models")
    parser.add_argument("--runtimes", default="",
                        help="only runtimes whose name has one of these, separated by commas")
    parser.add_argument("--library", default=str(ROOT / "build/lib/libgles_delegate.so"),
                        help="the delegate (default: build/lib)")
    parser.add_argument("--gles_options", default="", help="options of the delegate")
    parser.add_argument("--output", default=ROOT / "build/runtimes.md", type=pathlib.Path,
                        help="the table's file (default: build/runtimes.md)")
    flags = parser.parse_args()
    os.environ["GLES_DELEGATE_FETCH_WHEELS"] = "1"
    models = [str(model) for path in flags.models
              for model in (sorted(path.glob("*.tflite")) if path.is_dir() else [path])]
    names = [name for name in RUNTIMES if any(part in name for part in flags.runtimes.split(","))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        columns = dict(zip(names, pool.map(lambda name: column(name, models, flags), names)))
    text = table(models, columns)
    flags.output.write_text(text, encoding="utf-8")
    print(text, end="")
    sys.exit(any(is_broken(model) for found in columns.values() if not isinstance(found, str)
                 for model in found))


if __name__ == "__main__":
    main()
