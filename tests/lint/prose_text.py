"""The prose of a file: paragraphs of documents and comments, and messages.

Examples: python3 -m doctest tests/lint/prose_text.py
"""

import ast
import io
import os
import re
import sys
import tokenize

# Not ours, or data; and the lint, which quotes what it looks for.
LEFT_OUT = ("tests/lint/lint_prose.py", "third_party/", "tests/corpus/", "tests/fuzz/corpus/",
            "benches/shapes/")
QUOTED = re.compile(r"^\w*(\'\'\'|\"\"\"|\'|\")(.*)\1$", re.DOTALL)
LABELS = re.compile(r"labels: ")  # begins a test's source
# Strings that are not messages: code of C++, GLSL or Python.
CODE = re.compile(r"[;{}]\s*$|;\s*\n|^\s*(?:import|from) \w+|\w\(\w*\) ?[={]", re.MULTILINE)
WORD = re.compile(r"[A-Za-z][\w'-]*")
# A passage is a list of (line number, text): one paragraph, item, cell or message.
ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)]|@?[\w./-]+:)\s")


def paragraphs(lines):
    """Passages of a block of prose: blank and indented lines, and items, end one.

    >>> list(paragraphs([(1, "One"), (2, "two."), (3, ""), (4, "- a"), (5, "  b"), (6, "- c")]))
    [[(1, 'One'), (2, 'two.')], [(4, '- a'), (5, 'b')], [(6, '- c')]]
    >>> list(paragraphs([(1, "Use:"), (2, "    f(x);"), (3, "Or not.")]))
    [[(1, 'Use:')], [(3, 'Or not.')]]
    """
    passage = []
    for number, text in lines:
        code = text.startswith(("    ", "\t"))
        code = code or LABELS.match(text)
        if not text.strip() or code or ITEM.match(text):
            if passage:
                yield passage
            passage = []
        if text.strip() and not code:
            passage.append((number, text.strip()))
    if passage:
        yield passage


def markdown(text):
    r"""Passages of Markdown, without blocks of code and HTML; each cell of a table is one.

    >>> list(markdown("# A\n\nb\nc\n```\nd\n```\n| e | f `g` |\n|---|---|\n"))
    [[(1, 'A')], [(3, 'b'), (4, 'c')], [(8, 'e')], [(8, 'f `g`')]]
    """
    block, fence = [], False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        plain = not fence and not stripped.startswith(("```", "|", "#", "<"))
        if plain:
            # An item's second line is indented, and is not code.
            inside = block and block[-1][1].strip()
            block.append((number, re.sub(r"^\s+", "  ", line) if inside else line))
            continue
        yield from paragraphs(block)
        block = []
        if stripped.startswith("```"):
            fence = not fence
        elif not fence and stripped.startswith("|"):
            for cell in stripped.strip("|").split(" | "):
                if cell.strip(" -:|"):
                    yield [(number, cell.strip())]
        elif not fence and stripped.startswith("#"):
            yield [(number, stripped.lstrip("# "))]
    yield from paragraphs(block)


def prose_of(message):
    """A message as its only passage; nothing if it is code.

    >>> list(prose_of([(1, "import sys"), (2, "print(1)")])), list(prose_of([(1, "no import")]))
    ([], [[(1, 'no import')]])
    """
    if message and not CODE.search("\n".join(part for _, part in message)):
        yield message


# A raw string, a string, a character, or a comment, in C++, GLSL, Java and JavaScript.
C_TOKEN = re.compile(
    r'R"([^()\s]*)\((?P<raw>.*?)\)\1"|"(?P<string>(?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)+\'|'
    r"//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/", re.DOTALL)


def c_like(text):
    r"""Passages of C++ and its like: comments, and strings side by side as one.

    >>> list(c_like('// One\n// two.\nint i;  // Three.\nf("a b "\n  "c", R"(no)");\n/* Four */'))
    [[(1, 'One'), (2, 'two.')], [(3, 'Three.')], [(4, 'a b '), (5, 'c')], [(6, 'Four')]]
    """
    comment, message, end = [], [], 0
    for token in C_TOKEN.finditer(text):
        number = text.count("\n", 0, token.start()) + 1
        joins = not text[end:token.start()].strip()
        end = token.end()
        line, block, string = token.group("line"), token.group("block"), token.group("string")
        if comment and (line is None or not joins or number != comment[-1][0] + 1):
            yield from paragraphs(comment)
            comment = []
        if message and not joins:
            yield from prose_of(message)
            message = []
        if string is not None:
            message.append((number, string.replace('\\"', '"').replace("\\n", "\n")))
        elif line is not None:
            comment.append((number, line.removeprefix(" ")))
        elif block is not None:
            lines = [re.sub(r"^\s*\*? ?", "", part) for part in block.split("\n")]
            yield from paragraphs([(number + i, part) for i, part in enumerate(lines)])
    yield from paragraphs(comment)
    yield from prose_of(message)


