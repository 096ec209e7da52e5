#!/usr/bin/env python3
"""Models as today's converters write them, on the CPU and on the GPU (`./dev zoo`).

    zoo.py                    converts, runs, and writes docs/models.md
    zoo.py unet bert          these architectures alone
    zoo.py --step run         what is converted already, run again
    zoo.py --step page        docs/models.md from what is known
    zoo.py --corpus           tests/corpus: the small models that the tests run
    zoo.py --list             the architectures and their modes

Each converter has its own environment in .deps/zoo, made from PyPI on first use.
Models and results are kept in build/zoo; a model that is there is not converted again
(--again). Each model is run in its own process, with a time limit. Exit
status: 1 if a model that the CPU runs was refused, wrong, or ended the process.
"""

import argparse
import functools
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(ROOT / "tests" / "python"))

# pylint: disable=wrong-import-position
import environments  # noqa: E402
import page  # noqa: E402
import registry  # noqa: E402

ENVIRONMENTS = ROOT / ".deps" / "zoo"
OUT = ROOT / "build" / "zoo"
CORPUS = ROOT / "tests" / "corpus"
LIBRARY = ROOT / "build" / "lib" / "libgles_delegate.so"
LITERT = "ai-edge-litert==2.3.0"
# The environment of each converter. Keras's runs the models, too.
PACKAGES = {
    "keras": ["tensorflow-cpu==2.21.0", "keras==3.15.1", "ai-edge-quantizer==0.10.0", LITERT,
              "kagglehub", "regex", "sentencepiece", "tokenizers"],  # keras-hub's
    "torch": ["litert-torch==0.10.0", "torchvision", LITERT],
    "onnx": ["onnx2tf==1.29.24"],
}
# What needs tensorflow-text, and with it the whole of TensorFlow, to no purpose here.
ALONE = {"keras": ["keras-hub==0.32.0"]}
# Architectures that a process converts, which spares the start of TensorFlow.
TOGETHER = 16
STEPS = ("convert", "run", "page")


def say(text):
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


@functools.cache
def python_of(converter):
    """The Python of a converter's environment, which is made if it is not there."""
    python = environments.python_with(str(ENVIRONMENTS / converter), PACKAGES[converter])
    if converter in ALONE:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", *ALONE[converter]],
                       check=True)
    return python


def run(command, limit, **environment):
    """Runs a program quietly; returns "" or how it ended badly."""
    try:
        done = subprocess.run([str(part) for part in command], timeout=limit, check=False,
                              env={**os.environ, **environment}, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return f"not done after {limit} s"
    if done.returncode == 0:
        return ""
    last = done.stderr.strip().splitlines()[-1:] or [""]
    return f"ended with {done.returncode}: {last[0][-300:]}"


def program(converter, flags):
    """The command that converts; without further words it prints its table."""
    kind = ["--corpus"] if flags.corpus else []
    return [python_of(converter), "-B", HERE / "convert.py", *kind, converter]


def table_of(converter, flags):
    """The architectures of a converter: name to task and modes."""
    done = subprocess.run(program(converter, flags), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{converter}: {done.stderr[-2000:]}")
    return {name: {**entry, "converter": converter}
            for name, entry in json.loads(done.stdout.splitlines()[-1]).items()}


def convert(table, folder, flags):
    """Converts what is missing: several architectures a process, then those left one by one."""
    if flags.again:
        for path in (p for name in table for p in folder.glob(f"{name}.*")):
            path.unlink()
    for together in (TOGETHER, 1):
        for converter in PACKAGES:
            names = [name for name, entry in table.items()
                     if entry["converter"] == converter and registry.missing(
                         name, entry["modes"], folder)]
            for at in range(0, len(names), together):
                part, start = names[at:at + together], time.monotonic()
                why = run([*program(converter, flags), folder, *part], flags.timeout * len(part),
                          TF_CPP_MIN_LOG_LEVEL="2", CUDA_VISIBLE_DEVICES="")
                say(f"{' '.join(part)}: converted in {time.monotonic() - start:.0f} s {why}")
                if together == 1 and why:
                    modes = table[part[0]]["modes"]
                    for stem in registry.missing(part[0], modes, folder).values():
                        stem.with_name(stem.name + ".error").write_text(why)


def run_models(table, flags):
    """Runs the models of architectures; writes RESULTS/NAME.MODE.json."""
    for name, mode in ((name, mode) for name in table for mode in table[name]["modes"]):
        stem = f"{name}.{mode}"
        model, path = OUT / "models" / f"{stem}.tflite", OUT / "results" / f"{stem}.json"
        error = model.with_suffix(".error")
        result = {"phase": "convert", "why": error.read_text() if error.exists() else ""}
        if model.exists():
            path.unlink(missing_ok=True)
            why = run([python_of("keras"), "-B", HERE / "run_model.py", model, path],
                      flags.timeout, GLES_DELEGATE_LIBRARY=str(LIBRARY))
            result = json.loads(path.read_text()) if path.exists() else {"phase": "start"}
            if why:
                result["why"] = why
        result.update(task=table[name]["task"], architecture=name, mode=mode,
                      converter=table[name]["converter"])
        path.write_text(json.dumps(result, indent=1))
        say(f"{stem}: {page.verdict(result)}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="architectures (default: all)")
    parser.add_argument("--step", action="append", choices=STEPS, help="this step alone")
    parser.add_argument("--converter", action="append", choices=list(PACKAGES),
                        help="the architectures of this converter alone")
    parser.add_argument("--corpus", action="store_true", help="write tests/corpus")
    parser.add_argument("--again", action="store_true", help="convert what is there, too")
    parser.add_argument("--list", action="store_true", help="print the architectures")
    parser.add_argument("--timeout", type=float, default=300, help="seconds a model")
    return parser.parse_args()


def main():
    flags = parse()
    os.environ["GLES_DELEGATE_FETCH_WHEELS"] = "1"
    environments.LIMIT_S = 3600
    table = {}
    for converter in flags.converter or PACKAGES:
        if flags.step != ["page"]:
            table.update(table_of(converter, flags))
    unknown = set(flags.names) - set(table)
    if unknown:
        sys.exit(f"no architecture {', '.join(sorted(unknown))}; zoo.py --list shows them")
    table = {name: entry for name, entry in table.items()
             if not flags.names or name in flags.names}
    if flags.list:
        for name, entry in table.items():
            print(f"{name:28} {entry['task']:18} {entry['converter']:8} "
                  f"{' '.join(entry['modes'])}")
        return 0
    folder = CORPUS if flags.corpus else OUT / "models"
    for path in (folder, OUT / "results"):
        path.mkdir(parents=True, exist_ok=True)
    steps = ["convert"] if flags.corpus else flags.step or STEPS
    if "convert" in steps:
        convert(table, folder, flags)
    if "run" in steps:
        run_models(table, flags)
    if "page" not in steps:
        return 0
    results = [json.loads(path.read_text()) for path in sorted((OUT / "results").glob("*.json"))]
    (ROOT / "docs" / "models.md").write_text(page.text(results))
    return int(any(map(page.is_failure, results)))


if __name__ == "__main__":
    sys.exit(main())
