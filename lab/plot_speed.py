"""Draws the README's table of speed: a group of bars for each model, each group on its own scale."""

import re
from html import escape

WIDTH, LEFT, TOP, BAR, GAP = 520, 270, 56, 13, 16
COLOURS = ("#1b6ca8", "#c9b458", "#f0975a", "#9aa5b1")


def ms_of(cell):
    """
    >>> ms_of("1,234 (29 of 31 nodes)"), ms_of("ends by signal 11"), ms_of("")
    (1234.0, None, None)
    """
    found = re.match(r"[\d,.]+(?= \(|$)", cell)
    return float(found.group().replace(",", "")) if found else None


def draw(heads, rows):
    """The picture of a table: titles of columns, and rows of a name and cells in ms.

    >>> text = draw(["a", "b"], [["m", "0.50", "2.00 (1 of 2 nodes)"], ["n", "9.00", "not here"]])
    >>> import re; re.findall(r'width="([\\d.]+)" height="11"', text)
    ['130.0', '520.0', '520.0']
    """
    group = BAR * len(heads) + GAP
    height = TOP + group * len(rows)
    parts, at = [], 20
    for head, colour in zip(heads, COLOURS):
        parts.append(f'<rect x="{at}" y="18" width="12" height="12" fill="{colour}"/>'
                     f'<text x="{at + 17}" y="28">{escape(head)}</text>')
        at += 40 + 7 * len(head)
    parts.append(f'<text x="{LEFT + WIDTH + 50}" y="28" text-anchor="end">ms, shorter is faster</text>')
    for index, (name, *cells) in enumerate(rows):
        values = [ms_of(cell) for cell in cells]
        longest = max([value for value in values if value] or [1])
        y = TOP + group * index
        parts.append(f'<text x="{LEFT - 8}" y="{y + BAR * len(heads) / 2 + 4}" '
                     f'text-anchor="end">{escape(name)}</text>')
        for bar, (cell, value, colour) in enumerate(zip(cells, values, COLOURS)):
            if value is None:
                continue
            label = cell.partition(" (")[0]
            length = round(WIDTH * value / longest, 1)
            parts.append(f'<rect x="{LEFT}" y="{y + BAR * bar}" width="{length}" '
                         f'height="{BAR - 2}" fill="{colour}"/>'
                         f'<text x="{LEFT + length + 5}" y="{y + BAR * bar + 10}" '
                         f'font-size="11">{label}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 60} {height}" '
            'font-family="sans-serif" font-size="12">'
            '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(parts) + "\n</svg>")