def docstrings(tree):
    """The lines at which docstrings begin, with how far they are indented."""
    begins = {}
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if body and isinstance(body[0], ast.Expr) and ast.get_docstring(node, clean=False):
                begins[body[0].lineno] = body[0].col_offset
    return begins


def docstring(number, text, indent):
    r"""Passages of a docstring, without its examples.

    >>> list(docstring(3, "One\n    two.\n\n    >>> f(1)\n    so many\n\n    End.", 4))
    [[(3, 'One'), (4, 'two.')], [(9, 'End.')]]
    """
    lines, example = [], False
    for i, line in enumerate(text.split("\n")):
        line = line[indent:] if not line[:indent].strip() else line
        example = line.startswith(">>>") or (example and bool(line.strip()))
        lines.append((number + i, "" if example else line))
    yield from paragraphs(lines)


def python(text):
    r'''Passages of Python: comments, docstrings, and strings side by side as one.

    >>> list(python('"""Doc."""\n# One\n# two.\nx = 1  # Three.\nf("a b "\n  "c")\n'))
    [[(1, 'Doc.')], [(2, 'One'), (3, 'two.')], [(4, 'Three.')], [(5, 'a b '), (6, 'c')]]
    '''
    begins = docstrings(ast.parse(text))
    comment, message = [], []
    middle = getattr(tokenize, "FSTRING_MIDDLE", None)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        number = token.start[0]
        if token.type == tokenize.COMMENT:
            if comment and number != comment[-1][0] + 1:
                yield from paragraphs(comment)
                comment = []
            comment.append((number, token.string[1:].removeprefix(" ")))
            continue
        if token.type == tokenize.NL:
            continue
        yield from paragraphs(comment)
        comment = []
        if token.type in (tokenize.STRING, middle):
            inner = QUOTED.sub(r"\2", token.string)
            if number in begins:
                yield from docstring(number, inner, begins[number])
            else:
                message += [(number + i, part.replace("\\n", "\n"))
                            for i, part in enumerate(inner.split("\n"))]
        elif message:
            yield from prose_of(message)
            message = []


def script(text):
    r"""Passages of CMake and shell: comments, and the strings of a line.

    >>> list(script('#!/bin/sh\n# One\n# two.\nx="a # b"  # Three.\n'))
    [[(2, 'One'), (3, 'two.')], [(4, 'a # b')], [(4, 'Three.')]]
    """
    comment = []
    for number, line in enumerate(text.splitlines(), 1):
        code = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: "_" * len(m.group()), line)
        start = re.search(r"(?:^|\s)#(?!!)", code)
        strings = re.findall(r'"((?:[^"\\]|\\.)*)"', line[:start.start()] if start else line)
        if not start or code[:start.start()].strip():
            yield from paragraphs(comment)
            comment = []
        for string in strings:
            yield [(number, string)]
        if start:
            comment.append((number, line[start.end():].removeprefix(" ")))
    yield from paragraphs(comment)


READERS = {"md": markdown, "cc": c_like, "h": c_like, "c": c_like, "comp": c_like,
           "glsl": c_like, "java": c_like, "js": c_like, "py": python, "cmake": script,
           "sh": script}


def reader_of(path):
    """The function above that reads this file; None: nothing does.

    >>> reader_of("tests/CMakeLists.txt").__name__, reader_of("dev").__name__, reader_of("a.png")
    ('script', 'script', None)
    """
    if path.startswith(LEFT_OUT):
        return None
    name = os.path.basename(path)
    if name in ("CMakeLists.txt", "dev"):
        return script
    return READERS.get(name.rpartition(".")[2])


def passages(path, text):
    """Passages of a file that are prose: not a string of one to three words."""
    reader = reader_of(path)
    if reader is None:
        return
    try:
        for passage in reader(text):
            if len(WORD.findall(" ".join(part for _, part in passage))) > 3:
                yield passage
    except (SyntaxError, tokenize.TokenError) as error:
        print(f"{path}: not read: {error}", file=sys.stderr)
