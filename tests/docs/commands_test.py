"""The commands of the documentation: what they name exists, and those that take seconds run.

    tests/docs/commands_test.py BIN_FOLDER LIBRARY TFLITE_C_ROOT TFLITE_LIBRARY FOLDER

Reads the blocks of shell commands in README.md, docs/ and the other pages, and commands in backquotes.
Of each command of the project: the program, script, module, command of ./dev, CMake variable or CTest
label exists, and so do its flags. Bash then runs the lines whose commands NOT_RUN does not name, on a
small model, in FOLDER, which looks like a clone that was built; a program must also write its report for
other programs (--report_json). Prints why the others are not run, among them those that CI runs by
itself (.github/workflows). Run by CTest as `docs.commands`.
"""

import collections
import doctest
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "python")]
import self_check  # noqa: E402  pylint: disable=wrong-import-position
import workflows_test  # noqa: E402  pylint: disable=wrong-import-position

PAGES = ("*.md", "docs/*.md", "examples/*.md", "bindings/*/README.md",
         "serving/README.md")
# They take a model, and a page may leave it out.
ON_A_MODEL = ("benchmark_model", "inference_diff", "model_report")
PROGRAMS = (*ON_A_MODEL, "gles_conformance", "gles_demo", "gles_doctor", "gles_tune", "quantized_accuracy")
SHELL = ("cp", "dot", "ls", "mkdir", "tee")
IN_CI = "run by CI itself"
# Commands that are not run here, and why. Other tests run those of the reasons that name a test.
NOT_RUN = (
    (r"cmake (-S bindings/java|--build build-java)", "run by the test `java`"),
    (r"\./dev \w", "builds, fetches or takes minutes (README's: tests/docs/bare_root_test.py, in CI)"),
    (r".*-DLITERT_ROOT|.*--target compiled_model", "run by the test `litert.*`"),
    (r"python -m gles_delegate|python examples/", "run by the test `python.litert`, which fetches LiteRT"),
    (r"python -m ai_edge_litert", "fetches LiteRT"),
    (r"faces_app|.*quantized_accuracy", "run by the test `textures` or `tools` if there are models"),
    (r"cmake (--build build(?!-examples)|-S bindings/tflite_tools|-S \.)|ctest", "builds, or runs tests"),
    (r"delegate_dynamic_test", "run by the test `delegate_growth`, for a shorter time"),
    (r"serving/measure/|wrk ", "needs a server under load"),
    (r"lab/drivers/|git diff --no-index", "needs drivers of `./dev drivers`"),
    (r"tests/install/", "needs the files of `./dev release`"),
)
# Patterns of the files and devices that pages name, with those that are here.
REPLACED = (
    (r"( --graph=.*) \.\.\.$", r"\1 --use_gles"), (r" \.\.\.( |$)", " "), (r"--gles_options=\.\.\. ?", ""),
    (r"(--external_delegate_path=)\.\.\.", r"\1/libgles_delegate.so"), (r"\[(--[^\]]*)\]", r"\1"),
    (r"(?<![\w./$])(?!models/)[\w./$]+\.tflite\b(?!\.)|(?<==)MODEL\b", "model.tflite"), (r"--filter$", "--list"),
    (r"cc app\.c(?= .*drop_in)", "cc drop_in_app.c"), (r"/usr/local|\bPREFIX\b", "$PWD/usr/local"),
    (r"build/bench/\*\.json", "BEFORE.json"), (r"device([:=])nvidia", r"device\1llvmpipe"),
    (r"ls plans", "ls plans/partition_0_02_plan.dot"), (r"_03_plan", "_02_plan"),
    (r"bin/(op|device)_bench$", r"bin/\1_bench --benchmark_filter='/n12/x=.*,1,1,|602112'"),
    (r"_bench(?= --benchmark)", "_bench --benchmark_min_time=0.001"),
    (r"--filter=int16_", r"\g<0> --sample=50"),
)
# A file as the benches write it.
BENCHES = json.dumps({"context": {"renderer": "a GPU", "num_cpus": 2}, "benchmarks": [
    {"name": "op/CONV_2D/mobilenet_v1_1.0/n0", "real_time": 3.0, "time_unit": "ms"}]})
