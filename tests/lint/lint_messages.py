#!/usr/bin/env python3
"""Holds docs/troubleshooting.md against the messages of the code.

    tests/lint/lint_messages.py               on the tree of this script
    tests/lint/lint_messages.py --self_test   the examples below

Each message that a user can act on has a row whose first column quotes it:
- failures that come from the machine and not from the model (the statuses of STATUSES);
- every line that the delegate logs;
- wrong options and objects (INVALID in the files of CHECKS);
- the exceptions of the packages for Python (with its accuracy program), Node and Java;
- the errors and warnings of the server, in its answers and in its log;
- the errors of the programs that are installed.

The page quotes only text that is in the code, piece for piece (`...`
stands for text that changes). The limits of ops are in docs/supported_ops.md. Prints one line
a finding and ends with 1 if there is one.
"""

import ast
import glob
import os
import re

import lint_main
import prose_text

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = "docs/troubleshooting.md"
STATUSES = ("Unavailable", "FailedPrecondition", "DeadlineExceeded", "ResourceExhausted",
            "Aborted", "NotFound", "PermissionDenied", "DataLoss")
MESSAGE = re.compile(r'absl::(?:' + "|".join(STATUSES) +
                     r')Error\(|\b(?:Exhausted|FailedPrecondition|Unavailable)\(|(?="(?:WARNING|INFO|ERROR): )|\b(?:Warn|Tell)\((?:context,|\{)|\bTellWarnings\(|\blog\('
                     r'|\blines\.push_back\(|\w*warning_ =|\b(?:line|why) =')
# The programs' own lines are results, not messages.
FAILURE = re.compile(r"absl::(?:InvalidArgument|" + "|".join(STATUSES) +
                     r")Error\(|\b(?:Invalid|Exhausted|FailedPrecondition|Unavailable)\(")
PROGRAMS = ("benchmark_model", "gles_demo", "gles_doctor", "gles_tune", "inference_diff",
            "model_report", "quantized_accuracy")
OF_PROGRAMS = [f"tools/{name}{rest}.cc" for name in PROGRAMS for rest in ("", "/*")] + [
    "tools/common/*.cc", "tools/conformance/gles_conformance.cc"] + [
        f"tools/runner/{name}.cc" for name in ("backend*", "inputs", "model_layers")]
INVALID = re.compile(r"absl::InvalidArgumentError\(|\bInvalid\(")
CHECKS = re.compile(
    r"/(?:options|option_texts|environment_options|tuning_parameters|runtime)\.cc$")
# Of JavaScript and Java.
THROW = re.compile(r"\bthrow new \w+\((.*?)\);\n", re.DOTALL)
COMMENT = re.compile(r"^\s*//[^\n]*|/\*.*?\*/", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"""(["'`])((?:(?!\1)[^\\]|\\.)*)\1""", re.DOTALL)
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
LEAST = 8  # letters that tell a message from others


def call_at(text, start):
    """The text between `start` and the end of the call or statement.

    >>> call_at('f("a)", g(1)), 2', 2)
    '"a)", g(1)'
    >>> call_at('"a" "b"; c', 0)
    '"a" "b"'
    """
    depth, i, quoted = 0, start, False
    while i < len(text):
        c = text[i]
        if quoted:
            if c == "\\":
                i += 1
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c == "(":
            depth += 1
        elif (c == ")" and depth == 0) or c == ";":
            break
        elif c == ")":
            depth -= 1
        i += 1
    return text[start:i]


def pieces_of(call):
    r"""The literals of a call, those side by side joined, as a user reads them.

    >>> pieces_of('StrCat("no " "device \\"", name, "\\"; %s\\n")')
    ['no device "', '"; ', '']
    """
    joined = re.sub(r'"\s*"', "", re.sub(r'\\"', "\0", call))
    pieces = []
    for literal in LITERAL.findall(joined):
        literal = literal.replace("\0", '"').replace("\\n", " ")
        pieces += [piece.strip(" ") if piece.isspace() else piece
                   for piece in re.split(r"%[sdu]", literal)]
    return pieces


def messages_of(text, path="a.cc"):
    r"""(line, pieces) of each message in a source file.

    >>> messages_of('x;\nreturn absl::NotFoundError(Cat("no node ", i));')
    [(2, ['no node '])]
    >>> wrong = 'absl::InvalidArgumentError(Cat("option ", i));'
    >>> messages_of(wrong), messages_of(wrong, "delegate/tflite/options.cc")
    ([], [(1, ['option '])])
    >>> messages_of(wrong + 'log("x");', "tools/gles_demo.cc")
    [(1, ['option '])]
    """
    if path.endswith(".py"):
        return python_messages_of(text)
    if path.endswith((".js", ".java")):
        return [(text[:m.start()].count("\n") + 1, quoted_in(m.group(1)))
                for m in THROW.finditer(text)]
    found = list((FAILURE if path.startswith("tools/") else MESSAGE).finditer(text))
    if CHECKS.search(path):
        found += INVALID.finditer(text)
    return [(text[:m.start()].count("\n") + 1, pieces_of(call_at(text, m.end())))
            for m in found]


