#!/usr/bin/env python3
"""Points at prose that a native reader would read twice.

    tests/lint/lint_prose.py               the lines that this change adds
    tests/lint/lint_prose.py --base=REV    ... since REV; default: the merge base with
                                      origin/main, on main itself HEAD~1
    tests/lint/lint_prose.py --tree        every line: hits of each rule, and of 1,000 words
    tests/lint/lint_prose.py --self_test   on text made to fail it

Reads Markdown, comments of C++, GLSL, Java, JavaScript, Python, CMake and shell, docstrings,
and string literals of four words or more. Prints one line a finding, with a suggestion, and
ends with 1 if there is one; with --tree, if there is one or more in 1,000 words. Without git,
or without the commit to compare with, it ends with 77.

A sentence that is good stays: end its line, or the comment's, with "prose: ok".
"""

import collections
import os
import re
import subprocess
import sys

import lint_main
from prose_text import WORD, passages, reader_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONGEST = 45  # words of a sentence
MARK = "prose: ok"
SKIPPED = 77
LIMIT = 1.0  # findings in 1,000 words of the tree

CLAUSE = (r"(?:there (?:is|are)|it|they|one|none|nothing|no|nobody|no one|a|an|the [a-z]+ (?:is|are|"
          r"has|have|does|can|takes|needs))\b")

# Each rule: the fault, a pattern (case does not matter), and the advice. Then a sentence that it
# must find, and one that it must not.
RULES = (
    ("'where' for 'if' or 'when'",
     rf"(?:[,;:(] ?|\b(?:and|or|but|only|except|even) )where {CLAUSE}|"
     rf"(?:^|\. )(?-i:Where) {CLAUSE}[^.]*,",
     "if, when, 'on drivers that ...'",
     "It copies, where the driver has no such format.", "This is the folder where it is kept."),
    ("a sentence that begins with 'What ...'",
     r"(?:^|[.:;!] )(?-i:What|Who) (?!else\b|if\b|about\b|to\b)[a-z]+\b[^?.]*[.;:]",
     "name the thing: 'Unsupported nodes stay on the CPU'",
     "What it cannot run stays on the CPU.", "What can I do?"),
    ("'what cannot', 'what does not'",
     r"\bwhat (?:cannot|can not|does not|do not|is not|are not|it cannot|it does not)\b",
     "name the thing: 'unsupported nodes'",
     "It runs what cannot be delegated.", "It says what it can run."),
    ("'so many', 'so much', 'so far'",
     r"\bso (?:many|much|few|far)\b(?! (?:that|as|so))(?<!do so many)",
     "'up to N', 'that many', 'until now'",
     "At most so many partitions are delegated.", "It takes so much that the model does not fit."),
    ("an archaic word",
     r"\b(?:anew|likewise|mend(?:s|ed|ing)?|nobody|whoever|whosoever|whichsoever|in vain|"
     r"aforesaid|thereof|therein|whereupon|wherein|in turns|for want of|hitherto|lest)\b",
     "again, also, fix, no one, anyone who, alternately",
     "It is planned anew.", "It is planned again."),
    ("a double genitive",
     r"\bof (?:its|their|our|my|your|his) own(?=[.,;:)]|$| (?:and|as|because|beside|but|each|for|"
     r"if|in|on|or|so|that|to|which|with)\b)|\bof (?:ours|theirs)\b|\bof (?:the|an?) "
     r"(?:app|caller|delegate|device|driver|host|library|op|program|runtime|test|user)'s"
     r"(?=[.,;:)]|$)",
     "'its own context', \"the app's context\"",
     "It has a context of its own.", "It reads the rows of the app's context, of its own kind."),
    ("'is no ...' for 'is not a ...'",
     r"(?<!there )(?<!here )\b(?:is|are|was|were) no (?!longer|more|less|fewer|different|one|"
     r"(?:[a-z]+er|such|way|room|use|need|reason|doubt|match) ?)[a-z]+(?=[.,;:)]|$)",
     "'is not a file'",
     "A shape is no data.", "There is no data."),
    ("a thing that wants, tells, stands or lies",
     r"\b(?:column|driver|file|header|kernel|log|memory|option|page|plan|report|row|shader|"
     r"table|tensor|test|value)s? (?:wants?|tells?|stands?|lies?|goes by)\b",
     "needs, reports, is in",
     "The tensor lies in a texture.", "The tensor is in a texture."),
    ("'have' for 'make' or 'let'",
     r"\b(?:has|have|having) (?:the|a|an|its|each|every) [a-z_]+ (?:compute|ready|take|make|run|"
     r"write|choose|check|wait|say|tell)\b",
     "makes, lets, asks",
     "It has the driver compile and has each thread wait.", "It lets each thread wait."),
    ("a term that is not the field's",
     r"\bplan proper\b|\bstand-in plan\b|\bon codes\b|\bsixteen[-_ ]bit\b|\bdevice rows?\b|"
     r"\btuning knobs?\b|\bplain profile\b|\bthe least (?:of|time|seconds|value)\b",
     "optimized plan, baseline plan, quantized values, int16, device preset, tuning parameter, "
     "fallback profile, min",
     "It waits for the plan proper.", "It waits for the optimized plan."),
    ("'that is none', 'which is none'",
     r"\b(?:that|which|who) (?:is|are|was|were) (?-i:none)\b",
     "'that is not one'",
     "It refuses text that is none.", "It refuses text that is not a plan."),
)
COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE), better)
                 for name, pattern, better, _, _ in RULES)
