#!/usr/bin/env python3
"""Tables and proposals for presets from the files that board.py writes.

    lab/drivers/board_table.py BOARD.json...

Prints Markdown: the boards, their models' latencies, and for each family of
drivers the parameters on which most of its models' tuning agrees. These are a
proposal for the family's preset in delegate/device/device_profile.cc;
docs/new_driver.md has the checks that it needs before.
"""
import collections
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from tables import code, table  # noqa: E402  pylint: disable=wrong-import-position

# A proposal needs so large a part of a family's tuned models.
AGREEMENT = 0.5


def parameters(text):
    """
    >>> parameters("storage=2,conv_tile_pixels=4")
    {'storage': 2, 'conv_tile_pixels': 4}
    """
    return {name: int(value) for name, value in
            (item.split("=") for item in text.split(",") if item)}


def demo_text(demo):
    if not demo["ok"]:
        return "wrong: " + code(demo["why"])
    return "right, self-check: " + ", ".join(demo["self_check"])


def boards_table(boards):
    rows = []
    for b in boards:
        c = b.get("conformance", {"passed": 0, "run": 0, "what": "not run"})
        rows.append([b["machine"]["board"] or b["machine"]["processor"],
                     f"`{code(b['renderer'])}`", f"`{code(b['driver'])}`", b["date"],
                     f"{c['passed']} of {c['run']} ({c['what']})", demo_text(b["demo"])])
    return table(["board", "GL_RENDERER", "GL_VERSION", "date", "conformance cases right",
                       "demo"], rows)


def models_table(boards):
    rows = []
    for b in boards:
        for name, m in b.get("models", {}).items():
            times = m["latency"]["median_ms"]
            tuned = m.get("tuned", {}).get("median_ms", {})
            rows.append([f"`{code(b['renderer'])}`", name, "yes" if m["right"] else "NO",
                         *(f"{t:.2f}" if t is not None else "-" for t in
                           (times.get("gles"), tuned.get("gles"), times.get("xnnpack"),
                            times.get("cpu")))])
    return table(["GL_RENDERER", "model", "right", "GLES, ms", "tuned, ms", "XNNPACK, ms",
                       "CPU, ms"], rows)


def proposals(boards):
    """{family: {parameter: (value, models that agree, models)}}.

    >>> tuned = {"tuned": {"tuning": [{"profile": "storage=2", "before_ms": 2, "after_ms": 1}]}}
    >>> worse = {"tuned": {"tuning": [{"profile": "storage=0", "before_ms": 2, "after_ms": 1}]}}
    >>> proposals([{"driver_family": "V3D", "models": {"a": tuned, "b": tuned, "c": worse}}])
    {'V3D': {'storage': (2, 2, 3)}}
    """
    votes = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for b in boards:
        for m in b.get("models", {}).values():
            for found in m.get("tuned", {}).get("tuning", []):
                for name, value in parameters(found["profile"]).items():
                    votes[b["driver_family"]][name][value] += 1
    result = {}
    for family, names in votes.items():
        for name, counts in names.items():
            (value, count), = counts.most_common(1)
            if count > AGREEMENT * sum(counts.values()):
                result.setdefault(family, {})[name] = (value, count, sum(counts.values()))
    return result


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    boards = [json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:]]
    boards = [b for b in boards if b.get("renderer")]
    print("## Boards\n\n" + boards_table(boards))
    print("\n## Models\n\n" + models_table(boards))
    for family, names in sorted(proposals(boards).items()):
        print(f"\n## Proposal for {family}\n")
        print(table(["parameter", "value", "models that agree"],
                         [[f"`{n}`", v, f"{count} of {of}"]
                          for n, (v, count, of) in sorted(names.items())]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
