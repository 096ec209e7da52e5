#!/usr/bin/env python3
"""Checks the source tree for what no compiler sees.

    tests/lint/lint_tree.py               every check, on the tree of this script
    tests/lint/lint_tree.py --self_test   the checks on text made to fail them

Prints one line a finding and ends with 1 where there is one.

- scratch: a test that writes a fixed name into the machine's temporary folder
  disturbs the same test run beside it. Only tests/testing/scratch_directory.h,
  which makes a new folder for each object, may ask for the temporary folder.
- instead: the library reads variables by egl/process.h alone; it formats and hashes by
  base/, whose functions survive memory that has ended.
- documents: a file that a document links to or names in backquotes exists, and so
  does an option that it names with a value (`key: value`, --gles_options="key:value").
- options: docs/options.md and the Python package's class have what options.inc says of each
  option; the page has a row for each environment variable GLES_..., with the files that read
  it; and no other rows.
- examples: each block of code of docs/integration.md stands in the test that runs
  them.
- layers: a stage of delegate/ includes only headers of stages and folders that its
  library links (delegate/CMakeLists.txt); so do egl/, gl_shaders/ and quant/. Tools,
  benches and examples include nothing of tests/.
- lengths: a source past 800 lines says why in its first comment, with these words.
  README.md has at most 120 lines.
"""

import os
import re
import textwrap
import subprocess

import lint_main

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# --- scratch ----------------------------------------------------------------

SCRATCH_HOME = "tests/testing/scratch_directory.h"
SHARED_FOLDER = re.compile(
    r"\bTempDir\s*\(|\btemp_directory_path\s*\(|\bmk[ds]?temp\s*\(|\btmpnam\s*\("
    r"|\bmkstemp\s*\(|\"/(?:var/)?tmp\b|\bcurrent_path\s*\(|\bchdir\s*\("
)


def check_scratch(path, text):
    """Yields findings of one test source.

    >>> list(check_scratch("tests/a_test.cc", 'f(::testing::TempDir() + "/x");'))
    ['tests/a_test.cc:1: TempDir( : take a testing::ScratchDirectory']
    >>> list(check_scratch("tests/a_test.cc", 'std::ofstream("/tmp/x");'))
    ['tests/a_test.cc:1: "/tmp : take a testing::ScratchDirectory']
    >>> list(check_scratch("tests/a_test.cc", "// TempDir() is shared"))
    []
    >>> list(check_scratch(SCRATCH_HOME, "mkdtemp(path.data())"))
    []
    """
    if path == SCRATCH_HOME:
        return
    for number, line in enumerate(text.splitlines(), 1):
        found = SHARED_FOLDER.search(line.split("//")[0] if "://" not in line else line)
        if found:
            yield f"{path}:{number}: {found.group(0)} : take a testing::ScratchDirectory"


# --- environment ------------------------------------------------------------

ENVIRONMENT_HOME = "egl/process.cc"
PRODUCT = ("delegate/", "egl/", "gl_shaders/", "quant/")
GETENV = re.compile(r"\b(?:std::)?(?:secure_)?getenv\s*\(")


# Calls that the library may not make, the file that may, and what to call instead.
INSTEAD = (
    (GETENV, ENVIRONMENT_HOME, "EnvironmentValue() of egl/process.h"),
    (re.compile(r"\babsl::Str(?:Append)?Format\("), "", "Formatted() of base/format.h"),
    (re.compile(r"\babsl::(?:flat|node)_hash_\w+"), "", "HashMap or HashSet of base/hash_tables.h"),
)


def check_instead(path, text):
    """Yields findings of one source: variables in a setuid program, memory that has ended.

    >>> list(check_instead("egl/a.cc", 'f(std::getenv("X"));'))
    ['egl/a.cc:1: std::getenv( : take EnvironmentValue() of egl/process.h']
    >>> list(check_instead("egl/a.cc", "// as getenv() does"))
    []
    >>> list(check_instead("tools/a.cc", 'getenv("X")'))
    []
    >>> list(check_instead("delegate/a.cc", "absl::flat_hash_set<int> seen;"))
    ['delegate/a.cc:1: absl::flat_hash_set : take HashMap or HashSet of base/hash_tables.h']
    """
    if not path.startswith(PRODUCT):
        return
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, home, instead in INSTEAD:
            found = pattern.search(line.split("//")[0])
            if found and path != home:
                yield f"{path}:{number}: {found.group(0)} : take {instead}"


