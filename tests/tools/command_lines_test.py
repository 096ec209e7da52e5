"""The command lines of all programs and scripts: -h, --help, --version, misspelt flags, paths
and counts that are wrong, manual pages.

    tests/tools/command_lines_test.py BIN_FOLDER

Run by CTest as `command_lines`. Needs no device and no package of PyPI: the examples parse their
arguments before they import one, and are run without any. NEED_PACKAGES excuses other scripts.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Each program with a misspelt flag and the flag that is meant.
PROGRAMS = {
    "benchmark_model": ("--grph=x.tflite", "graph"),
    "inference_diff": ("--max_eror=1", "max_error"),
    "quantized_accuracy": ("--imges=x", "images"),
    "model_report": ("--htm=x", "html"),
    "gles_demo": ("--ouput_dir=x", "output_dir"),
    "gles_conformance": ("--smal", "small"),
    "gles_tune": ("--output_fil=x", "output_file"),
    "gles_doctor": ("--second=1", "seconds"),
}
# Programs that run a backend which flags choose; the others do not know these flags.
CHOOSE_BACKENDS = ("benchmark_model", "inference_diff", "quantized_accuracy")
CHOICE = ("use_gles", "use_xnnpack", "use_cpu", "external_delegate_path", "external_delegate_options")
# Arguments with a path to read, {}; {m} is a model whose input IN names.
PATHS = {
    "benchmark_model": ("--graph={}", "--graph={m} --use_cpu --input_layer_value_files=IN:{}",
                        "--graph={m} --external_delegate_path={}"),
    "inference_diff": ("--graph={}", "--graph={m} --use_cpu --input_layer_value_files=IN:{}"),
    "quantized_accuracy": ("--graphs={} --images={p}", "--graph={m} --images={}"),
    "model_report": ("--graph={}",),
    "gles_demo": ("--graph={}", "--image={}", "--labels={}"),
    "gles_doctor": ("--graph={}", "{}", "--tflite_library={}"),
    "gles_tune": ("--graph={}",),
}
# Flags of files to write, known to be impossible before any work is done.
WRITTEN = {
    "benchmark_model": ("report_json", "trace_file"), "inference_diff": ("report_json",),
    "quantized_accuracy": ("report_json",), "model_report": ("report_json", "html"),
    "gles_demo": ("report_json", "write_model"), "gles_conformance": ("html", "junit"),
    "gles_doctor": ("report_json", "report_csv"), "gles_tune": ("report_json", "graph={m} --output_file"),
}
# Arguments that are refused, with a part of the words.
REFUSED = {
    "benchmark_model": (
        ("--num_runs=-2", "--num_runs must be 1 or more, not -2"),
        ("--num_threads=0", "--num_threads must be 1 or more"), ("--min_secs=nan", "must be 0 or more"),
        ("--max_secs=-1", "must be 0 or more"), ("--warmup_runs=-1", "must be 0 or more"),
        ("--graph={m} --gles_options=startup:direct", "--gles_options is for the GLES delegate"),
        ("--graph={m} --use_cpu --trace_file=x", "--trace_file is for the GLES delegate"),
        ("--graph={m} --use_cpu --print_gles_report", "--print_gles_report is for the GLES"),
        ("--graph={m} --external_delegate_options=a:b", "needs --external_delegate_path")),
    "inference_diff": (("--num_runs=0", "--num_runs must be 1 or more, not 0"),
                       ("--graph={m} --use_cpu --gles_options=a:b", "add --use_gles")),
    "quantized_accuracy": (
        ("--num_inputs=0", "--num_inputs must be 1 or more"),
        ("--graph={m} --images={p} --use_cpu --quantized_compute=float", "add --use_gles")),
    "model_report": (("--num_runs=-1", "--num_runs must be 1 or more"),),
    "gles_demo": (("--num_runs=0", "--num_runs must be 1 or more"), ("--input_std=0", "must not be 0"),
                  ("--graph={m} --write_model=x", "leave --graph out")),
    "gles_doctor": (("--seconds=-1", "--seconds must be 0 or more"),
                    ("--max_batch=0", "--max_batch must be 1 or more"),
                    ("--require=gpu", "--require has one value"), ("--use_cpu", "unknown flag 'use_cpu'")),
    "gles_conformance": (("--sample=0", "--sample must be 1 or more"),),
    "gles_tune": (("--num_threads=2", "unknown flag 'num_threads'"),),
}
# Folders of scripts. Some run in separate environments, and import these before anything else.
SCRIPTS = ("bindings", "examples", "lab", "packaging", "serving", "tests/drivers", "tests/lint",
           "tools")
NEED_PACKAGES = {"grpc", "numpy", "psutil", "ray"}
# Parts of programs, run by others.
NOT_PROGRAMS = ("serving/src/", "tests/lint/lint_main.py")
PACKAGE = "bindings/python/src/"


def run(command, **how):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60,
                          stdin=subprocess.DEVNULL, **how)


def option_keys():
    header = (ROOT / "delegate/include/gles_delegate/gles_delegate.h").read_text(encoding="utf-8")
    struct = re.search(r"typedef struct TfLiteGlesDelegateOptions \{(.*?)\n\}", header, re.DOTALL)
    return {key for key in re.findall(r"^  [\w* ]+[ *](\w+);", struct.group(1), re.MULTILINE)
            if key != "struct_size" and not key.startswith("reserved")}


def wide(text):
    return [line for line in text.splitlines() if len(line) > 80]


def check_program(path, misspelt, meant):
    """Yields what is wrong."""
    helps = [run([path, flag]) for flag in ("-h", "--help", "-help")]
    for done in helps:
        if done.returncode != 0 or done.stderr or done.stdout != helps[0].stdout:
            yield f"help: exit status {done.returncode}: {done.stderr}"
    text = helps[0].stdout
    if path.name not in text or "\nFlags:\n" not in text or f"  --{meant}" not in text:
        yield f"its help does not name the program, or not --{meant}"
    if wide(text) or str(ROOT) in text:
        yield f"its help is wider than 80 columns or has the builder's path: {wide(text)[:1]}"
    unbroken = run([path, "--help", "--wide"]).stdout
    if unbroken.split() != text.split() or (
            "\n  --gles_options=" in text and not wide(unbroken)):
        yield "--help --wide breaks lines, or has another text"
    if "\n  --gles_options=" in text:
        help_of = text.split("\n  --gles_options=")[1].split("\n  --")[0]
        for key in sorted(option_keys() - set(re.findall(r"\w+", help_of))):
            yield f"its help lacks the option {key}"
    page = path.parents[1] / "man" / f"{path.name}.1"
    if page.exists():
        words = page.read_text(encoding="utf-8").replace("\\-", "-").split()
        usage, flags = text.split("\nFlags:\n")
        missing = (set(usage.split()) | set(re.findall(r"(?<= )-\S+", "\n".join(
            line for line in flags.splitlines() if line.startswith("  -"))))) - set(words)
        if missing or words[words.index("NAME") + 1] != path.name:
            yield f"its manual page lacks {sorted(missing)}, or its name"
    version = run([path, "--version"])
    if version.returncode != 0 or not re.fullmatch(
            re.escape(path.name) + r" \(gles_delegate\) \d+\.\d+\.\d+, revision \S+\n",
            version.stdout):
        yield f"--version: exit status {version.returncode}: {version.stdout}{version.stderr}"
    wrong = run([path, misspelt])
    name = misspelt.lstrip("-").split("=")[0]
    expected = (f"{path.name}: unknown flag '{name}' (did you mean '{meant}'?); "
                "--help lists all\n")
    if wrong.returncode != 1 or wrong.stderr != expected or wrong.stdout:
        yield f"{misspelt}: exit status {wrong.returncode}: {wrong.stdout}{wrong.stderr}"
    for flag in ("help", "h", "version"):
        wrong = run([path, f"--{flag}=man"])
        if (wrong.returncode, wrong.stdout, wrong.stderr) != (
                1, "", f"{path.name}: the flag '{flag}' takes no value\n"):
            yield f"--{flag}=man: exit status {wrong.returncode}: {wrong.stdout}{wrong.stderr}"
    if run([path, "--zzzzzzzzzzzz"]).stderr.count("did you mean"):
        yield "a flag that is like none has a suggestion"


def check_arguments(path, folder):
    """Yields what is wrong with a program's words about paths and flags that cannot be."""
    names = {"m": ROOT / "tests/corpus/flatten.float32.tflite", "p": ROOT / "docs/images/demo.png"}
    bad = {"a folder": folder, "an empty file": folder / "empty", "no file": folder / "missing",
           "a file in a file": folder / "empty/x", "no permission": folder / "secret"}
    if os.geteuid() == 0:
        del bad["no permission"]  # root has it
    trials = [(f"{arguments} with {kind}", arguments.format(file, **names), file.name)
              for arguments in PATHS.get(path.name, ()) for kind, file in bad.items()]
    trials += [(arguments, arguments.format(**names), words)
               for arguments, words in REFUSED.get(path.name, ())]
    trials += [(f"--{flag} with {kind}", f"--{flag}={file}".format(**names), f"cannot write {file}: {why}")
               for flag in WRITTEN.get(path.name, ())
               for kind, file, why in (("a folder", folder, "Is a directory"),
                                       ("no folder", folder / "no/x", "No such file or directory"))]
    if path.name not in CHOOSE_BACKENDS:
        trials += [(flag, f"--{flag}=1", f"unknown flag '{flag}'") for flag in CHOICE]
    for what, arguments, words in trials:
        done = run([path, *arguments.replace("IN:", "serving_default_keras_tensor:0:").split()], cwd=folder)
        said = [line for line in done.stderr.splitlines()
                if not line.startswith(("TensorFlow Lite ", "INFO: "))]
        if done.returncode != 1 or words not in done.stderr or not 1 <= len(said) <= 2:
            yield f"{what}: exit status {done.returncode}: {done.stderr[-300:]}"