TOO_LONG = f"a sentence over {LONGEST} words"

SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\[\"])|\n")
INLINE_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")


# --- the rules ------------------------------------------------------------------


def hits(text):
    """(offset, end, rule, suggestion) of each hit in a passage's text.

    >>> [rule for rule, _, _, bad, _ in RULES if rule not in [hit[2] for hit in hits(bad)]]
    []
    >>> [hit for _, _, _, _, good in RULES for hit in hits(good)]
    []
    >>> list(hits("It is `planned anew` there."))
    []
    >>> [hit[2] for hit in hits("It " + "goes on " * 23 + "here. It ends.")]
    ['a sentence over 45 words']
    """
    text = INLINE_CODE.sub(lambda m: "`x" + "_" * (len(m.group()) - 3) + "`", text)
    for rule, pattern, better in COMPILED:
        for found in pattern.finditer(text):
            yield found.start(), found.end(), rule, better
    start = 0
    for end in [m.end() for m in SENTENCE_END.finditer(text)] + [len(text)]:
        if len(WORD.findall(text[start:end])) > LONGEST:
            yield start, end, TOO_LONG, "split it"
        start = end


def check(path, text, lines=None):
    r"""Findings of one file, as (line, rule, text): in these lines, or everywhere.

    >>> list(check("a.md", "It was\nplanned\nanew.\n\nThis likewise.\n", {1, 2, 3}))
    [('a.md:3', 'an archaic word', '"anew": again, also, fix, no one, anyone who, alternately')]
    >>> list(check("a.cc", 'Error("no node ", i, "of so many");\n'))
    []
    >>> list(check("a.cc", "// It was planned anew. prose: ok\n"))
    []
    """
    for passage in passages(path, text):
        joined, begins = "", []
        for number, part in passage:
            begins.append((len(joined), number))
            joined += part.rstrip() + " "
        if MARK in joined:
            continue
        for start, end, rule, better in hits(joined.rstrip()):
            its_lines = [number for begin, number in begins if begin < end]
            its_lines = its_lines[max(i for i, (b, _) in enumerate(begins) if b <= start):]
            if lines is not None and not lines.intersection(its_lines):
                continue
            shown = joined[start:end].strip(" ,;:.(")
            shown = shown if len(shown) <= 60 else shown[:57] + "..."
            yield f"{path}:{its_lines[0]}", rule, f'"{shown}": {better}'


# --- what is checked --------------------------------------------------------------


def git(*arguments):
    """What git prints; None if it fails."""
    try:
        done = subprocess.run(("git", "-C", ROOT, *arguments), capture_output=True, text=True,
                              errors="replace", check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def default_base():
    """Where this branch left origin/main; HEAD~1 on main itself."""
    head, base = git("rev-parse", "HEAD"), git("merge-base", "HEAD", "origin/main")
    return "HEAD~1" if base is None or base == head else base.strip()


def added_lines(diff):
    r"""{path: lines} of what `git diff -U0` adds.

    >>> added_lines("+++ b/a.md\n@@ -1,2 +3,2 @@ x\n-so\n+many\n+lines\n@@ -9,0 +12 @@\n+y\n")
    {'a.md': {3, 4, 12}}
    """
    lines, path = {}, None
    for line in diff.splitlines():
        if line.startswith("+++ "):
            path = line[6:] if line.startswith("+++ b/") else None
        hunk = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if hunk and path:
            first, count = int(hunk.group(1)), int(hunk.group(2) or 1)
            lines.setdefault(path, set()).update(range(first, first + count))
    return lines


def change(base):
    """{path: lines} that differ from `base`; files that git does not know, with None."""
    diff = git("diff", "-U0", "--no-color", "--no-ext-diff", "--diff-filter=d", base)
    if diff is None:
        print(f"lint_prose: skipped: there is no git, or no commit {base}, to compare with")
        sys.exit(SKIPPED)
    files = added_lines(diff)
    for path in (git("ls-files", "--others", "--exclude-standard") or "").splitlines():
        files[path] = None
    return files


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def check_tree():
    """Prints every finding of the tree; yields one line if they are too many."""
    listed = git("ls-files")
    if listed is None:
        print("lint_prose: skipped: git lists no files here")
        sys.exit(SKIPPED)
    words, counts = 0, collections.Counter()
    for path in listed.splitlines():
        if reader_of(path) is None or not os.path.isfile(os.path.join(ROOT, path)):
            continue
        text = read(path)
        words += sum(len(part.split()) for passage in passages(path, text) for _, part in passage)
        for place, rule, shown in check(path, text):
            counts[rule] += 1
            print(f"{place}: {shown}")
    for rule, count in counts.most_common():
        print(f"{count:6} {rule}")
    rate = 1000 * counts.total() / max(words, 1)
    print(f"{counts.total()} findings in {words} words: {rate:.2f} in 1,000")
    if rate >= LIMIT:
        yield f"more than {LIMIT} in 1,000"


def findings(flags):
    if flags.tree:
        yield from check_tree()
        return
    for path, lines in sorted(change(flags.base or default_base()).items()):
        if reader_of(path) is not None:
            for place, rule, shown in check(path, read(path), lines):
                yield f"{place}: {rule}: {shown}"


def add_flags(parser):
    parser.add_argument("--base", metavar="REV", help="the lines that differ from this commit")
    parser.add_argument("--tree", action="store_true", help="every line of the tree")


if __name__ == "__main__":
    lint_main.run(findings, add_flags)
