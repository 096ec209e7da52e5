"""The commands of the documentation: what they name exists, and the programs' run.

    tests/docs/commands_test.py BIN_FOLDER LIBRARY TFLITE_LIBRARY FOLDER

Reads the blocks of shell commands in README.md, docs/ and the other pages, and commands in backquotes.
Of each: the program, script, module, command of ./dev, CMake variable or CTest label exists, and so do
its flags. Commands of the programs in RUN are run on the self-check's model of the Python package, in
FOLDER, and must write a report for other programs (--report_json). Run by CTest as `docs.commands`.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))
import self_check  # noqa: E402  pylint: disable=wrong-import-position

PAGES = ("*.md", "docs/*.md", "examples/*.md", "tools/*/README.md")
# They end within seconds; the others test a whole driver, or need pictures.
RUN = ("benchmark_model", "gles_tune", "inference_diff", "model_report")
PROGRAMS = (*RUN, "gles_conformance", "gles_demo", "gles_doctor", "quantized_accuracy", "soak")
# Fewer would mean that the pages are not understood.
LEAST_CHECKED, LEAST_RUN = 90, 10


def blocks(text):
    r"""The lines of commands in blocks without a language, continued lines joined.

    >>> blocks("a\n```\nx \\\n  y   # why\n```\n```c\nz\n```\n- b\n  ```sh\n  w\n  ```\n")
    ['x y', 'w']
    """
    found = []
    for language, body in re.findall(r"^ *```(\w*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL):
        if language in ("", "sh"):
            found += [" ".join(re.sub(r"\s#\s.*$", "", line).split())
                      for line in body.replace("\\\n", " ").splitlines()]
    return [line for line in found if line]


def quoted(text):
    """Commands of the programs in backquotes.

    >>> quoted("Use `gles_doctor --json`, not `gles_doctor` or `x --y`.")
    ['gles_doctor --json']
    """
    return re.findall(r"`((?:%s) --[^`]*)`" % "|".join(PROGRAMS), text)


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
        elif commands[-1] or not re.match(r"[A-Z_]+=", word):
            commands[-1].append(word)
    return [command for command in commands if command]


class Checker:
    def __init__(self, bin_folder, library, tflite_library, folder):
        self.bin, self.folder = pathlib.Path(bin_folder).resolve(), pathlib.Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        model = self_check.write_model(str(self.folder / "model.tflite"))
        # Files and devices that pages name, with those that replace them here.
        self.replacements = ((r"[\w./$]*\.tflite(?!\.)", str(model)),
                          (r"/[\w./-]*libgles_delegate\.so[.\d]*", library),
                          (r"/[\w./-]*libtensorflowlite_c\.so", tflite_library),
                          ("device:nvidia", "device:llvmpipe"))
        self.helps, self.checked, self.ran = {}, 0, 0
        self.usage = self.output(["bash", str(ROOT / "dev"), "help"])
        sources = [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("**/*.cmake")]
        for name in ("cmake", "delegate", "examples", "tests", "third_party", "tools"):
            sources += (ROOT / name).glob("**/CMakeLists.txt")
        self.cmake = "".join(path.read_text(encoding="utf-8") for path in sources)

    @staticmethod
    def output(command):
        return subprocess.run(command, capture_output=True, text=True, check=False, env=dict(
            os.environ, PYTHONPATH=str(ROOT / "tools/python/src"), COLUMNS="200")).stdout

    def unknown_flags(self, words, command):
        """Those of the words that are flags which the command's help does not have."""
        if command not in self.helps:
            self.helps[command] = self.output([*command, "--help"])
        flags = [word.split("=")[0] for word in words if word.startswith("--")]
        return [flag for flag in flags if not re.search(re.escape(flag) + r"\b", self.helps[command])
                and flag not in ("--help", "--wide")]

    def run(self, words):
        """The error of a program on the self-check's model, "" if there is none."""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        words = [*words, f"--report_json={report}"]
        for pattern, replacement in self.replacements:
            words = [re.sub(pattern, replacement, word) for word in words]
        done = subprocess.run([str(self.bin / words[0]), *words[1:]], capture_output=True, text=True,
                              check=False, cwd=self.folder, timeout=300)
        self.ran += 1
        if done.returncode:
            return done.stderr[-300:]
        written = report.exists() and json.loads(report.read_text(encoding="utf-8"))
        return "" if written else "it wrote no report"

    def wrong(self, words):
        """The error in a command, "" if there is none or if the command is not the project's."""
        name, words = words[0], [word for word in words if word != "..."]
        if name == "./dev":
            missing = len(words) > 1 and not re.search(rf"^  {words[1]}\b", self.usage, re.MULTILINE)
            return f"./dev has no {words[1]}" if missing else ""
        program = re.fullmatch(r"(?:build/bin/|\.carry/bin/)?(\w+)", name)
        if program and program.group(1) in PROGRAMS:
            unknown = self.unknown_flags(words, (str(self.bin / program.group(1)),))
            if unknown:
                return f"{name} has no {unknown}"
            runs = program.group(1) in RUN and any(".tflite" in word for word in words)
            return self.run([program.group(1), *words[1:]]) if runs else ""
        script = words[1] if name.startswith("python") and words[1:] else name
        if re.match(r"(tools|tests|examples)/", script):
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
        self.checked -= 1
        return ""

    def findings(self, page):
        """Yields what is wrong with a page."""
        text = page.read_text(encoding="utf-8")
        for line in [*blocks(text), *quoted(text)]:
            try:
                commands = simple_commands(line)
            except ValueError:  # not a command: an apostrophe
                continue
            for words in commands:
                self.checked += 1
                error = self.wrong(words)
                if error:
                    yield f"{page.relative_to(ROOT)}: {line}: {error}"


def main():
    checker, wrong = Checker(*sys.argv[1:]), []
    for pattern in PAGES:
        for page in sorted(ROOT.glob(pattern)):
            wrong += checker.findings(page)
    for text in wrong:
        print("FAILED: " + text)
    print(f"{checker.checked} commands, of which {checker.ran} were run")
    sys.exit(1 if wrong or checker.checked < LEAST_CHECKED or checker.ran < LEAST_RUN else 0)


if __name__ == "__main__":
    main()
