"""The command lines of all programs and scripts: -h, --help, --version, misspelt flags,
manual pages.

    tests/tools/command_lines_test.py BIN_FOLDER

Run by CTest as `command_lines`. Needs no device and no package of PyPI: the examples parse their
arguments before they import one, and are run without any. NEED_PACKAGES excuses other scripts.
"""

import os
import pathlib
import re
import subprocess
import sys

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
    "model_shapes": ("--output_dri=x", "output_dir"),
    "soak": ("--invoke=3", "invokes"),
}
# Scripts of tools/ run in separate environments, and import these before anything else.
NEED_PACKAGES = {"grpc", "numpy", "psutil", "ray"}
# Parts of programs, run by others.
NOT_PROGRAMS = ("tools/serving/src/", "tools/dev_progress.sh", "tools/lint_main.py")
PACKAGE = "tools/python/src/"


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
    page = path.parents[1] / "debian" / f"{path.name}.1"
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
    if run([path, "--qqqqqqqqqqqq"]).stderr.count("did you mean"):
        yield "a flag that is like none has a suggestion"


def scripts():
    """Each command that prints its help, by its name."""
    for line in run(["git", "-C", str(ROOT), "ls-files", "tools/*.py", "tools/*.sh",
                     "examples/*.py"]).stdout.split():
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


def main():
    folder = pathlib.Path(sys.argv[1])
    failed = 0
    for name, (misspelt, meant) in PROGRAMS.items():
        for text in check_program(folder / name, misspelt, meant):
            failed += 1
            print(f"FAILED: {name}: {text}")
    for text in check_dev(["bash", str(ROOT / "dev")]):
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
