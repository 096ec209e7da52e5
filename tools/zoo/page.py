"""docs/models.md from the results of run_model.py."""

import collections

import registry

# The largest difference that counts as right, relative to the largest magnitude of the CPU's
# answer: floats as in tests/testing/real_model.h. Integers are equal.
FLOATS = 2e-5


def is_right(result):
    return result["of_largest"] <= (0 if result["integers"] else FLOATS)


def verdict(result):
    """One word or two of a result."""
    phase = result["phase"]
    if phase == "done":
        return "right" if is_right(result) else "wrong"
    return {"convert": "not converted", "cpu": "the CPU cannot run it", "start": "not loaded",
            "delegate": "refused", "gpu": "failed"}[phase]


def is_failure(result):
    return verdict(result) in ("wrong", "refused", "failed", "not loaded")


def error_text(result):
    if result["phase"] != "done":
        return ""
    if result["error"] == 0:
        return "0"
    return f"{result['error']:.1e}" + ("" if is_right(result) else " **wrong**")


def reason_of(result):
    """Why a model did not run, without what the runtime says before and behind it."""
    why = result.get("why", "").strip()
    if result["phase"] == "convert":
        why = why.splitlines()[-1] if why else ""
    why = " ".join(why.split()).split("Restored original execution plan")[0]
    return why.rsplit("TfLiteGlesDelegate: ", maxsplit=1)[-1][-200:]


def cpu_text(result):
    """The nodes that stay on the CPU, or why the model did not run."""
    if result["phase"] != "done":
        return f"**{verdict(result)}**: {reason_of(result)}".replace("|", "\\|")
    counts = collections.Counter()
    for op, _, count in result["cpu"]:
        counts[op] += count
    return ", ".join(op if count == 1 else f"{count} {op}"
                     for op, count in sorted(counts.items()))


def rows(results):
    by_task = collections.defaultdict(list)
    for result in results:
        by_task[result["task"]].append(result)
    modes = list(registry.MODES)
    for task in sorted(by_task):
        yield f"\n## {task[0].upper()}{task[1:]}\n"
        yield "| architecture | mode | on the GPU | partitions | largest error | on the CPU |"
        yield "|---|---|---|---|---|---|"
        for r in sorted(by_task[task], key=lambda r: (r["architecture"], modes.index(r["mode"]))):
            nodes = f"{r['on_gpu']} of {r['nodes']}" if "nodes" in r else ""
            yield (f"| {r['architecture']} | {r['mode']} | {nodes} | {r.get('partitions', '')} "
                   f"| {error_text(r)} | {cpu_text(r)} |")


def reasons(results):
    """Each reason for which an op stays on the CPU, and how many models have it."""
    models = collections.defaultdict(set)
    for r in results:
        for op, reason, _ in r.get("cpu", []):
            if not op.startswith("the partition"):
                models[op, without_names(reason)].add((r["architecture"], r["mode"]))
            else:
                models["a partition", "past max_delegated_partitions"].add(
                    (r["architecture"], r["mode"]))
    for (op, reason), found in sorted(models.items(), key=lambda kv: (-len(kv[1]), kv[0])):
        yield f"| {op} | {reason} | {len(found)} |".replace("\\", "")


def without_names(reason):
    """A reason without the name of a tensor, so that equal reasons are counted together."""
    if reason.startswith("'"):
        end = reason.find("' ")
        return "a tensor " + reason[end + 2:].split("] ", 1)[-1] if end > 0 else reason
    return reason


def totals(results):
    counts = collections.Counter(verdict(r) for r in results)
    done = [r for r in results if "nodes" in r]
    on_gpu, nodes = (sum(r[key] for r in done) for key in ("on_gpu", "nodes"))
    whole = sum(r["on_gpu"] == r["nodes"] for r in done)
    ran = [r for r in results if verdict(r) not in ("not converted", "the CPU cannot run it")]
    yield (f"{len({r['architecture'] for r in results})} architectures, {len(results)} models, "
           f"{len(ran)} that the CPU runs: " + ", ".join(
               f"{counts[name]} {name}" for name in
               ("right", "wrong", "refused", "failed", "not loaded") if counts[name]) + ".")
    if nodes:
        yield (f"{on_gpu} of the {nodes} nodes of models that were not refused run on the GPU "
               f"({100 * on_gpu / nodes:.1f}%); {whole} models run there whole.")


def text(results):
    lines = [
        "# Models", "",
        "<!-- Made by tools/zoo/zoo.py. Do not edit: run ./dev zoo. -->", "",
        "Small models as converters write them today, with random weights, on the CPU and on the",
        "GPU of LiteRT 2.3. All partitions are delegated (`max_delegated_partitions: 0`): models as",
        "small as these do not pay for the way to the GPU. The error is the largest difference from",
        "the CPU's answer, relative to the range of that answer. Models with free dimensions run",
        "with two sizes, and models with several signatures run each. With dynamic int8 and int4 the",
        "CPU rounds activations to 8 bits, and the GPU does not: the CPU's answer to compare with is",
        "that of the model with its weights as floats. `./dev zoo` makes the models, runs them, and",
        "writes this page.",
        "", "| mode | what it is |", "|---|---|"]
    lines += [f"| {mode} | {what} |" for mode, what in registry.MODES.items()]
    lines += ["", *totals(results), *rows(results), "", "## Why nodes stay on the CPU", "",
              "| op | reason | models |", "|---|---|---|", *reasons(results)]
    return "\n".join(lines) + "\n"
