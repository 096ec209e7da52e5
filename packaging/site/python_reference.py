"""The reference of the Python package as Markdown, made from its docstrings.

    packaging/site/python_reference.py    prints the page; ./dev docs puts it into the site

Reads the source, so that nothing needs to be installed. Each name of the package's __all__ is
on the page, and one without a docstring is an error.
"""

import ast
import inspect
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bindings/python/src/gles_delegate"
SECTIONS = ("Args", "Returns", "Raises")


class UndocumentedError(Exception):
    """A name of __all__ has no docstring, or is not defined in the package."""


def names_of(tree):
    """__all__ of a module, and where the names come from: {name: (module, its name there)}.

    >>> names_of(ast.parse("from ._a import b as c\\n__all__ = ['c', 'd']"))
    (['c', 'd'], {'c': ('_a', 'b')})
    """
    exported, sources = [], {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            sources.update({alias.asname or alias.name: (node.module, alias.name)
                            for alias in node.names})
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            exported = ast.literal_eval(node.value)
    return exported, sources


def definition(tree, name):
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            return node
    raise UndocumentedError(f"{name} is not defined in its module")


def signature(node):
    """A function's or class's first lines, each argument on its own if they are long.

    >>> signature(ast.parse("def f(a: int, *, b: str = 'x') -> int: pass").body[0])
    "f(a: int, *, b: str = 'x') -> int"
    """
    if isinstance(node, ast.ClassDef):
        bases = [ast.unparse(base) for base in node.bases]
        head = f"class {node.name}" + (f"({', '.join(bases)})" if bases else "")
        rows = [ast.unparse(field) for field in node.body if isinstance(field, ast.AnnAssign)]
        return "\n    ".join([head + ":", *rows]) if rows else head
    of = node.args
    parts = [argument_text(argument, default)
             for argument, default in zip(of.args, with_defaults(of.args, of.defaults))]
    if of.kwonlyargs:
        parts.append("*")
    parts += [argument_text(argument, [default])
              for argument, default in zip(of.kwonlyargs, of.kw_defaults)]
    if of.kwarg:
        parts.append("**" + ast.unparse(of.kwarg))
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    one_line = f"{node.name}({', '.join(parts)}){returns}"
    if len(one_line) <= 88:
        return one_line
    return f"{node.name}(\n    " + ",\n    ".join(parts) + f",\n){returns}"


def argument_text(argument, default):
    text = ast.unparse(argument)
    return f"{text} = {ast.unparse(default[0])}" if default and default[0] else text


def with_defaults(arguments, defaults):
    """Lists of one default or none, for each argument."""
    return [[]] * (len(arguments) - len(defaults)) + [[default] for default in defaults]


def items(lines):
    """[name, text] of "name: text" lines, each with its indented continuation.

    >>> items(["  a: one", "    two", "  b, c: three"])
    [['a', 'one two'], ['b, c', 'three']]
    """
    found = []
    for line in lines:
        start = re.match(r"  (\*{0,2}\w+(?:, \w+)*): +(.*)", line)
        if start:
            found.append(list(start.groups()))
        elif found and line.startswith("    "):
            found[-1][1] += " " + line.strip()
        elif line.strip():
            found.append(["", line.strip()])
    return found


def fields(lines):
    """The same for a class's docstring, whose fields are not indented."""
    return [item for item in items(["  " + line for line in lines]) if item[0]]


def table(title, rows):
    return ["", f"| {title} | |", "|---|---|",
            *("| " + (", ".join(f"`{n}`" for n in name.split(", ")) if name else "") + " | "
              + text.replace("|", r"\|") + " |" for name, text in rows), ""]


def body(node):
    """Markdown of a docstring."""
    text = ast.get_docstring(node)
    if not text:
        raise UndocumentedError(f"{node.name} has no docstring")
    lines, section = [], None
    sections = {name: [] for name in SECTIONS}
    for line in inspect.cleandoc(text).splitlines():
        if line.rstrip(":") in SECTIONS and line.endswith(":"):
            section = line.rstrip(":")
        elif section:
            sections[section].append(line)
        else:
            lines.append(line)
    rows = fields(lines) if isinstance(node, ast.ClassDef) else []
    if rows:
        first = next(i for i, line in enumerate(lines) if re.match(r"\w+(, \w+)*: ", line))
        lines = lines[:first] + table("field", rows)
    if sections["Args"]:
        lines += table("argument", items(sections["Args"]))
    if sections["Returns"]:
        lines += ["", "**Returns** " + " ".join(x.strip() for x in sections["Returns"]).strip()]
    if sections["Raises"]:
        lines += table("raises", items(sections["Raises"]))
    return "\n".join(lines).strip()


def as_code(text):
    """Indented lines after a blank one, as blocks of code."""
    return re.sub(r"(?:^|\n\n)((?:    .*(?:\n\n(?=    )|\n|$))+)",
                  lambda found: "\n\n```python\n" + re.sub(r"(?m)^    ", "", found.group(1)).rstrip()
                  + "\n```\n", text)


def page_of(package):
    """The page of the package in a folder."""
    trees = {path.stem: ast.parse(path.read_text(encoding="utf-8"))
             for path in package.glob("*.py")}
    exported, sources = names_of(trees["__init__"])
    lines = ["# Python API", "", "Made from the docstrings of `gles_delegate`, which `help()` "
             "shows too; [Python](python.md) is the guide.", "",
             as_code(inspect.cleandoc(ast.get_docstring(trees["__init__"]))), ""]
    functions, classes = [], []
    for name in exported:
        module, original = sources.get(name, ("__init__", name))
        node = definition(trees[module], original)
        node.name = name
        (classes if isinstance(node, ast.ClassDef) else functions).append(node)
    for title, nodes in (("Functions", functions), ("Classes", classes)):
        lines += [f"## {title}", ""]
        for node in nodes:
            lines += [f"### {node.name}", "", "```python", signature(node), "```", "",
                      as_code(body(node)), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        print(page_of(PACKAGE))
    except UndocumentedError as error:
        sys.exit(str(error))
