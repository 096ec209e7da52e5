"""Tables in Markdown."""


def row(cells):
    return "| " + " | ".join(str(c) for c in cells) + " |"


def table(heads, rows):
    return "\n".join([row(heads), "|" + "---|" * len(heads), *map(row, rows)])


def code(text):
    return str(text).replace("|", "\\|").replace("\n", " ").strip()