# --- documents --------------------------------------------------------------

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"^[\w.][\w./-]*\.(?:cc|h|inc|comp|glsl|py|sh|md|fbs|cmake|json|supp)$")
OPTION = re.compile(r"^([a-z][a-z0-9_]*): ?[\w./]+$")
GLES_OPTIONS = re.compile(r"--gles_options=[\"']?([^\s`\"']+)")
ELSEWHERE = {  # what a run writes, or another project holds
    "BEFORE.json", "AFTER.json", "c_api.h", "common.h",
    "gles_delegate/gles_delegate.h",  # installed
}


def check_document(path, text, files, options):
    """Yields findings of a document. files: the tree's; options: the keys there are.

    >>> files = {"docs/a.md", "delegate/plan/plan.h", "tools/x.py"}
    >>> check = lambda text: list(check_document("docs/a.md", text, files, {"tuning"}))
    >>> check("[b](b.md), [x](../tools/x.py), [w](https://x.org/y.md)")
    ['docs/a.md:1: no such file: b.md']
    >>> check("`plan.h` and `delegate/plan/plan.h` and `delegate/plans.h` and `<op>.h`")
    ['docs/a.md:1: no such file: delegate/plans.h']
    >>> check("`tuning: exhaustive` or `tunning: exhaustive`")
    ['docs/a.md:1: no such option: tunning']
    >>> check('x --gles_options="tuning:exhaustive;storrage:buffer"')
    ['docs/a.md:1: no such option: storrage']
    """
    folder = os.path.dirname(path)
    known = {"/".join(parts[at:]) for parts in (f.split("/") for f in files)
             for at in range(len(parts))}
    folders = {os.path.dirname(f) for f in files}
    for number, line in enumerate(text.splitlines(), 1):
        names = []
        for target in LINK.findall(line):
            if "://" in target:
                continue
            local = os.path.normpath(os.path.join(folder, target)).rstrip("/")
            if local not in files and local not in folders:
                names.append(target)
        for code in CODE.findall(line):
            if FILE.match(code) and code not in known and code not in ELSEWHERE:
                names.append(code)
            option = OPTION.match(code)
            if option and option.group(1) not in options:
                yield f"{path}:{number}: no such option: {option.group(1)}"
        for name in names:
            yield f"{path}:{number}: no such file: {name}"
        for text_of_options in GLES_OPTIONS.findall(line):
            for item in text_of_options.split(";"):
                key = item.split(":")[0]
                if ":" in item and key != "key" and key not in options:
                    yield f"{path}:{number}: no such option: {key}"


def options_struct(header):
    """The text of TfLiteGlesDelegateOptions in the public header."""
    return re.search(r"^typedef struct TfLiteGlesDelegateOptions {.*?^}", header,
                     re.MULTILINE | re.DOTALL).group(0)


def option_keys(text):
    """The fields of TfLiteGlesDelegateOptions, which are the options' keys.

    >>> sorted(option_keys("struct {\\n  int32_t a;  // x\\n  const char* b;\\n} X;"))
    ['a', 'b']
    """
    return set(re.findall(r"^ +[\w ]+[ *]+(\w+)(?:\[\d+\])?;", text, re.MULTILINE))


# --- options ----------------------------------------------------------------

OPTIONS = "delegate/tflite/options.inc"
OPTIONS_PAGE = "docs/options.md"
PYTHON_OPTIONS = "bindings/python/src/gles_delegate/_options.py"
ROW = re.compile(r'^\| (?:<a id="\w+"></a>)?`(\w+)` \|(.*)\|$', re.MULTILINE)
VARIABLE = re.compile(r'"(GLES_(?!DELEGATE_EXPORT")[A-Z_]+)"')
OPTION_ROW = re.compile(r'^OPTION\((\w+), (\w+), ([-\w]+),((?:\s+"(?:[^"\\]|\\.)*")+),(.*?)\)\n',
                    re.MULTILINE | re.DOTALL)
LINK_IN_BRACKETS = re.compile(r" \(\[[^]]*\]\([^)]*\)\)")
PYTHON_TYPES = {"kFlag": "bool", "kInteger": "int", "kLevel": "int", "kBytes": "int", "kText": "str",
                "kPath": "Path", "kNodes": "Nodes"}
