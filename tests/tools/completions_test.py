"""Completion of the programs' flags in bash and zsh: all flags of --help, files for values.

    tests/tools/completions_test.py BIN_FOLDER

Run by CTest as `completions`. Without zsh that part is skipped, loudly.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPLETIONS = ROOT / "cmake" / "completions"
PROGRAMS = re.search(r"set\(TOOLS ([^)]*)\)", (ROOT / "cmake/Install.cmake").read_text(
    encoding="utf-8")).group(1).split()


def output(command, folder):
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder,
                          stdin=subprocess.DEVNULL).stdout.splitlines()


def flags_of(program):
    """{flag: its text in --help}; a flag with a value ends with "="."""
    flags, last = {}, None
    for line in output([program, "--help"], "/"):
        if re.match(r"  -", line):
            for last in re.findall(r"--?[a-z]\w*=?", line):
                flags[last] = ""
        elif line.startswith("      ") and last:
            flags[last] += " " + line.strip()
    return flags


class CompletionsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "a model.tflite").touch()
        self.assertGreater(len(PROGRAMS), 5)

    def write(self, template, name, **values):
        text = (COMPLETIONS / template).read_text(encoding="utf-8")
        for key, value in values.items():
            text = text.replace(f"@{key}@", value)
        self.assertNotIn("@PROGRAM", text)
        (self.folder / name).write_text(text, encoding="utf-8")

    def in_bash(self, program, *words):
        """The words that bash offers for the last of `words`, which follow the program."""
        self.write("program.bash.in", "bash_completion", PROGRAM=os.path.basename(program))
        line = " ".join(shlex.quote(word) for word in (program, *words))
        script = (f"source ./bash_completion; COMP_WORDS=({line}); COMP_CWORD={len(words)}; "
                  f"_gles_delegate {shlex.quote(program)}; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        return [line for line in output(["bash", "--norc", "-c", script], self.folder) if line]

    def test_bash_offers_all_flags(self):
        for name in PROGRAMS:
            program = str(bin_folder / name)
            flags = flags_of(program)
            self.assertGreater(len(flags), 5)
            self.assertEqual(set(self.in_bash(program, "-")), set(flags), name)

    def test_bash_completes_a_flag_and_its_value(self):
        program = str(bin_folder / "benchmark_model")
        self.assertEqual(self.in_bash(program, "--num_r"), ["--num_runs="])
        self.assertEqual(self.in_bash(program, "--use_x"), ["--use_xnnpack"])
        self.assertEqual(self.in_bash(program, "--graph", "=", "a"), ["a model.tflite"])
        self.assertIn("a model.tflite", self.in_bash(program, "--graph", "="))
        self.assertEqual(self.in_bash(program, "--num_threads", "="), [])
        self.assertEqual(self.in_bash(program, "--gles_options", "="), [])
        self.assertEqual(self.in_bash(program, "--nothing_like_it"), [])
        self.assertEqual(self.in_bash("/nowhere/benchmark_model", "--"), [])

    def test_bash_registers_the_program(self):
        self.write("program.bash.in", "bash_completion", PROGRAM="gles_doctor")
        self.assertEqual(output(["bash", "--norc", "-c", "source ./bash_completion; complete -p"],
                                self.folder), ["complete -F _gles_delegate gles_doctor"])

    @unittest.skipIf(shutil.which("zsh") is None, "NO zsh: ITS COMPLETION IS NOT TRIED")
    def test_zsh_offers_all_flags(self):
        self.write("_gles_delegate.in", "_gles_delegate", PROGRAMS=" ".join(PROGRAMS))
        first = (self.folder / "_gles_delegate").read_text(encoding="utf-8").splitlines()[0]
        self.assertEqual(first, "#compdef " + " ".join(PROGRAMS))
        for name in PROGRAMS:
            program = str(bin_folder / name)
            # In place of the functions of zsh's completion.
            script = ("_call_program() { shift; eval \"$@\" }; _arguments() { print -rl -- \"$@\" }; "
                      f"fpath=(. $fpath); autoload -Uz _gles_delegate; words=({program} --); "
                      "_gles_delegate")
            specs = [spec for spec in output(["zsh", "-f", "-c", script], self.folder) if spec != "-S"]
            offered = {re.match(r"(?:\(- \*\))?(--?\w+=?)\[", spec).group(1): spec for spec in specs}
            flags = flags_of(program)
            self.assertEqual(set(offered), set(flags), name)
            for flag, text in flags.items():
                with self.subTest(program=name, flag=flag):
                    kind = (r"\]" if not flag.endswith("=") else r"\]:value: " if re.search(
                        r"\(default [0-9]|key:value", text) else r"\]:file:_files")
                    self.assertRegex(offered[flag], kind + "$")


if __name__ == "__main__":
    bin_folder = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
