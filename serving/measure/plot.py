#!/usr/bin/env python3
"""Draws what sweep.py wrote: plot.py sweep.json TITLE > plot.svg. Needs nothing but Python.

A row of two charts for each model: requests a second, and p50 (line) with p99 (dots), against
concurrency; both axes logarithmic.
"""

import json
import math
import sys
from html import escape

WIDTH, HEIGHT, LEFT, TOP, GAP, LEGEND = 420, 250, 60, 70, 70, 200
# By what a label begins with: from one instance to the most, then batches.
COLOURS = {"delegate": ("#9ccbea", "#4da3d9", "#1b6ca8", "#0b3c5d", "#2a9d5c"),
           "XNNPACK": ("#f7c59f", "#f0975a", "#c8501e", "#7a2d0c", "#b8860b")}


def ticks(low, high):
    """1, 2, 5, 10, ... around the values."""
    made = [base * 10.0 ** power for power in range(-3, 7) for base in (1, 2, 5)]
    first = max([t for t in made if t <= low], default=made[0])
    last = min([t for t in made if t >= high], default=made[-1])
    return [t for t in made if first <= t <= last]


class Chart:
    """One chart at (x, y), with its scales."""

    def __init__(self, x, y, levels, values, title):
        self.x, self.y, self.levels = x, y, levels
        self.ticks = ticks(min(values), max(values))
        self.parts = [f'<text x="{x}" y="{y - 10}" font-weight="bold">{escape(title)}</text>']
        for tick in self.ticks:
            at = self.up(tick)
            self.parts.append(f'<path d="M{x} {at}h{WIDTH}" stroke="#ddd"/>'
                              f'<text x="{x - 6}" y="{at + 4}" text-anchor="end">{tick:g}</text>')
        for level in levels:
            self.parts.append(f'<text x="{self.right(level)}" y="{y + HEIGHT + 16}" '
                              f'text-anchor="middle">{level}</text>')

    def right(self, level):
        low, high = math.log(self.levels[0]), math.log(self.levels[-1])
        return round(self.x + 12 + (WIDTH - 24) * (math.log(level) - low) / (high - low), 1)

    def up(self, value):
        low, high = math.log(self.ticks[0]), math.log(self.ticks[-1])
        return round(self.y + HEIGHT * (1 - (math.log(value) - low) / (high - low)), 1)

    def line(self, points, colour):
        path = " ".join(f"{self.right(x)},{self.up(y)}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" '
                          'stroke-width="2"/>')

    def dots(self, points, colour):
        for x, y in points:
            self.parts.append(f'<circle cx="{self.right(x)}" cy="{self.up(y)}" r="3" '
                              f'fill="{colour}"/>')


def row(model, rows, y):
    """The two charts of a model."""
    labels = list(dict.fromkeys(r["label"] for r in rows))
    levels = sorted({r["concurrency"] for r in rows})
    rate = Chart(LEFT, y, levels, [r["per_second"] for r in rows],
                 f"{model}: requests a second")
    latency = Chart(LEFT + WIDTH + GAP, y, levels,
                    [r[key] for r in rows for key in ("p50_ms", "p99_ms")],
                    f"{model}: p50 (line) and p99 (dots), ms")
    for index, label in enumerate(labels):
        mine = sorted((r for r in rows if r["label"] == label), key=lambda r: r["concurrency"])
        backend = label.split(",")[0]
        mine_of = [other for other in labels if other.split(",")[0] == backend]
        colour = COLOURS[backend][-1 if "batches" in label else mine_of.index(label)]
        rate.line([(r["concurrency"], r["per_second"]) for r in mine], colour)
        latency.line([(r["concurrency"], r["p50_ms"]) for r in mine], colour)
        latency.dots([(r["concurrency"], r["p99_ms"]) for r in mine], colour)
        rate.parts.append(f'<text x="{LEFT + 2 * WIDTH + GAP + 20}" y="{y + 16 + 18 * index}" '
                          f'fill="{colour}">'
                          f'{escape(label)}</text>')
    return rate.parts + latency.parts


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = json.load(file)
    models = list(dict.fromkeys(r["model"] for r in rows))
    parts = [f'<text x="{LEFT}" y="26" font-size="15">{escape(sys.argv[2])}</text>']
    for index, model in enumerate(models):
        parts += row(model, [r for r in rows if r["model"] == model],
                     TOP + index * (HEIGHT + 70))
    height = TOP + len(models) * (HEIGHT + 70)
    parts.append(f'<text x="{LEFT + WIDTH + GAP / 2}" y="{height - 14}" text-anchor="middle">'
                 'requests under way at once</text>')
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + 2 * WIDTH + GAP + LEGEND} '
          f'{height}" font-family="sans-serif" font-size="12">'
          '<rect width="100%" height="100%" fill="white"/>' + "\n".join(parts) + "</svg>")


if __name__ == "__main__":
    main()