LEAST_CHECKED, LEAST_RUN = 100, 50  # fewer: the pages are not understood


def blocks(text):
    r"""The lines of commands in blocks without a language, continued lines joined.

    >>> blocks("a\n```\nx \\\n  y   # why\n```\n```c++\nz\n```\n- b\n  ```sh\n  w\n  ```\n")
    ['x y', 'w']
    """
    found = []
    for language, body in re.findall(r"^ *```(\S*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL):
        if language in ("", "sh"):
            found += [" ".join(re.sub(r"(^|\s)#\s.*$", "", line).split())
                      for line in body.replace("\\\n", " ").splitlines()]
    return [line for line in found if line]


def quoted(text):
    """Commands of the programs in backquotes.

    >>> quoted("Use `gles_doctor\\n--json`, not `gles_doctor` or `x --y`.")
    ['gles_doctor --json']
    """
    return [" ".join(command.split())
            for command in re.findall(r"`((?:%s)\s--[^`]*)`" % "|".join(PROGRAMS), text)]


def simple_commands(line):
    """The words of each command of a line, its variables and redirections dropped.

    >>> simple_commands("A=1 ./dev x && tools/y.py --z='a b' > out | tee t")
    [['./dev', 'x'], ['tools/y.py', '--z=a b'], ['tee', 't']]
    """
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    commands, target = [[]], False
    for word in lexer:
        if re.fullmatch(r"[|&;]+", word):
            commands.append([])
        elif re.fullmatch(r"[<>]+", word):
            target = True
        elif target:
            target = False
        elif commands[-1] or not re.match(r"\w+=", word):
            commands[-1].append(word)
    return [command for command in commands if command]


def as_run(line):
    """A page's line with the files and devices of this machine.

    >>> as_run('A=1 build/bin/inference_diff --per_layer ...')
    'A=1 build/bin/inference_diff --graph=model.tflite --per_layer '
    >>> as_run('gles_conformance --shard=0/4')
    'gles_conformance --filter=CEIL --shard=0/4'
    """
    for pattern, replacement in REPLACED:
        line = re.sub(pattern, replacement, line)
    if not re.search("--graphs?=|--list_devices", line):
        line = re.sub(r"\b(%s)(?= --)" % "|".join(ON_A_MODEL), r"\1 --graph=model.tflite", line)
    if not re.search("--filter|--list|--case='", line):
        line = re.sub(r"\b(gles_conformance)(?= --)", r"\1 --filter=CEIL", line)
    return line


class Checker:
    """Checks and runs commands. `not_run`: those that it only checks, by reason."""

    def __init__(self, bin_folder, library, tflite_root, tflite_library, folder):
        self.bin, self.folder = pathlib.Path(bin_folder).resolve(), pathlib.Path(folder).resolve()
        self.libraries = ((r"/[\w./-]*libgles_delegate\.so[.\d]*", library),
                          (r"/[\w./-]*libtensorflowlite_c\.so", tflite_library))
        self.path = f"{self.bin}:{self.bin}/tests:{os.environ['PATH']}"
        self.make_clone(tflite_root)
        self.helps, self.checked, self.ran, self.not_run = {}, 0, 0, collections.defaultdict(list)
        self.usage = self.output(["bash", str(ROOT / "dev"), "help"])
        self.in_ci = [words for path in workflows_test.WORKFLOWS
                      for line in workflows_test.lines(path.read_text(encoding="utf-8"))
                      for words in simple_commands(line)]
        sources = [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("**/*.cmake")]
        for name in ("bindings", "cmake", "delegate", "examples", "lab", "tests", "third_party",
                     "tools"):
            sources += (ROOT / name).glob("**/CMakeLists.txt")
        self.cmake = "".join(path.read_text(encoding="utf-8") for path in sources)

    def make_clone(self, tflite_root):
        """The folder in which commands run, with the files that they name."""
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / ".deps").mkdir(parents=True)
        links = {name: ROOT / name for name in ("bindings", "cmake", "delegate", "dev", "examples",
                                                "lab", "serving", "tools")}
        for name, target in {**links, "build": self.bin.parent, ".deps/tflite": tflite_root}.items():
            (self.folder / name).symlink_to(target)
        self_check.write_model(str(self.folder / "model.tflite"))
        (self.folder / "docs").mkdir()
        shutil.copy(ROOT / "docs/benchmarks.md", self.folder / "docs")
        page = (ROOT / "docs/integration.md").read_text(encoding="utf-8")
        program = re.search(r"^```c\n((?:(?!```).)*int main.*?)^```$", page, re.MULTILINE | re.DOTALL)
        for name, text in {
                "run.c": program.group(1),
                "app.c": "#include <gles_delegate/gles_delegate.h>\n"
                         "int main(void) { return TfLiteGlesDelegateCreate(0) == 0; }\n",
                "drop_in_app.c": "#include <tensorflow/lite/delegates/gpu/delegate.h>\n"
                                 "int main(void) { return TfLiteGpuDelegateV2Create(0) == 0; }\n",
                "BEFORE.json": BENCHES, "AFTER.json": BENCHES}.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        for component in ("library", "development"):
            subprocess.run(["cmake", "--install", "build", "--component", component, "--prefix",
                            self.folder / "usr/local"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    @staticmethod
    def output(command):
        return subprocess.run(command, capture_output=True, text=True, check=False, env=dict(
            os.environ, PYTHONPATH=str(ROOT / "bindings/python/src"), COLUMNS="200")).stdout

    def unknown_flags(self, words, command):
        """Those of the words that are flags which the command's help does not have."""
        if command not in self.helps:
            self.helps[command] = self.output([*command, "--help"])
        flags = [word.split("=")[0] for word in words if word.startswith("--")]
        return [flag for flag in flags if not re.search(re.escape(flag) + r"\b", self.helps[command])
                and flag not in ("--help", "--wide")]

    def run(self, line, program):
        """The error of a line, "" if there is none. program: its program of the project, or ""."""
        line = as_run(line)
        for pattern, replacement in self.libraries:
            line = re.sub(pattern, replacement, line)
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        writes_report = "--report_json" in self.helps.get((str(self.bin / program),), "") and \
            "--list_devices" not in line and "--report_json" not in line
        if writes_report:
            line = re.sub(rf"\b{program} ", rf"{program} --report_json={report} ", line, count=1)
        try:
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False,
                cwd=self.folder, timeout=300, env=dict(
                    os.environ, PATH=self.path, OUT=str(self.folder), RUNS="1",
                    CPATH=".deps/tflite/include", PKG_CONFIG_PATH="usr/local/lib/pkgconfig"))
        except subprocess.TimeoutExpired:
            return f"more than five minutes: {line}"
        # Here is only a software renderer.
        if done.returncode == 2 and "--require=hardware" in line:
            return ""
        if done.returncode:
            return f"status {done.returncode}: {line}: {done.stderr[-300:]}"
        if "[  PASSED  ] 0 tests" in done.stdout or "Failed to match any benchmarks" in done.stderr:
            return "it runs no test or bench"
        if writes_report and not (report.exists() and json.loads(report.read_text(encoding="utf-8"))):
            return "it wrote no report"
        return ""

    def wrong(self, words):
        """The error in a command: "" if there is none, None if the command is not the project's."""
        name, words = words[0], [word for word in words if word != "..."]
        if name == "./dev":
            missing = len(words) > 1 and not re.search(rf"^  {words[1]}\b", self.usage, re.MULTILINE)
            return f"./dev has no {words[1]}" if missing else ""
        program = re.fullmatch(r"(?:build/bin/|\.carry/bin/)?(\w+)", name)
        if program and program.group(1) in PROGRAMS:
            unknown = self.unknown_flags(words, (str(self.bin / program.group(1)),))
            return f"{name} has no {unknown}" if unknown else ""
        if program and re.search("(?<!^some)_(app|bench|test)$", name):
            sources = [path for folder in ("benches", "examples", "tests")
                       for path in (ROOT / folder).glob(f"**/{program.group(1)}.c*")]
            return "" if sources else f"no {name}"
        script = words[1] if name.startswith("python") and words[1:] else name
        if re.match(r"(bindings|examples|lab|packaging|serving|tests|tools)/", script):
            path = ROOT / script
            if not path.exists():
                return f"no {script}"
            text = path.read_text(encoding="utf-8")
            unknown = [flag for flag in re.findall(r"(--\w+)", " ".join(words)) if flag not in text]
            return f"{script} has no {unknown}" if unknown else ""
        if words[:2] == ["python", "-m"] and words[2].startswith("gles_delegate"):
            task = [word for word in words[3:4] if not word.startswith("-")]
            unknown = self.unknown_flags(words, (sys.executable, "-B", "-m", words[2], *task))
            return f"{words[2]} has no {unknown}" if unknown else ""
        if name == "cmake":
            unknown = [variable for variable in re.findall(r"-D(\w+)=", " ".join(words))
                       if variable not in self.cmake and not variable.startswith("CMAKE_")]
            return f"no CMake variable {unknown}" if unknown else ""
        if name == "ctest":
            listed = self.output(["ctest", "--test-dir", str(self.bin.parent), "-N", *words[3:]])
            return "no such test" if "Total Tests: 0" in listed else ""
        return "" if name == "cc" else None

    def reason(self, commands):
        """Why a line is not run, "" if it is."""
        for words in commands:
            if words in self.in_ci:
                return IN_CI
            for pattern, why in NOT_RUN:
                if re.match(pattern, " ".join(words)):
                    return why
            if re.fullmatch(r"(build/bin/)?\w+", words[0]) and not shutil.which(
                    words[0].split("/")[-1], path=self.path):
                return f"there is no {words[0]} here"
        return ""

    def findings(self, page):
        """Yields what is wrong with a page."""
        text = page.read_text(encoding="utf-8")
        for line in [*blocks(text), *quoted(text)]:
            try:
                commands = simple_commands(line)
            except ValueError:  # not a command: an apostrophe
                continue
            errors = [self.wrong(words) for words in commands]
            ours = [error for error in errors if error is not None]
            where = f"{page.relative_to(ROOT)}: {line}"
            self.checked += len(ours)
            yield from (f"{where}: {error}" for error in ours if error)
            others = [words[0] for words, error in zip(commands, errors) if error is None]
            if not commands or any(ours) or not set(others) <= set(SHELL):
                continue
            reason = self.reason(commands)
            if reason:
                self.not_run[reason] += [where] * len(ours)
                continue
            self.ran += len(ours)
            program = commands[0][0].split("/")[-1] if ours else ""
            error = self.run(line, program)
            if error:
                yield f"{where}: {error}"


def main():
    if doctest.testmod().failed:
        sys.exit(1)
    checker, wrong = Checker(*sys.argv[1:]), []
    for pattern in PAGES:
        for page in sorted(ROOT.glob(pattern)):
            wrong += checker.findings(page)
    elsewhere = 0
    for reason, lines in checker.not_run.items():
        print(f"not run here: {reason}", *lines, sep="\n  ")
        elsewhere += len(lines) if reason.startswith("run by") else 0
    for text in wrong:
        print("FAILED: " + text)
    print(f"{checker.checked} commands: {checker.ran} were run here, {elsewhere} are run by other tests or CI, "
          "the others are checked")
    sys.exit(1 if wrong or checker.checked < LEAST_CHECKED or checker.ran < LEAST_RUN else 0)


if __name__ == "__main__":
    main()
