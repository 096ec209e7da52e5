#!/usr/bin/env python3
"""Checks that sources of one library can be compiled together (GLES_DELEGATE_UNITY).

    tests/lint/lint_names.py               on the tree of this script
    tests/lint/lint_names.py --self_test   on text made to fail it

Prints one line a finding and ends with 1 where there is one. What `./dev test` compiles
together is one text to the compiler, in which

- a name in an anonymous namespace has one meaning in all sources of a library: two
  structs or constants of one name do not compile, and of two functions the better match
  is called, whichever file it stands in. An alias (`using Op = ...`) may be repeated;
- `using namespace` at a file's top level would hold for all sources after it.

A command-line flag that tools/runner defines is not defined again by a program: which of the
runner's sources are linked, and so which of their flags, depends on what is compiled
together, and two flags of one name do not link.

The check reads text as clang-format leaves it: declarations begin in the first column.
"""

import os
import re

import lint_main

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STAGES = ("graph", "device", "plan", "ops", "passes", "cache", "runtime", "partition",
          "cpu_ops", "tflite", "litert")
# Compiled one by one: quant/, whose functions differ by the width of their integers.
LIBRARIES = [f"delegate/{stage}" for stage in STAGES] + [
    "egl", "gl_shaders", "tools/common", "tools/runner", "tools/conformance",
    "tools/gles_demo", "tools/inference_diff", "tools/model_report",
    "tools/quantized_accuracy", "tests/testing"]

TYPE = re.compile(r"(?:struct|class|enum class|enum|union) (\w+)")
ALIAS = re.compile(r"using (\w+) =")
END = re.compile(r"[(={;\[]")
FLAG = re.compile(r"ABSL_FLAG\(\s*[^;]*?,\s*(\w+),")
RUNNER = "tools/runner"
PROGRAMS = ("tools", "benches", "lab")  # whose sources may link the runner
NAME = re.compile(r"(\w+)\s*(?:\[\w*\]\s*)*[(={;\[]")


def without_arguments(text):
    """`text` without its template arguments.

    >>> without_arguments("std::vector<std::pair<int, int>> Pairs(int n)")
    'std::vector Pairs(int n)'
    """
    while True:
        shorter = re.sub(r"<[^<>]*>", "", text)
        if shorter == text:
            return text
        text = shorter


def names_of(text):
    """Names that a source declares in anonymous namespaces: (name, line, alias or None).

    >>> names_of("int f();\\nnamespace {\\nstruct A {\\n  int x;\\n};\\n"
    ...          "constexpr int kB =\\n    1;\\nusing C = int;\\nstd::vector<A> D(\\n    int x) {\\n"
    ...          "  return x;\\n}\\n}  // namespace\\nint e() {\\n}\\n")
    [('A', 3, None), ('kB', 6, None), ('C', 8, 'using C = int;'), ('D', 9, None)]
    """
    names = []
    inside = False
    lines = text.splitlines()
    for index, line in enumerate(lines):
        if line == "namespace {" or line == "}  // namespace":
            inside = line == "namespace {"
        if not inside or not re.match(r"[A-Za-z]", line) or line.startswith("namespace"):
            continue
        if line.startswith(("template", "using ")) and not ALIAS.match(line):
            continue
        statement = line
        for more in lines[index + 1:index + 8]:
            if END.search(without_arguments(statement)):
                break
            statement += " " + more.strip()
        alias = ALIAS.match(statement)
        found = alias or TYPE.match(statement) or NAME.search(without_arguments(statement))
        if found and (alias or "::" + found.group(1) not in statement):
            names.append((found.group(1), index + 1, statement if alias else None))
    return names


def check_library(sources):
    """Yields findings of one library. sources: path -> text.

    >>> a = "namespace {\\nint F() {\\n}\\nusing T = int;\\n}  // namespace\\n"
    >>> b = "namespace {\\nint F(int x) {\\n}\\nusing T = int;\\n}  // namespace\\n"
    >>> list(check_library({"a.cc": a, "b.cc": b}))
    ['b.cc:2: F is another name in a.cc:2: say of what it is']
    >>> list(check_library({"a.cc": a, "b.cc": b.replace("F(", "G(").replace("= int", "= long")}))
    ['b.cc:4: T is another name in a.cc:4: say of what it is']
    >>> list(check_library({"a.cc": "namespace {\\nusing namespace x;\\n}  // namespace\\n"}))
    ['a.cc:2: using namespace would hold for other sources, too']
    """
    seen = {}
    for path, text in sorted(sources.items()):
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("using namespace"):
                if "NOLINT" not in line:
                    yield f"{path}:{number}: using namespace would hold for other sources, too"
        for name, number, alias in names_of(text):
            first, first_number, first_alias = seen.setdefault(name, (path, number, alias))
            if first != path and (alias is None or alias != first_alias):
                yield (f"{path}:{number}: {name} is another name in {first}:{first_number}: "
                       "say of what it is")


def flags_of(text):
    """Command-line flags that a source defines: (name, line).

    >>> flags_of('int x;\\nABSL_FLAG(int, lives, 20, "of each");\\n'
    ...          'ABSL_FLAG(std::vector<std::pair<int, int>>,\\n          graphs, {}, "models");\\n')
    [('lives', 2), ('graphs', 3)]
    """
    flags = []
    for match in re.finditer(r"^ABSL_FLAG\(", text, re.MULTILINE):
        flag = FLAG.match(without_arguments(text[match.start():match.start() + 400]))
        if flag:
            flags.append((flag.group(1), text.count("\n", 0, match.start()) + 1))
    return flags


def check_flags(runner, programs):
    """Yields findings of flags. runner, programs: path -> text.

    >>> options = 'ABSL_FLAG(std::string, gles_options, "",\\n          "key:value;...");\\n'
    >>> lives = 'ABSL_FLAG(int, lives, 20, "of each model");\\n'
    >>> list(check_flags({"runner/gles_options.cc": options}, {"tool.cc": lives + options}))
    ['tool.cc:2: the flag gles_options is defined in runner/gles_options.cc:1: declare it']
    >>> list(check_flags({"runner/gles_options.cc": options}, {"tool.cc": lives}))
    []
    """
    defined = {}
    for path, text in sorted(runner.items()):
        for name, number in flags_of(text):
            defined[name] = f"{path}:{number}"
    for path, text in sorted(programs.items()):
        for name, number in flags_of(text):
            if name in defined:
                yield (f"{path}:{number}: the flag {name} is defined in {defined[name]}: "
                       "declare it")


def sources_of(library):
    """The texts of a library's sources, by path below ROOT."""
    sources = {}
    for folder, _, files in os.walk(os.path.join(ROOT, library)):
        for file in files:
            path = os.path.relpath(os.path.join(folder, file), ROOT)
            if file.endswith(".cc"):
                with open(os.path.join(ROOT, path), encoding="utf-8") as source:
                    sources[path] = source.read()
    return sources


def check_tree():
    """Yields findings of the whole tree."""
    for library in LIBRARIES:
        yield from check_library(sources_of(library))
    programs = {path: text for folder in PROGRAMS for path, text in sources_of(folder).items()
                if not path.startswith(RUNNER + "/")}
    yield from check_flags(sources_of(RUNNER), programs)


if __name__ == "__main__":
    lint_main.run(check_tree)
