"""mypy and pyright, both strict, on the package gles_delegate, and what they say of callers.

    tests/python/types_test.py FOLDER

Run by CTest as `python.types`. Skips as environments.py says.
"""

import json
import os
import pathlib
import subprocess
import sys

import environments

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "bindings/python/src"
# Pinned: a new release may find more. The rest: whose types the package uses.
PACKAGES = ["mypy==2.4.1", "pyright==1.1.414", "numpy", "pillow", "pycocotools", "tqdm",
            "types-pycocotools", "types-tqdm"]
GOOD = """
import gles_delegate
with gles_delegate.interpreter(bytearray(), device="mali", verbosity=2, storage="buffer",
                               exclude_nodes=[3, range(4, 6)]) as interpreter:
    interpreter.invoke()
    nodes: int = gles_delegate.report(interpreter).nodes_delegated
with open("model.tflite", "rb") as file:
    speedup: float = gles_delegate.benchmark(file, self_check=False).speedup
found = gles_delegate.compatibility()
if found.supported:
    gles_delegate.load_delegate(**found.best_options)
"""
# Each is one error.
BAD = ('gles_delegate.load_delegate(storage="tape")', "gles_delegate.load_delegate(verbosity='2')",
       "gles_delegate.load_delegate(is_precision_lost=True)", "gles_delegate.interpreter(3)",
       "gles_delegate.report().nodes")


def run(*command, **how):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, env={**os.environ, "MYPYPATH": str(SOURCE)}, **how)


def mypy_errors(python, folder, paths):
    """Its lines with an error."""
    done = run(python, "-m", "mypy", "--strict", "--cache-dir", folder / "mypy", *paths)
    if done.returncode not in (0, 1):
        sys.exit("FAILED: mypy: " + done.stdout + done.stderr)
    return [line for line in done.stdout.splitlines() if ": error: " in line]


def pyright_errors(python, folder):
    """Lines as mypy's, or None if it does not start: it needs Node.js."""
    (folder / "pyrightconfig.json").write_text(json.dumps({
        "include": ["package", "callers"], "extraPaths": [str(SOURCE)],
        "typeCheckingMode": "strict"}))
    if not (folder / "package").is_symlink():  # which pyright wants below its configuration
        (folder / "package").symlink_to(SOURCE)
    done = run(python.parent / "pyright", "--outputjson", "--pythonpath", python, "-p", folder)
    try:
        found = json.loads(done.stdout)["generalDiagnostics"]
    except (KeyError, ValueError):
        print(f"NO pyright: {(done.stderr or done.stdout)[-300:]}")
        return None
    return [f"{entry['file']}:{entry['range']['start']['line'] + 1}: {entry['message']}"
            for entry in found if entry["severity"] == "error"]


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    python = pathlib.Path(environments.python_with(str(folder / "tools"), PACKAGES))
    callers = folder / "callers"
    callers.mkdir(exist_ok=True)
    (callers / "good.py").write_text(GOOD)
    for number, line in enumerate(BAD):
        (callers / f"bad{number}.py").write_text(f"import gles_delegate\n\n{line}\n")
    found = {"mypy": mypy_errors(python, folder, [SOURCE / "gles_delegate", *callers.glob("*.py")]),
             "pyright": pyright_errors(python, folder)}
    wrong = []
    for checker, errors in found.items():
        if errors is None:
            continue
        wrong += [f"{checker}: {text}" for text in errors if "/callers/bad" not in text]
        wrong += [f"{checker} takes {line}" for number, line in enumerate(BAD)
                  if not any(f"bad{number}.py:3:" in text for text in errors)]
    for text in wrong:
        print("FAILED: " + text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