def scripts():
    """Each command that prints its help, by its name."""
    patterns = [f"{folder}/*.{kind}" for kind in ("py", "sh") for folder in SCRIPTS]
    for line in run(["git", "-C", str(ROOT), "ls-files", *patterns]).stdout.split():
        if line.startswith(NOT_PROGRAMS):
            continue
        text = (ROOT / line).read_text(encoding="utf-8")
        if line.endswith(".sh"):
            yield line, ["bash", str(ROOT / line)]
        elif "__main__" in text and line.startswith(PACKAGE):
            if line.endswith("__main__.py"):
                module = line[len(PACKAGE):-len("/__main__.py")].replace("/", ".")
                yield line, [sys.executable, "-B", "-m", module]
        elif line.startswith("examples/"):  # -S: without installed packages
            yield line, [sys.executable, "-S", "-B", str(ROOT / line)]
        elif "__main__" in text:
            yield line, [sys.executable, "-B", str(ROOT / line)]
    yield "dev", ["bash", str(ROOT / "dev")]


def check_script(name, command, environment):
    """The error, "" if there is none; None if a package is missing."""
    for flag in ("-h", "--help"):
        done = run([*command, flag], env=environment)
        missing = re.search(r"^ModuleNotFoundError: No module named '(\w+)", done.stderr,
                            re.MULTILINE)
        if missing and missing.group(1) in NEED_PACKAGES and not name.startswith("examples/"):
            return None
        if done.returncode != 0 or len(done.stdout) < 40 or done.stderr:
            return f"{flag}: exit status {done.returncode}: {done.stderr[-300:]}"
    return ""


