#!/usr/bin/env python3
"""Compares the drivers' compiled code of two revisions, program by program.

    ./dev drivers asahi_m1 --results_dir=/somewhere/before    # at one revision
    ./dev drivers asahi_m1 --results_dir=/somewhere/after     # at another
    lab/compare_drivers.py /somewhere/before /somewhere/after
    lab/compare_drivers.py before/asahi_m1.json after/asahi_m1.json

Prints, for each driver that both have, the programs whose numbers differ (more
registers, spills, instructions, fewer waves), those that are new or gone, and the
sums. Exit status: 1 if a program spills more registers, is refused or is in fewer
waves than before, or if a model's programs have over 5% more instructions,
registers or cycles; 2 if there is nothing to compare; else 0.
"""
import argparse
import json
import pathlib
import sys

# For each number: is more of it worse?
WORSE_WHEN_MORE = {"registers": True, "spills": True, "instructions": True, "waves": False,
                   "threads": False, "simd": False, "shared_bytes": True, "lds_bytes": True,
                   "code_bytes": True, "cycles": True}
# Differences that fail the comparison.
GRAVE = ("spills", "waves", "threads", "simd")
# Sums over a model's programs that may grow by this share.
LIMITED, MOST_GROWTH = ("registers", "instructions", "cycles"), 0.05


def load(path):
    """{driver's name: results} of a file or a folder of files."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    results = [json.loads(f.read_text()) for f in files]
    return {r["name"]: r for r in results if r.get("kind") == "compiles"}


def programs(result):
    """{(model, program): numbers}."""
    return {(model, label): numbers for model, m in result["models"].items()
            for label, numbers in m["programs"].items()}


def changes(before, after):
    """Yields (key, name, old, new) of the numbers that differ.

    >>> list(changes({("m", "a"): {"spills": 0, "registers": 8}},
    ...              {("m", "a"): {"spills": 4, "registers": 8}}))
    [(('m', 'a'), 'spills', 0, 4)]
    """
    for key in sorted(before.keys() & after.keys()):
        for name in WORSE_WHEN_MORE:
            old, new = before[key].get(name), after[key].get(name)
            if old is not None and new is not None and old != new:
                yield key, name, old, new


def is_worse(name, old, new):
    """
    >>> is_worse("waves", 8, 4), is_worse("registers", 8, 4)
    (True, False)
    """
    return new > old if WORSE_WHEN_MORE[name] else new < old


def sums(all_programs):
    return {name: sum(n.get(name, 0) for n in all_programs.values())
            for name in WORSE_WHEN_MORE
            if any(name in n for n in all_programs.values())}


def grown(before, after):
    """Yields (model, name, old, new) of the sums past MOST_GROWTH.

    >>> list(grown({("m", "a"): {"cycles": 90}, ("m", "b"): {"cycles": 10}},
    ...            {("m", "a"): {"cycles": 95}, ("m", "c"): {"cycles": 11}}))
    [('m', 'cycles', 100, 106)]
    """
    for model in sorted({model for model, _ in before.keys() & after.keys()}):
        old, new = (sums({key: n for key, n in all_programs.items() if key[0] == model})
                    for all_programs in (before, after))
        for name in LIMITED:
            if new.get(name, 0) > (1 + MOST_GROWTH) * old.get(name, float("inf")):
                yield model, name, old[name], new[name]


def compare(before, after):
    """Prints one driver's comparison; True where something grave is worse."""
    old, new = programs(before), programs(after)
    print(f"\n{after['title']}: {before['revision']} -> {after['revision']}, {len(old)} -> "
          f"{len(new)} programs")
    grave = False
    for (model, label), name, was, is_now in changes(old, new):
        worse = is_worse(name, was, is_now)
        grave |= worse and name in GRAVE
        print(f"  {'worse ' if worse else 'better'} {name:12} {was:6} -> {is_now:6}  "
              f"{model}: {label}")
    for key in sorted(new.keys() - old.keys()):
        print(f"  new    {key[0]}: {key[1]}")
    for key in sorted(old.keys() - new.keys()):
        print(f"  gone   {key[0]}: {key[1]}")
    for model, m in after["models"].items():
        if not m["whole"] and before["models"].get(model, {}).get("whole"):
            grave = True
            print(f"  no longer whole: {model}: {m['why'] or '; '.join(m['refused'])}")
    for model, name, was, is_now in grown(old, new):
        grave = True
        print(f"  past {MOST_GROWTH:.0%}: {name} of {model}: {was} -> {is_now}")
    totals_before, totals_after = sums(old), sums(new)
    for name, total in totals_after.items():
        print(f"  sum of {name}: {totals_before.get(name, 0)} -> {total}")
    return grave


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    flags = parser.parse_args()
    before, after = load(flags.before), load(flags.after)
    common = [name for name in after if name in before]
    if not common:
        print("no compiling driver is in both", file=sys.stderr)
        return 2
    grave = [compare(before[name], after[name]) for name in common]
    return 1 if any(grave) else 0


if __name__ == "__main__":
    sys.exit(main())
