"""docs/models.md from the results of run_model.py."""

import collections
import math
import statistics

import registry

CPU_CANNOT = "the CPU cannot run it"

# The largest difference that counts as right, relative to the largest magnitude of the CPU's
# answer: floats as in tests/testing/real_model.h. Integers are equal.
FLOATS = 2e-5
# The same in 16 bits; past it a model needs a reason here.
HALVES = 1e-2
HALF_REASONS = {
    "detector_with_suppression": "its best two scores, 0.99998 and 0.99996, are both 1 in 16 bits, "
                                 "so that NON_MAX_SUPPRESSION_V4 chooses another box"}


def error_of(result):
    """The largest difference, of an interpreter or of CompiledModel."""
    errors = [result["error"], result.get("compiled", 0)]
    return max(error for error in errors if not isinstance(error, str))


def is_right(result):
    limit = 0 if result["integers"] else max(FLOATS, result.get("reference", 0))
    return error_of(result) <= limit


def is_past(result):
    """Whether 16 bits are off by more than HALVES, or by NaN."""
    return "half" in result and not result["half"] <= HALVES


def is_whole(result):
    return "nodes" in result and result["on_gpu"] == result["nodes"]


def verdict(result):
    """One word or two of a result."""
    phase = result["phase"]
    if phase == "done":
        return "right" if is_right(result) else "wrong"
    return {"convert": "not converted", "cpu": CPU_CANNOT, "start": "not loaded",
            "delegate": "refused"}.get(phase, "failed")


def is_failure(result):
    return (verdict(result) in ("wrong", "refused", "failed", "not loaded")
            or is_past(result) and result["architecture"] not in HALF_REASONS)


def number(error):
    return f"{error:.1e}" if error else "0"


def error_text(result):
    if result["phase"] != "done":
        return ""
    reference = f" (CPU {number(result['reference'])})" if "reference" in result else ""
    return number(error_of(result)) + reference + ("" if is_right(result) else " **wrong**")


def half_text(result):
    if "half" not in result:
        return ""
    kept = f" ({result['kept']})" if result.get("kept") else ""
    error = number(result["half"])
    return (f"**{error}**" if is_past(result) else error) + kept


def compiled_text(result):
    """What CompiledModel does with a model of free dimensions."""
    if "compiled" not in result:
        return ""
    return "refuses" if isinstance(result["compiled"], str) else "runs"


def nodes_text(result):
    """The nodes on the GPU: before the first resize, if they were others, and at the end."""
    if "nodes" not in result:
        return ""
    first = f"{result['first']}, then " if result["first"] != result["on_gpu"] else ""
    parts = f" in {result['partitions']} partitions" if result["partitions"] > 1 else ""
    return f"{first}{result['on_gpu']} of {result['nodes']}{parts}"


def reason_of(result):
    """Why a model did not run, without what the runtime says before and behind it."""
    why = result.get("why", "").strip()
    if result["phase"] == "convert":
        why = why.splitlines()[-1] if why else ""
    why = " ".join(why.split()).split("Restored original execution plan")[0]
    for before in ("TfLiteGlesDelegate: ", "ops_select"):
        why = why.rsplit(before, maxsplit=1)[-1]
    return why[-200:]


def cpu_text(result):
    """The nodes that stay on the CPU with their reasons, or why the model did not run."""
    if result["phase"] != "done":
        return f"**{verdict(result)}**: {reason_of(result)}".replace("|", "\\|")
    return "; ".join(f"{op if count == 1 else f'{count} {op}'}: {reason}".replace("|", "\\|")
                     for op, reason, count in sorted(result["cpu"]))


def half_reasons(results):
    for name in sorted({r["architecture"] for r in results if is_past(r)}):
        yield f"\nPast {HALVES:g} in 16 bits is {name}: {HALF_REASONS.get(name, '**why?**')}."


def halves_by_task(results):
    """The errors in 16 bits of each kind of model."""
    errors = collections.defaultdict(list)
    for r in results:
        if "half" in r:
            errors[r["task"]].append(r["half"])
    yield from ["", "| in 16 bits | models | largest error | median |", "|---|---|---|---|"]
    for task, own in sorted(errors.items()):
        yield f"| {task} | {len(own)} | {number(max(own))} | {number(statistics.median(own))} |"


