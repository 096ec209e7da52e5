#!/usr/bin/env python3
"""Checks that what the publisher must fill in stands in one file.

    tests/lint/lint_publisher.py               lists the values that are still to be filled in;
                                          exit status 1 for a placeholder in another file
    tests/lint/lint_publisher.py --release     exit status 1 for a value to be filled in, too
    tests/lint/lint_publisher.py --self_test   the checks on text made to fail them

Debian's packages name their maintainer in two files of debian/, which is filled in, too.
A placeholder is an address at the domain .invalid, which RFC 2606 reserves, or one of the
usual words for a repository or an address that is not known yet.
"""

import os
import re
import sys

import lint_main
import lint_tree

PUBLISHER = "packaging/publisher.env"
KEYS = ("REPOSITORY_URL", "SECURITY_CONTACT", "CONDUCT_CONTACT")
MAINTAINER = ("debian/control", "debian/changelog")
# This file names placeholders, third_party/ is other people's.
EXEMPT = (PUBLISHER, *MAINTAINER, "tests/lint/lint_publisher.py", "third_party/")
LINE = re.compile(r'^([A-Z_]+)="([^"]*)"$')
PLACEHOLDER = re.compile(
    r"@[\w.-]*\.invalid\b|https?://[\w.-]*\.invalid\b"
    r"|github\.com/(?:OWNER|ORG|USER|YOUR|example)\b"
    r"|\b(?:YOUR|OWNER)[-_](?:NAME|EMAIL|ORG|REPO\w*)\b|\[INSERT [A-Z ]+\]")


def read_values(text):
    """The values of publisher.env, and findings of its lines that are neither.

    >>> read_values('# x\\n\\nMAINTAINER="A <a@b.c>"\\nX=1\\n')
    ({'MAINTAINER': 'A <a@b.c>'}, ['packaging/publisher.env:4: not KEY="value": X=1'])
    """
    values, wrong = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        found = LINE.match(line)
        if found:
            values[found.group(1)] = found.group(2)
        else:
            wrong.append(f'{PUBLISHER}:{number}: not KEY="value": {line}')
    return values, wrong


def check_keys(values):
    """Yields findings of keys that are missing, or that no one reads.

    >>> list(check_keys(dict.fromkeys(KEYS, "")))
    []
    >>> list(check_keys({**dict.fromkeys(KEYS[1:], ""), "HOME": ""}))
    ['packaging/publisher.env: no REPOSITORY_URL', 'packaging/publisher.env: unknown HOME']
    """
    for key in KEYS:
        if key not in values:
            yield f"{PUBLISHER}: no {key}"
    for key in values:
        if key not in KEYS:
            yield f"{PUBLISHER}: unknown {key}"


def unfilled(values):
    """The keys whose values are still placeholders.

    >>> unfilled({"A": "", "B": "x <x@lists.invalid>", "C": "https://code.org/a/b"})
    ['A', 'B']
    """
    return [key for key, value in values.items()
            if not value.strip() or PLACEHOLDER.search(value)]


def check_text(path, text):
    """Yields findings of one file.

    >>> list(check_text("a.md", "Write to\\nx@lists.invalid."))
    ['a.md:2: @lists.invalid : belongs in packaging/publisher.env']
    >>> list(check_text("a.md", "see github.com/OWNER/x"))
    ['a.md:1: github.com/OWNER : belongs in packaging/publisher.env']
    >>> list(check_text("a.md", "[INSERT CONTACT METHOD]")) == []
    False
    >>> list(check_text("a.cc", "if (range.invalid) return; // registry.example.com"))
    []
    >>> list(check_text(PUBLISHER, "x@lists.invalid"))
    []
    """
    if path.startswith(EXEMPT):
        return
    for number, line in enumerate(text.splitlines(), 1):
        found = PLACEHOLDER.search(line)
        if found:
            yield f"{path}:{number}: {found.group(0)} : belongs in {PUBLISHER}"


def findings(release=False):
    values, wrong = read_values(lint_tree.read(PUBLISHER))
    yield from wrong
    yield from check_keys(values)
    values.update({f"the maintainer in {path}": lint_tree.read(path) for path in MAINTAINER})
    for key in unfilled(values):
        if release:
            yield f"to be filled in: {key}"
        else:
            print(f"to be filled in before a release: {key}")
    for path in lint_tree.tracked_files():
        full = os.path.join(lint_tree.ROOT, path)
        if not os.path.isfile(full) or path == PUBLISHER:
            continue
        with open(full, "rb") as file:
            content = file.read()
        if b"\0" not in content:
            yield from check_text(path, content.decode("utf-8", errors="replace"))


if __name__ == "__main__":
    RELEASE = "--release" in sys.argv
    if RELEASE:
        sys.argv.remove("--release")
    lint_main.run(lambda: findings(RELEASE))
