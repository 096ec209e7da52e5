#!/usr/bin/env python3
"""Draws the README's table of speed: plot_speed.py README.md > docs/images/speed.svg.

A group of bars for each model, a bar for each column in milliseconds. Needs nothing but Python.
"""

import sys
from html import escape

WIDTH, LEFT, TOP, BAR, GAP = 560, 270, 56, 13, 16
COLOURS = ("#1b6ca8", "#9aa5b1", "#f0975a", "#c9b458")


def table(text):
    """The heads and rows of the first table that has milliseconds.

    >>> table("| model | ours, ms | theirs |\\n|---|---:|---:|\\n| a_b | 0.25 | 2 |\\n| c |  | 3 |\\n")
    (['ours, ms'], [('a_b', [0.25]), ('c', [None])])
    """
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| model |") and "ms" in line)
    heads = [cell.strip() for cell in lines[first].strip("|").split("|")[1:]]
    in_ms = [head.endswith("ms") for head in heads]
    rows = []
    for line in lines[first + 2:]:
        if not line.startswith("|"):
            break
        name, *cells = [cell.strip() for cell in line[1:-1].split("|")]
        rows.append((name, [float(cell) if cell else None
                            for cell, kept in zip(cells, in_ms) if kept]))
    return [head for head, kept in zip(heads, in_ms) if kept], rows


def draw(heads, rows):
    longest = max(value for _, values in rows for value in values if value)
    group = BAR * len(heads) + GAP
    height = TOP + group * len(rows)
    parts, at = [], LEFT
    for head, colour in zip(heads, COLOURS):
        parts.append(f'<rect x="{at}" y="18" width="12" height="12" fill="{colour}"/>'
                     f'<text x="{at + 17}" y="28">{escape(head)}</text>')
        at += 30 + 7 * len(head)
    for index, (name, values) in enumerate(rows):
        y = TOP + group * index
        parts.append(f'<text x="{LEFT - 8}" y="{y + BAR * len(heads) / 2 + 4}" '
                     f'text-anchor="end">{escape(name)}</text>')
        for bar, (value, colour) in enumerate(zip(values, COLOURS)):
            if value is None:
                continue
            length = round(WIDTH * value / longest, 1)
            parts.append(f'<rect x="{LEFT}" y="{y + BAR * bar}" width="{length}" '
                         f'height="{BAR - 2}" fill="{colour}"/>'
                         f'<text x="{LEFT + length + 5}" y="{y + BAR * bar + 10}" '
                         f'font-size="11">{value:g}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 60} {height}" '
            'font-family="sans-serif" font-size="12">'
            '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(parts) + "\n</svg>")


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        print(draw(*table(file.read())))


if __name__ == "__main__":
    main()