def rows(results):
    by_task = collections.defaultdict(list)
    for result in results:
        by_task[result["task"]].append(result)
    modes = list(registry.MODES)
    for task in sorted(by_task):
        yield f"\n## {task[0].upper()}{task[1:]}\n"
        yield ("| architecture | mode | on the GPU | error | in 16 bits | CompiledModel "
               "| on the CPU |")
        yield "|---|---|---|---|---|---|---|"
        for r in sorted(by_task[task], key=lambda r: (r["architecture"], modes.index(r["mode"]))):
            yield (f"| {r['architecture']} | {r['mode']} | {nodes_text(r)} | {error_text(r)} "
                   f"| {half_text(r)} | {compiled_text(r)} | {cpu_text(r)} |")


def totals(results):
    """The counts at the head of the page."""
    counts = collections.Counter(verdict(r) for r in results)
    ran = [r for r in results if verdict(r) not in ("not converted", CPU_CANNOT)]
    on_gpu, nodes = (sum(r.get(key, 0) for r in ran) for key in ("on_gpu", "nodes"))
    free = [r for r in ran if "compiled" in r]
    halves = [r for r in ran if "half" in r]
    yield (f"{len(results)} models of {len({r['architecture'] for r in results})} architectures, "
           f"of which the CPU runs {len(ran)}:\n")
    yield "- " + ", ".join(f"{counts[word]} {word}" for word in (
        "right", "wrong", "refused", "failed", "not loaded")
        if counts[word] or word in ("right", "wrong")) + "."
    yield (f"- On the GPU: {on_gpu} of {nodes} nodes ({10000 * on_gpu // max(nodes, 1) / 100}%), "
           f"{sum(map(is_whole, ran))} models whole.")
    yield (f"- With free axes: {len(free)} models, of which CompiledModel runs "
           f"{sum(not isinstance(r['compiled'], str) for r in free)} on the GPU alone.")
    yield (f"- In 16 bits: {sum(map(is_past, halves))} of {len(halves)} models past {HALVES:g}, "
           f"{sum(math.isnan(r['half']) for r in halves)} with NaN.")


def text(results):
    """The page."""
    lines = [
        "# Models", "",
        "<!-- Made by lab/zoo/zoo.py. Do not edit: run ./dev zoo. -->", "",
        "Small models as converters write them today, with random weights, on the CPU and on the",
        "GPU of LiteRT 2.3. All partitions are delegated (`max_delegated_partitions: 0`), because",
        "models this small do not pay for the way to the GPU. `./dev zoo` makes the models, runs",
        "them, and writes this page.", "",
        "One measure decides, and the rows show it: the largest difference between an output and",
        "the CPU's, divided by the largest magnitude in the CPU's. Rounding in 32 bits explains",
        f"up to {FLOATS:.0e}. Past that an answer is right only if the CPU's own two sets of",
        "kernels, XNNPACK's and the plain ones, differ by as much (shown behind it). Integers",
        "are equal.", "",
        "The error in 16 bits (`is_precision_loss_allowed: 1`) is measured alike, from the CPU's",
        "answer in 32 bits; behind it is how many nodes stay in 32 bits. With dynamic int8 and",
        "int4 the CPU rounds activations to 8 bits, and the GPU does not: the CPU's answer to",
        "compare with is that of the model with its weights as floats.",
        "", "A model with free axes is resized to three sizes in one interpreter, and compared at",
        "each with a new interpreter on the CPU. If the GPU had other nodes before the first",
        "resize, both numbers are shown. Such a model also runs in LiteRT's CompiledModel for the",
        "GPU alone, which refuses a model that is not whole. A model with several signatures runs",
        "each.", "", "| mode | what it is |", "|---|---|"]
    lines += [f"| {mode} | {what} |" for mode, what in registry.MODES.items()]
    lines += ["", *totals(results), *half_reasons(results), *halves_by_task(results),
              *rows(results)]
    return "\n".join(lines) + "\n"
