"""The reference of the C API as Markdown, made from the header's comments.

    tools/site/c_reference.py    prints the page; ./dev docs puts it into the site

A comment documents the declaration below it, a comment at the end of a line that line, and
declarations without one share that of their neighbor above. A declaration that would have
none is an error, so that the page is complete (tests/docs/reference_test.py).
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "delegate/include/gles_delegate/gles_delegate.h"
EXPORT = "GLES_DELEGATE_EXPORT"
CODE = "   "  # begins a comment's line of code
TOPIC = re.compile(r"^ (Context|Threads|Errors): ")  # begins a paragraph


class UndocumentedError(Exception):
    """A declaration has no comment, or is of a kind that this file does not know."""


def block_of(comment):
    """Markdown of a comment's lines, which are without their slashes.

    >>> block_of([" One", " two.", "   f();", "", " Three."])
    'One two.\\n\\n```c\\nf();\\n```\\n\\nThree.'
    """
    blocks, code = [], False
    for line in comment + [""]:
        if line.startswith(CODE):
            if not code:
                blocks.append(["```c"])
            blocks[-1].append(line[len(CODE):])
        elif code:
            blocks[-1].append("```")
            blocks.append([])
        code = line.startswith(CODE)
        if not line.strip():
            blocks.append([])
        elif not code:
            if TOPIC.match(line) or not blocks or blocks[-1][-1:] == ["```"]:
                blocks.append([])
            blocks[-1].append(TOPIC.sub(r"**\1:** ", line).strip())
    return "\n\n".join(("\n" if block[0] == "```c" else " ").join(block)
                       for block in blocks if block)


def declarations_of(text):
    r"""(comment's lines, declaration) of each at the top level, without preprocessor lines.

    >>> text = "// A.\nenum A {\n  kA = 0,  // a\n};\nint f(void);\n\n// Not of g.\n\nint g(void);\n"
    >>> for declaration in declarations_of(text): print(declaration)
    ([' A.'], 'enum A {\n  kA = 0,  // a\n};')
    ([], 'int f(void);')
    ([], 'int g(void);')
    """
    comment, declaration, depth = [], [], 0
    continued = False
    for line in text.splitlines():
        if re.match(r'extern "C" \{|\}.*extern "C"', line):
            continue
        if continued or (not declaration and line.startswith("#")):
            continued = line.endswith("\\")
            continue
        if not declaration and line.startswith("//"):
            comment.append(line[2:])
            continue
        if not declaration and not line.strip():
            comment = []
            continue
        declaration.append(line)
        code = line.split("//")[0]
        depth += code.count("{") - code.count("}") + code.count("(") - code.count(")")
        if depth == 0 and re.search(r"[;}]\s*$", code):
            yield comment, "\n".join(declaration)
            comment, declaration = [], []


def members_of(declaration, of):
    r"""(names, C text of each, comment) of the fields or enumerators. Fields without a comment
    share that of the one above. The first one, and enumerators, may go without.

    >>> members_of("struct S {\n  int a;  // One\n  // Two.\n  int b;\n  int c;\n};", "S")
    [(['a'], ['int a'], 'One'), (['b', 'c'], ['int b', 'int c'], 'Two.')]
    >>> members_of("enum E {\n  kA = 0,  // One\n  kB = 1,\n};", "E")
    [(['kA'], ['kA = 0'], 'One'), (['kB'], ['kB = 1'], '')]
    """
    of_enum = re.match(r"(typedef )?enum", declaration)
    members, comment = [], []
    body = declaration[declaration.index("{") + 1:declaration.rindex("}")]
    for line in body.splitlines():
        code, _, trailing = line.partition("//")
        code = code.strip().rstrip(",;")
        if not code:
            if trailing:
                comment.append(trailing)
            continue
        name = re.search(r"(\w+)(?:\[\w*\])?$", code.split("=")[0].strip())
        if not name:
            raise UndocumentedError(f"{of}: {line.strip()}")
        text = block_of(comment + [trailing] if trailing else comment)
        if text or of_enum or not members:
            members.append(([name.group(1)], [code], text))
        else:
            members[-1][0].append(name.group(1))
            members[-1][1].append(code)
        comment = []
    return members


def parse(text):
    """{"enum": [...], "struct": [...], "function": [...]}, each (names, comment, C text, members)."""
    kinds = {"enum": [], "struct": [], "function": []}
    previous = None
    for comment, declaration in declarations_of(text):
        if re.match(r"struct \w+;", declaration):
            continue
        typed = re.match(r"(?:typedef )?(enum|struct) (\w+) \{", declaration)
        members = []
        if typed:
            kind, name = typed.groups()
            members = members_of(declaration, name)
            shown = None
        else:
            kind = "function"
            shown = declaration.split("{")[0].strip()
            shown = shown.replace(EXPORT, "").replace("static inline ", "").strip()
            if "//" in shown:  # a comment at the end of its line
                shown, _, trailing = shown.partition("//")
                comment = comment + [trailing]
            shown = shown.rstrip().rstrip(";") + ";"
            found = re.search(r"(\w+)\(", re.sub(r"\(\*", "", shown))
            if not found:
                raise UndocumentedError(declaration)
            name = found.group(1)
        if not comment and kind == "function" and previous and previous[0] == "function":
            previous[1][0].append(name)
            previous[1][2].append(shown)
            continue
        if not comment:
            raise UndocumentedError(f"{name} has no comment")
        entry = ([name], block_of(comment), [shown] if shown else [], members)
        kinds[kind].append(entry)
        previous = (kind, entry)
    return kinds


def linked(text, places, page):
    """The text with names of the API, and pages of docs/, as links; not in blocks of code.

    >>> linked("See f() and `f`, docs/options.md.", {"f": "f"}, "")
    'See [`f()`](#f) and [`f`](#f), [options.md](options.md).'
    """
    def name(found):
        word = found.group(2)
        if word not in places or places[word] == page:
            return found.group(0)
        return f"[`{word}{found.group(3)}`](#{places[word]})"
    parts = re.split(r"(```.*?```)", text, flags=re.DOTALL)
    for i in range(0, len(parts), 2):
        part = re.sub(r"(`?)\b([A-Za-z_]\w*)(\(\))?\1", lambda m: name(_Optional(m)), parts[i])
        part = re.sub(r"(?<![\w/])docs/(decisions/\d+)-\*", r"[decision \1](decisions/index.md)", part)
        parts[i] = re.sub(r"(?<![\w/])docs/([\w/]+\.md)", r"[\1](\1)", part)
    return "".join(parts).replace("decision decisions/", "decision ")


class _Optional:
    """A match whose groups that matched nothing are empty."""

    def __init__(self, match):
        self._match = match

    def group(self, number):
        return self._match.group(number) or ""


def cell(text):
    """Text in a cell of a table."""
    text = re.sub(r"```c\n(.*?)\n```", r"`\1`", text, flags=re.DOTALL)
    return re.sub(r"\s*\n\s*", "<br>", text.replace("|", r"\|"))


def page_of(text):
    """The page for a header's text."""
    kinds = parse(text)
    guide = []
    for line in text.splitlines():  # the comment that begins the header
        if not line.startswith("//"):
            break
        guide.append(line[2:])
    places = {}
    for entries in kinds.values():
        for names, _, _, members in entries:
            places.update({name: names[0].lower() for name in names})
            places.update({name: names[0].lower() for group, _, _ in members for name in group
                           if name.startswith("k")})
    lines = ["# C API", "", "Made from the comments of `gles_delegate/gles_delegate.h`; "
             "[Inside an app](integration.md) shows how to use it.", "",
             linked(block_of(guide), places, ""), ""]
    for kind, title in (("function", "Functions"), ("struct", "Structs"), ("enum", "Enums")):
        lines += [f"## {title}", ""]
        for names, comment, shown, members in kinds[kind]:
            place = names[0].lower()
            lines += [f"### {names[0]}", ""]
            if shown:
                lines += ["```c", *shown, "```", ""]
            lines += [linked(comment, places, place), ""]
            if members:
                lines += ["| " + ("field" if kind == "struct" else "value") + " | |", "|---|---|"]
                lines += ["| " + "<br>".join(f"`{code}`" for code in codes) + " | "
                          + cell(linked(about, places, place)) + " |"
                          for _, codes, about in members]
                lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        print(page_of(HEADER.read_text(encoding="utf-8")))
    except UndocumentedError as error:
        sys.exit(f"{HEADER.name}: {error}")
