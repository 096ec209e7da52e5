#!/usr/bin/env python3
"""Draws what long runs hold: plot_lives.py TITLE FILE.csv > plot.svg. Needs nothing but Python.

FILE.csv has the lines of tools/soak.cc and of delegate_growth_test's long run, one under
another: run,count,resident_kb,heap_kb,threads,files,gl_objects. "run" names the run that the line
belongs to, "count" how many lives have ended; a cell may be empty. Each quantity has a chart, from
0 up, with a line for each run.
"""

import csv
import sys
from html import escape

WIDTH, HEIGHT, LEFT, TOP, GAP = 250, 130, 60, 70, 70
COLOURS = ("#1b6ca8", "#c8501e", "#2a9d5c", "#7a4fa3", "#b8860b")
QUANTITIES = {"resident_kb": "resident, KiB", "heap_kb": "heap, KiB", "threads": "threads",
              "files": "open files", "gl_objects": "GL objects left"}


def series(rows, run, quantity):
    """The points of a run.

    >>> rows = [{"run": "a", "count": "2", "files": "6"}, {"run": "b", "count": "3", "files": "7"},
    ...         {"run": "a", "count": "4", "files": ""}]
    >>> series(rows, "a", "files")
    [(2, 6)]
    """
    return [(int(r["count"]), int(r[quantity])) for r in rows
            if r["run"] == run and r[quantity] != ""]


def ceiling(most):
    """A round number above all values: the chart's top.

    >>> [ceiling(v) for v in (0, 3, 11, 161628)]
    [1, 5, 20, 200000]
    """
    made = [digit * 10 ** power for power in range(9) for digit in (1, 2, 5)]
    return next(v for v in made if v > most)


def chart(x, title, lines):
    """The chart of one quantity, at `x`; `lines` has the points and the colour of each run."""
    points = [p for line, _ in lines for p in line]
    last, top = max(p[0] for p in points), ceiling(max(p[1] for p in points))
    parts = [f'<text x="{x}" y="{TOP - 10}" font-weight="bold">{escape(title)}</text>',
             f'<path d="M{x} {TOP}v{HEIGHT}h{WIDTH}" fill="none" stroke="#999"/>']
    for value in (0, top):
        at = TOP + HEIGHT * (1 - value / top)
        parts.append(f'<text x="{x - 6}" y="{at + 4:.0f}" text-anchor="end">{value:,}</text>')
    parts.append(f'<text x="{x + WIDTH}" y="{TOP + HEIGHT + 16}" text-anchor="end">{last:,} lives'
                 '</text>')
    for line, colour in lines:
        path = " ".join(f"{x + WIDTH * count / last:.1f},{TOP + HEIGHT * (1 - v / top):.1f}"
                        for count, v in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" '
                     'stroke-width="2"/>')
    return parts


def plot(title, rows):
    """The whole picture, as SVG."""
    runs = list(dict.fromkeys(r["run"] for r in rows))
    parts = [f'<text x="{LEFT}" y="26" font-size="15">{escape(title)}</text>']
    for index, (quantity, name) in enumerate(QUANTITIES.items()):
        lines = [(series(rows, run, quantity), COLOURS[i]) for i, run in enumerate(runs)]
        parts += chart(LEFT + index * (WIDTH + GAP), name, [each for each in lines if each[0]])
    for i, run in enumerate(runs):
        parts.append(f'<text x="{LEFT}" y="{TOP + HEIGHT + 40 + 18 * i}" fill="{COLOURS[i]}">'
                     f'{escape(run)}</text>')
    width = LEFT + len(QUANTITIES) * (WIDTH + GAP)
    height = TOP + HEIGHT + 50 + 18 * len(runs)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="12">'
            '<rect width="100%" height="100%" fill="white"/>' + "\n".join(parts) + "</svg>")


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return
    with open(sys.argv[2], encoding="utf-8") as file:
        print(plot(sys.argv[1], list(csv.DictReader(file))))


if __name__ == "__main__":
    main()
