#!/usr/bin/env python3
"""The documentation as a site: build_site.py OUT, by MkDocs Material of PyPI.

Collects docs/ and the pages elsewhere in the tree into OUT/pages, makes links between them links of
the site and all others links to the repository (without packaging/publisher.env's REPOSITORY_URL:
plain text), and runs `mkdocs build --strict`, which fails for each link or page that leads nowhere.
Needs doxygen.
The site is OUT/site. Exit status: 77 where PyPI cannot be reached.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / path) for path in ("tests/lint", "bindings/python")]
import lint_publisher  # noqa: E402  pylint: disable=wrong-import-position
import make_wheel  # noqa: E402  pylint: disable=wrong-import-position

TOOLS = ["mkdocs==1.6.1", "mkdocs-material==9.8.2", "mkdoxy==1.2.8",
         "mkdocstrings-python==2.0.11"]
HEADER = "delegate/include/gles_delegate/gles_delegate.h"
# The plugin mkdocstrings puts the docstrings below it.
PYTHON_PAGE = """# Python API

Made from the docstrings of `gles_delegate`, which `help()` shows too; [Python](python.md) is the guide.

::: gles_delegate
"""
# Of Doxygen, which makes the reference of the C API; the plugin mkdoxy has it as pages of the site.
DOXYGEN = {"FILE_PATTERNS": "*.h", "EXTRACT_ALL": "NO", "OPTIMIZE_OUTPUT_FOR_C": "YES",
           "MACRO_EXPANSION": "YES", "EXPAND_ONLY_PREDEF": "YES",
           "PREDEFINED": "GLES_DELEGATE_EXPORT=",
           "INPUT_FILTER": f'"sed -E -f {ROOT}/packaging/site/doxygen.sed"'}
# Pages elsewhere in the tree, and what they are called in the site.
ELSEWHERE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md",
             "RELEASING.md": "releasing.md", "CHANGELOG.md": "changelog.md",
             "SECURITY.md": "security.md", "CODE_OF_CONDUCT.md": "code_of_conduct.md",
             "examples/README.md": "examples.md", "bindings/java/README.md": "java.md",
             "bindings/node/README.md": "node.md", HEADER: "c_api/gles__delegate_8h.md"}
DECISIONS = "docs/decisions"  # a folder, which has a page in the site
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
BLOCK = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
ANCHOR = re.compile(r'<a id="(\w+)"></a>(`\w+`)')
# The first page is as wide as the window: its section has no other page.
FIRST = "---\nhide: [navigation]\n---\n"


def site_path(path):
    """Where a file of the tree is in the site, or None.

    >>> site_path("docs/decisions/0001-x.md"), site_path("README.md"), site_path("dev")
    ('decisions/0001-x.md', 'index.md', None)
    """
    if path == DECISIONS:
        return "decisions/index.md"
    return path[len("docs/"):] if path.startswith("docs/") else ELSEWHERE.get(path)


def rewritten(text, page, repository, exists):
    """The page's text as the site has it; raises for a link that leads nowhere.

    Links lead to the site's pages, blocks without a language are the shell's, and a name with an
    anchor shows it.

    >>> always = lambda path: True
    >>> rewritten("[a](docs/python.md#b) [c](dev) [d](https://e.f)", "README.md", "", always)
    '[a](python.md#b) c [d](https://e.f)'
    >>> rewritten("[c](../dev)", "docs/python.md", "https://e.f/g", always)
    '[c](https://e.f/g/blob/main/dev)'
    >>> rewritten("[a](../README.md)", "docs/decisions/1.md", "", always)
    '[a](../README.md)'
    >>> rewritten("```\\n[a](b)\\n```\\n```c\\nx\\n```", "README.md", "", always)
    '```sh\\n[a](b)\\n```\\n```c\\nx\\n```'
    >>> rewritten('| <a id="k"></a>`k` |', "README.md", "", always)
    '| `k`<a id="k" class="headerlink" href="#k" title="Permanent link" data-search-exclude>&para;</a> |'
    """
    def replace(found):
        picture, words, target = found.groups()
        if re.match(r"[a-z]+:|#", target):
            return found.group(0)
        target, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), target))
        if not exists(path):
            raise ValueError(f"{page}: {target} leads nowhere")
        anchor = "#" + anchor if anchor else ""
        if site_path(path):
            start = os.path.dirname(site_path(page)) or "."
            return f"{picture}[{words}]({os.path.relpath(site_path(path), start)}{anchor})"
        return f"[{words}]({repository}/blob/main/{path}{anchor})" if repository else words
    def prose(part):
        return ANCHOR.sub(r'\2<a id="\1" class="headerlink" href="#\1" title="Permanent link" '
                          "data-search-exclude>&para;</a>", LINK.sub(replace, part))
    return "".join(part.replace("```\n", "```sh\n", 1) if BLOCK.fullmatch(part) else prose(part)
                   for part in BLOCK.split(text))


def collect(pages, repository):
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages)
    sources = [str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")]
    for source in sources + [path for path in ELSEWHERE if path != HEADER]:
        text = rewritten((ROOT / source).read_text(encoding="utf-8"), source, repository,
                         lambda path: (ROOT / path).exists())
        (pages / site_path(source)).write_text(
            (FIRST if source == "README.md" else "") + text, encoding="utf-8")
    (pages / "python_api.md").write_text(PYTHON_PAGE, encoding="utf-8")
    shutil.copy(ROOT / "packaging/site/site.css", pages)
    names = sorted(path.name for path in (ROOT / DECISIONS).glob("*.md"))
    (pages / site_path(DECISIONS)).write_text("# Decisions\n\n" + "".join(
        f"- [{name[5:-3].replace('-', ' ')}]({name})\n" for name in names), encoding="utf-8")


def configuration(pages, repository):
    """mkdocs.yml with the version, each page of the decisions, which have numbers, Doxygen's
    settings and the repository."""
    version = re.search(r"project\(gles_delegate VERSION (\S+)",
                        (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    text = (ROOT / "packaging/site/mkdocs.yml").read_text(encoding="utf-8")
    text = text.replace("gles_delegate VERSION", f"gles_delegate {version}")
    text = text.replace("ROOT/", f"{ROOT}/")
    decisions = "".join(f"          - decisions/{path.name}\n"
                        for path in sorted((pages / "decisions").glob("*.md")))
    text = text.replace("          - decisions/*.md\n", decisions)
    settings = {"src-dirs": str((ROOT / HEADER).parent), "doxy-cfg": DOXYGEN}
    text = text.replace("        c_api: {}\n", f"        c_api: {json.dumps(settings)}\n")
    return text + (f"repo_url: {repository}\n" if repository else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    out = parser.parse_args().out.resolve()
    if not shutil.which("doxygen"):
        sys.exit("build_site.py: doxygen is not installed")
    values, _ = lint_publisher.read_values(
        (ROOT / lint_publisher.PUBLISHER).read_text(encoding="utf-8"))
    repository = values["REPOSITORY_URL"].rstrip("/")
    try:
        collect(out / "pages", repository)
    except ValueError as error:
        sys.exit(f"build_site.py: {error}")
    (out / "mkdocs.yml").write_text(configuration(out / "pages", repository), encoding="utf-8")
    programs = make_wheel.tools_in(out / "tools", TOOLS)
    # Not --quiet: mkdocs counts the warnings that it logs.
    done = subprocess.run([programs / "mkdocs", "build", "--strict", "-f", out / "mkdocs.yml"],
                          check=False, capture_output=True, text=True,
                          env=dict(os.environ, NO_MKDOCS_2_WARNING="1"))
    if done.returncode != 0:
        print(done.stdout + done.stderr, file=sys.stderr)
        sys.exit(1)
    print(out / "site" / "index.html")


if __name__ == "__main__":
    main()