def quoted_in(text):
    r"""The literals of JavaScript or Java, templates split at what they insert.

    >>> quoted_in("// isn't\n`no ${key} here` + 'a' + f(\"b\")")
    ['no ', ' here', 'a', 'b']
    >>> messages_of("x;\nthrow new Error(`no ${a}; ` +\n  'end');\n", "a.js")
    [(2, ['no ', '; ', 'end'])]
    """
    return [piece for _, literal in QUOTED.findall(COMMENT.sub("", text))
            for piece in re.split(r"\$\{[^}]*\}", literal) if piece]


def is_python_message(node):
    """Whether the arguments of a call in Python, or the value of another node, are a message."""
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        if called == "_note":
            return "INFO" not in ast.unparse(node.args[0])
        return called in ("_fail", "_log.warning", "_log.error", "_log.exception") or any(
            ast.unparse(keyword.value) == "sys.stderr" for keyword in node.keywords)
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith((".fault", "error"))


def python_messages_of(text):
    r"""The same of Python: each exception that is raised or kept for later, warning and failure.

    >>> python_messages_of("if x:\n  raise ValueError(f'{x} is ' 'bad' + y)\nraise A from b")
    [(2, [' is bad'])]
    >>> python_messages_of("raise A(b='one')\nerror = A('two')\n_fail(at, 'three')")
    [(1, ['one']), (2, ['two']), (3, ['three'])]
    >>> python_messages_of("_note(INFO, 'a')\n_note(ERROR, 'b')\nprint('c', file=sys.stderr)")
    [(2, ['b']), (3, ['c'])]
    >>> python_messages_of("def fault_of():\n  return f'ends after {seconds}'")
    [(2, ['ends after '])]
    """
    messages = []
    for node in ast.walk(ast.parse(text)):
        spoken = [node] if is_python_message(node) else []
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            spoken = [node.exc]
        if isinstance(node, ast.FunctionDef) and node.name == "fault_of":
            spoken = [part for part in ast.walk(node) if isinstance(part, ast.Return)]
        for statement in spoken:
            pieces = [part.value for part in ast.walk(statement)
                      if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            if pieces:
                messages.append((statement.lineno, pieces))
    return messages


def literals_of(text, path="a.cc"):
    r"""All string literals of a source file, those side by side joined.

    >>> literals_of('// "no"\nf("a" "b");')
    ['ab']
    """
    if path.endswith(".py"):
        return [node.value for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    if path.endswith((".js", ".java")):
        return quoted_in(text)
    return pieces_of(prose_text.C_TOKEN.sub(
        lambda token: token.group() if token.group("string") is not None else " ", text))


def quotes_of(page):
    """The quoted messages of the tables' first column, as lists of pieces.

    >>> quotes_of("| `no node ...`, `a ... b` | why | do |\\n|---|---|\\n| x | y |")
    [['no node '], ['a ', ' b']]
    """
    quotes = []
    for line in page.splitlines():
        cells = line.split(" | ")
        if not line.startswith("| ") or len(cells) < 2:
            continue
        for quote in re.findall(r"`([^`]+)`", cells[0]):
            quotes.append([p for p in quote.split("...") if p.strip()])
    return quotes


def findings(page, sources):
    """`sources`: {path: text}.

    >>> code = {"a.cc": 'absl::NotFoundError(Cat("no such node ", i))'}
    >>> list(findings("| `no such node ...` | why | do |", code))
    []
    >>> list(findings("| `no such edge ...` | why | do |", code))
    ['docs/troubleshooting.md quotes "no such edge ", which the code does not have', \
'a.cc:1: no row of docs/troubleshooting.md quotes "no such node "']
    """
    messages = [(path, line, pieces) for path, text in sources.items()
                for line, pieces in messages_of(text, path)]
    # Also a function that returns a part of a message.
    written = [piece for path, text in sources.items() for piece in literals_of(text, path)]
    quoted = [piece for quote in quotes_of(page) for piece in quote]
    for piece in quoted:
        if not any(piece.strip() in other for other in written):
            yield f'{PAGE} quotes "{piece}", which the code does not have'
    for path, line, pieces in messages:
        long = [piece for piece in pieces if len(piece.strip()) >= LEAST]
        if long and not any(q.strip() in piece for piece in long for q in quoted
                            if len(q.strip()) >= LEAST):
            yield f'{path}:{line}: no row of {PAGE} quotes "{long[0]}"'


def findings_of_tree():
    paths = sorted(glob.glob("egl/*.cc", root_dir=ROOT) +
                   glob.glob("delegate/**/*.cc", root_dir=ROOT, recursive=True) +
                   glob.glob("bindings/python/src/gles_delegate/**/*.py", root_dir=ROOT,
                             recursive=True) +
                   glob.glob("serving/src/gles_serving/*.py", root_dir=ROOT) +
                   [path for pattern in OF_PROGRAMS for path in glob.glob(pattern, root_dir=ROOT)] +
                   glob.glob("bindings/node/*.js", root_dir=ROOT) +
                   glob.glob("bindings/java/src/**/*.java", root_dir=ROOT, recursive=True))
    sources = {}
    for path in paths:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            sources[path] = file.read()
    with open(os.path.join(ROOT, PAGE), encoding="utf-8") as file:
        return findings(file.read(), sources)


if __name__ == "__main__":
    lint_main.run(findings_of_tree)