def check_dev(dev):
    """Yields what is wrong with ./dev's commands."""
    usage = run([*dev, "help"]).stdout
    if wide(usage):
        yield f"its help is wider than 80 columns: {wide(usage)}"
    for command in sorted(set(re.findall(r"^  (\w+)", usage, re.MULTILINE))):
        done = run([*dev, command, "--help"])
        if done.returncode != 0 or done.stderr or command not in done.stdout:
            yield f"{command} --help: exit status {done.returncode}: {done.stderr[-300:]}"
    for wrong, hint in (("buidl", ' (did you mean "build"?)'), ("qqqqqq", "")):
        done = run([*dev, wrong])
        if done.returncode != 1 or done.stdout or done.stderr != (
                f'./dev: no command "{wrong}"{hint}; ./dev --help lists all\n'):
            yield f"{wrong}: exit status {done.returncode}: {done.stdout}{done.stderr}"


def check_uninstall(dev):
    """Yields what is wrong with ./dev uninstall."""
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder)
        installed = "share/doc/gles_delegate/installed"
        ours = ("bin/a b", "lib/gles_delegate/drop_in/c.so", "lib/cmake/d")
        for path in (*ours, installed, "bin/e", "lib/cmake/f/g"):
            (prefix / path).parent.mkdir(parents=True, exist_ok=True)
            (prefix / path).touch()
        (prefix / installed).write_text("".join(path + "\n" for path in ours), encoding="utf-8")
        done = run([*dev, "uninstall", str(prefix)])
        left = sorted(str(path.relative_to(prefix)) for path in prefix.glob("**/*"))
        if done.returncode != 0 or left != ["bin", "bin/e", "lib", "lib/cmake", "lib/cmake/f",
                                            "lib/cmake/f/g", "share"]:
            yield f"uninstall leaves {left}: {done.stderr}"
        again = run([*dev, "uninstall", str(prefix)])
        if again.returncode != 1 or "has put nothing into" not in again.stderr:
            yield f"a second uninstall: {again.stderr}"


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    failed = 0
    for name, (misspelt, meant) in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            for file in ("empty", "secret"):
                (scratch / file).touch(0 if file == "secret" else 0o644)
            wrong = [*check_program(folder / name, misspelt, meant),
                     *check_arguments(folder / name, scratch)]
        for text in wrong:
            failed += 1
            print(f"FAILED: {name}: {text}")
    dev = ["bash", str(ROOT / "dev")]
    for text in (*check_dev(dev), *check_uninstall(dev)):
        failed += 1
        print(f"FAILED: dev: {text}")
    environment = dict(os.environ, PYTHONPATH=str(ROOT / PACKAGE), COLUMNS="80")
    untried, tried = [], 0
    for name, command in scripts():
        text = check_script(name, command, environment)
        if text is None:
            untried.append(name)
        tried += text == ""
        if text:
            failed += 1
            print(f"FAILED: {name}: {text}")
    modules = [[sys.executable, "-B", "-m", name]
               for name in ("gles_delegate", "gles_delegate.evaluation")]
    for command in (["bash", str(ROOT / "dev")], *modules):
        done = run([*command, "--version"], env=environment)
        if done.returncode != 0 or not done.stdout.startswith("gles_delegate "):
            failed += 1
            print(f"FAILED: {command} --version: {done.stdout}{done.stderr}")
    print(f"{len(PROGRAMS)} programs, {tried} scripts; PACKAGES ARE MISSING FOR: "
          + ", ".join(untried))
    sys.exit(1 if failed or tried < 15 else 0)


if __name__ == "__main__":
    main()