KINDS = {"kFlag": "flag", "kInteger": "integer", "kLevel": "integer, 0 to 2", "kBytes": "integer",
         "kText": "text", "kPath": "path", "kNodes": "nodes"}


def rows_of(page):
    """The tables' rows: the name in the first cell -> the other cells.

    >>> rows_of('| <a id="a_b"></a>`a_b` | flag | 0 | x |\\n|---|\\n| key | type |\\n')
    {'a_b': ['flag', '0', 'x']}
    """
    return {name: [cell.strip() for cell in rest.split("|")]
            for name, rest in ROW.findall(page)}


def options_of(text):
    """The rows of options.inc: (kind, name, default, meaning, choices).

    >>> options_of('OPTION(kChoice, a, 1,\\n       "this " "that",\\n       "x", "y")\\n')
    [('kChoice', 'a', 'y', 'this that', ['x', 'y'])]
    """
    options = []
    for kind, name, default, meaning, choices in OPTION_ROW.findall(text):
        choices = re.findall(r'"(\w+)"', choices)
        options.append((kind, name, choices[int(default)] if choices else default,
                        "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', meaning)), choices))
    return options


def row_of(option):
    """The option's row in docs/options.md.

    >>> row_of(("kFlag", "a", "1", "this", []))
    '| <a id="a"></a>`a` | flag | 1 | this |'
    """
    kind, name, default, meaning, choices = option
    if choices:
        kind, default = "choice: " + ", ".join(f"`{c}`" for c in choices), f"`{default}`"
    else:
        kind = KINDS[kind]
    default = "empty" if default == "nullptr" else default
    return f'| <a id="{name}"></a>`{name}` | {kind} | {default} | {meaning} |'


def python_of(option):
    """The option's lines in the Python package's class: of the docstring, and its type.

    >>> python_of(("kFlag", "a", "1", "this `is` it ([x](y))", []))
    ('      a: this is it. Default True.', '    a: Optional[bool]')
    """
    kind, name, default, meaning, choices = option
    kind = "Literal[" + ", ".join(f'"{c}"' for c in choices) + "]" if choices else PYTHON_TYPES[kind]
    if name == "device":
        kind = "Union[str, int]"
    told = LINK_IN_BRACKETS.sub("", meaning).replace("`", "")
    if choices:
        told += f'. Default "{default}"'
    elif default != "nullptr":
        told += f". Default {bool(int(default)) if kind == 'bool' else default}"
    return (textwrap.fill(f"{name}: {told}.", 98, initial_indent="      ", subsequent_indent="        ",
                          break_on_hyphens=False), f"    {name}: Optional[{kind}]")


def check_options(rows, struct, page, python):
    """Yields findings of the list of options and what has to be the same.

    >>> struct = "struct {\\n  size_t struct_size;\\n  int32_t a;\\n  int32_t b;\\n} X;"
    >>> for line in check_options('OPTION(kFlag, a, 1,\\n       "this", )\\n', struct, "", ""):
    ...     print(line)
    delegate/tflite/options.inc: no row for the field b
    docs/options.md: lacks: | <a id="a"></a>`a` | flag | 1 | this |
    bindings/python/src/gles_delegate/_options.py: lacks:
          a: this. Default True.
    bindings/python/src/gles_delegate/_options.py: lacks:
        a: Optional[bool]
    """
    options = options_of(rows)
    names = {name for _, name, *_ in options}
    keys = {key for key in option_keys(struct)
            if key != "struct_size" and not key.startswith("reserved_")}
    for key in sorted(keys - names):
        yield f"{OPTIONS}: no row for the field {key}"
    for key in sorted({name for name in rows_of(page) if not name.startswith("GLES_")} - names):
        yield f"{OPTIONS_PAGE}: a row for {key}, which is no option"
    for option in options:
        if row_of(option) + "\n" not in page:
            yield f"{OPTIONS_PAGE}: lacks: {row_of(option)}"
        for lines in python_of(option):
            if lines + "\n" not in python:
                yield f"{PYTHON_OPTIONS}: lacks:\n{lines}"
    for name in sorted(set(re.findall(r"^    (\w+): Optional\[", python, re.MULTILINE)) - names):
        yield f"{PYTHON_OPTIONS}: {name} is no option"


def variables_of(texts):
    """Each environment variable with the files that name it: path -> text.

    >>> variables_of({"a.cc": 'getenv("GLES_X_Y"); // "GLES_ a"', "b.py": "GLES_NO"})
    {'GLES_X_Y': {'a.cc'}}
    """
    found = {}
    for path, text in texts.items():
        for name in VARIABLE.findall(text):
            found.setdefault(name, set()).add(path)
    return found


def check_variables(page, texts):
    """Yields findings of the table of environment variables. texts: path -> source.

    >>> texts = {"a.cc": 'getenv("GLES_X")'}
    >>> list(check_variables("| `GLES_X` | flag | x | `a.cc` |", texts))
    []
    >>> for line in check_variables("| `GLES_Y` | flag | x | `a.cc` |", texts):
    ...     print(line)
    docs/options.md: no row for the variable GLES_X, which a.cc names
    docs/options.md: a row for GLES_Y, which no source names
    >>> list(check_variables("| `GLES_X` | flag | x | `b.cc` |", texts))
    ['docs/options.md: b.cc does not read GLES_X']
    >>> list(check_variables("| `GLES_X` | flag | x | nobody |", texts))
    ['docs/options.md: who reads GLES_X?']
    """
    used = variables_of(texts)
    rows = {name: cells for name, cells in rows_of(page).items() if name.startswith("GLES_")}
    for name in sorted(set(used) - set(rows)):
        yield f"{OPTIONS_PAGE}: no row for the variable {name}, which {min(used[name])} names"
    for name in sorted(set(rows) - set(used)):
        yield f"{OPTIONS_PAGE}: a row for {name}, which no source names"
    for name in sorted(set(rows) & set(used)):
        readers = CODE.findall(rows[name][-1])
        if not readers:
            yield f"{OPTIONS_PAGE}: who reads {name}?"
        for path in readers:
            if path not in used[name]:
                yield f"{OPTIONS_PAGE}: {path} does not read {name}"


# --- examples ---------------------------------------------------------------

EXAMPLES_PAGE = "docs/integration.md"
EXAMPLES_TEST = "tests/tflite/integration_test.cc"
BLOCK = re.compile(r"^```c\+\+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def check_examples(page, test):
    """Yields a finding for each block of C++ of a page that the test does not have.

    >>> page = "text\\n```c++\\n  f();\\n  g();\\n```\\n```c++\\n  h();\\n```\\n"
    >>> list(check_examples(page, "{\\n  f();\\n  g();\\n  h();\\n}"))
    []
    >>> list(check_examples(page, "{\\n  f();\\n  h();\\n  g();\\n}"))
    ['docs/integration.md: tests/tflite/integration_test.cc lacks the block "f();"']
    """
    for block in BLOCK.findall(page):
        if block not in test:
            first = block.strip().splitlines()[0]
            yield f'{EXAMPLES_PAGE}: {EXAMPLES_TEST} lacks the block "{first}"'


# --- layers -----------------------------------------------------------------

STAGE = re.compile(r"^gles_add_stage\((\w+)([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^#include "((?:delegate|egl|gl_shaders|quant|tests)/[^"]*)"')
BELOW = {"egl": {"egl"}, "quant": {"quant"}, "gl_shaders": {"gl_shaders", "egl"}}


def layers_of(cmake):
    """Each stage's folder with the folders that it may include.

    >>> layers = layers_of("gles_add_stage(a gles_quant absl::x)\\n"
    ...                    "gles_add_stage(b gles_a gles_shaders\\n  gles_egl)")
    >>> sorted(layers["delegate/b"])
    ['delegate/a', 'delegate/b', 'egl', 'gl_shaders']
    """
    names = {"gles_quant": "quant", "gles_egl": "egl", "gles_shaders": "gl_shaders"}
    layers = dict(BELOW)
    for stage, linked in STAGE.findall(cmake):
        folder = f"delegate/{stage}"
        layers[folder] = {folder} | {names[name] for name in linked.split() if name in names}
        names[f"gles_{stage}"] = folder
    return layers


def layer_of(path):
    """'delegate/ops/conv/conv_2d.h' -> 'delegate/ops'; 'egl/context.h' -> 'egl'."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "delegate" else parts[0]


def check_layers(path, text, layers):
    """Yields findings of one source.

    >>> layers = {"delegate/ops": {"delegate/ops", "quant"}}
    >>> list(check_layers("delegate/ops/a.cc", '#include "delegate/tflite/b.h"', layers))
    ['delegate/ops/a.cc:1: delegate/ops does not link delegate/tflite']
    >>> list(check_layers("delegate/ops/a.cc", '#include "quant/half.h"', layers))
    []
    >>> list(check_layers("tools/a.cc", '#include "tests/testing/b.h"', layers))
    ['tools/a.cc:1: only tests include tests/testing/b.h']
    """
    if path.startswith(("tools/", "benches/", "examples/", "lab/")):
        for number, line in enumerate(text.splitlines(), 1):
            included = INCLUDE.match(line)
            if included and included.group(1).startswith("tests/"):
                yield f"{path}:{number}: only tests include {included.group(1)}"
        return
    own = layer_of(path)
    if own not in layers:
        return
    for number, line in enumerate(text.splitlines(), 1):
        included = INCLUDE.match(line)
        if included and layer_of(included.group(1)) not in layers[own]:
            yield f"{path}:{number}: {own} does not link {layer_of(included.group(1))}"


# --- lengths ----------------------------------------------------------------

MOST_LINES = 800
FIRST_COMMENT_LINES = 30
SAYS_WHY = re.compile(r"800\W+lines")


def check_length(path, text):
    """Yields a finding of a source that is long and says no reason.

    >>> list(check_length("a.cc", "int x;\\n" * 800))
    []
    >>> list(check_length("a.cc", "int x;\\n" * 801))
    ['a.cc: 801 lines: say in its first comment why it is longer than 800 lines']
    >>> list(check_length("a.cc", "// Longer than 800\\n// lines: a table.\\n" * 500))
    []
    """
    lines = text.splitlines()
    first = "\n".join(lines[:FIRST_COMMENT_LINES])
    if len(lines) > MOST_LINES and not SAYS_WHY.search(first):
        yield (f"{path}: {len(lines)} lines: say in its first comment why it is longer"
               f" than {MOST_LINES} lines")


MOST_README_LINES = 120


def check_readme_length(text):
    """Yields a finding if the first page is too long to be one.

    >>> list(check_readme_length("a\\n" * 120))
    []
    >>> list(check_readme_length("a\\n" * 121))
    ['README.md: 121 lines, of 120 at most']
    """
    lines = len(text.splitlines())
    if lines > MOST_README_LINES:
        yield f"README.md: {lines} lines, of {MOST_README_LINES} at most"


# --- the tree ---------------------------------------------------------------


def tracked_files():
    """Names of the tree's files below ROOT; of git where it knows them."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return sorted(set(listed.stdout.splitlines()))
    names = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if not f.startswith((".", "build"))]
        names += [os.path.relpath(os.path.join(folder, f), ROOT) for f in files]
    return sorted(names)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def findings():
    files = set(tracked_files())
    struct = options_struct(read("delegate/include/gles_delegate/gles_delegate.h"))
    options = option_keys(struct)
    layers = layers_of(read("delegate/CMakeLists.txt"))
    sources = {}
    for path in sorted(files):
        if not os.path.exists(os.path.join(ROOT, path)):
            continue  # removed, not yet committed
        if path.endswith((".cc", ".h", ".py")) and not path.startswith("third_party/") and (
                path != "tests/lint/lint_tree.py"):
            sources[path] = read(path)
        if path.endswith((".cc", ".h")):
            yield from check_layers(path, read(path), layers)
            yield from check_instead(path, read(path))
        # The public headers are pages of documentation.
        if path.endswith((".c", ".cc", ".h", ".py")) and not path.startswith(
                ("third_party/", "delegate/include/")):
            yield from check_length(path, read(path))
        if path.startswith("tests/") and path.endswith((".cc", ".h")):
            yield from check_scratch(path, read(path))
        if path.endswith(".md") and not path.startswith("third_party/"):
            yield from check_document(path, read(path), files, options)
    page = read(OPTIONS_PAGE)
    yield from check_options(read(OPTIONS), struct, page, read(PYTHON_OPTIONS))
    yield from check_variables(page, sources)
    yield from check_examples(read(EXAMPLES_PAGE), read(EXAMPLES_TEST))
    yield from check_readme_length(read("README.md"))


if __name__ == "__main__":
    lint_main.run(findings)
