"""The report of ./dev drivers: what was found out about each driver that was tried."""
import json


def row(cells):
    return "| " + " | ".join(str(c) for c in cells) + " |"


def table(heads, rows):
    return "\n".join([row(heads), "|" + "---|" * len(heads), *map(row, rows)])


def code(text):
    return str(text).replace("|", "\\|").replace("\n", " ").strip()


def models_text(models):
    right = [m for m in models.values() if m["right"]]
    whole = [m for m in right if m["nodes_total"] == m["nodes_delegated"]]
    return f"{len(right)} of {len(models)} right, {len(whole)} of them whole"


def demo_text(demo):
    if not demo["ok"]:
        return "wrong: " + code(demo["why"])
    return "right, self-check: " + ", ".join(demo["self_check"])


def cache_text(cache):
    if cache.get("loaded"):
        return f"{cache['loaded']} loaded, {cache['compiled']} compiled"
    return "none: " + code(cache.get("why") or cache.get("state", "?"))


def borrowed_text(borrowed):
    failed = [name for test in borrowed.values() for name in test["failed"]]
    passed = sum(test["passed"] for test in borrowed.values())
    broken = [t["why"] for t in borrowed.values() if t["why"] and not t["failed"]]
    text = f"{passed} passed"
    if failed:
        text += "; failed: " + ", ".join(f"`{name}`" for name in failed)
    return text + ("; " + code(broken[0]) if broken else "")


def computing_table(results):
    rows = []
    for r in results:
        c = r["conformance"]
        cases = f"{c['passed']} of {c['run']} ({c['what']})" if c["run"] else code(c["why"])
        rows.append([r["title"], cases, models_text(r["models"]), demo_text(r["demo"]),
                     borrowed_text(r["borrowed"]), cache_text(r["cache"])])
    return table(["driver", "conformance cases right", "models", "demo", "tests of lent contexts",
                  "a second start's programs"], rows)


def checkout_text(result):
    """The revision, and the older ones of what was not run again (--keep_others, --step).

    >>> checkout_text({"revision": "b", "models": {"m": {"checkout": "a"}, "n": {}}})
    'b; others of a'
    """
    older = sorted({*result.get("older", []),
                    *(m["checkout"] for m in result["models"].values() if "checkout" in m)}
                   - {result["revision"]})
    return "; others of ".join([result["revision"], *older])


def identity_table(results):
    rows = [[r["title"], f"`{code(r['renderer'])}`", f"`{code(r['driver'])}`", r["driver_family"],
             r["date"], checkout_text(r)] for r in results]
    return table(["driver", "GL_RENDERER", "GL_VERSION", "family", "date", "checkout"], rows)


def limits_table(results):
    keys = [("compute_work_group_invocations", "invocations of a work group"),
            ("compute_shared_memory_size", "shared memory, bytes"),
            ("texture_size", "texture side"), ("array_texture_layers", "layers"),
            ("texture_buffer_size", "texels of a texel buffer"),
            ("compute_shader_storage_blocks", "storage blocks"),
            ("compute_image_uniforms", "images"),
            ("shader_storage_block_size", "bytes of a storage block"),
            ("program_binary_formats", "binary formats")]
    rows = [[r["title"], *(r["limits"].get(key, "?") for key, _ in keys)] for r in results]
    return table(["driver", *(head for _, head in keys)], rows)


def whole_text(models):
    """How many models are whole, each with every storage with which it was compiled.

    >>> whole_text({"a float32": {"whole": True}, "a float32 buffer": {"whole": False},
    ...             "b float32": {"whole": True}})
    '1 of 2'
    """
    whole = {}
    for name, m in models.items():
        stem = name.split(" ")[0]
        whole[stem] = whole.get(stem, True) and m["whole"]
    return f"{sum(whole.values())} of {len(whole)}"


def storages_text(models):
    """
    >>> storages_text({"a float32": {}, "a float32 buffer": {}}), storages_text({"a float32": {}})
    (', every storage', '')
    """
    return ", every storage" if any(len(name.split(" ")) > 2 for name in models) else ""


def compiling_table(results):
    rows = []
    for r in results:
        for precision in ("float32", "float16"):
            models = {n: m for n, m in r["models"].items() if f" {precision}" in n}
            tells_spills = any("spilling" in m for m in models.values())
            spilling = sum(m.get("spilling", 0) for m in models.values())
            rows.append([
                r["title"], precision + storages_text(models), whole_text(models),
                sum(m["programs"] for m in models.values()),
                sum(m.get("failed", 0) for m in models.values()),
                spilling if tells_spills else "not told",
                max((m.get("max_registers", 0) for m in models.values()), default=0),
                occupancy_text(models)])
    return table(["driver", "storage", "models whole", "programs", "not compiled",
                  "that spill", "most registers", "least resident"], rows)


def occupancy_text(models):
    for key, unit in ("min_waves", "waves"), ("min_threads", "threads"), ("min_simd", "wide"):
        values = [m[key] for m in models.values() if key in m]
        if values:
            return f"{min(values)} {unit}"
    return "not told"


def results_of(descriptions, folder):
    """The summaries that `folder` has, in the order of the descriptions."""
    paths = [folder / f"{d['name']}.json" for d in descriptions]
    return [json.loads(path.read_text()) for path in paths if path.exists()]


def spills(results):
    """The programs that spill most, five of a driver and model.

    >>> spills([{"title": "A", "models": {"m float32": {"worst": [["P 1 (p.comp)", 7]]}}}])
    '| driver | model | program | spilled |\\n|---|---|---|---|\\n| A | m float32 | P 1 (p.comp) | 7 |'
    """
    rows = [[r["title"], name, program, count] for r in results
            for name, m in r["models"].items() for program, count in m.get("worst", [])]
    return table(["driver", "model", "program", "spilled"], rows) if rows else "None."


def heaviest_of(result):
    """{model: its heaviest nodes} with the driver's own choice of storage and 32-bit floats."""
    return {name.split(" ")[0]: m["heaviest"] for name, m in result["models"].items()
            if m.get("heaviest") and name.endswith(" float32")}


def occupancy_table(results):
    """How many of each model's heaviest nodes run at full occupancy, a column a driver.

    >>> occupancy_table([{"title": "A", "models": {"m float32": {"heaviest": {
    ...     "nodes": 10, "full": 7, "least": 8, "short": {}, "share": 0.9}}}}]).splitlines()[2]
    '| m | 7 of 10, least 8 |'
    """
    told = [r for r in results if heaviest_of(r)]
    models = sorted({name for r in told for name in heaviest_of(r)})

    def cell(result, name):
        h = heaviest_of(result).get(name)
        if h is None:
            return "-"
        text = f"{h['full']} of {h['nodes']}"
        return text if h["full"] == h["nodes"] else f"{text}, least {h['least']}"

    return table(["model", *(r["title"].split(": ")[-1] for r in told)],
                 [[name, *(cell(r, name) for r in told)] for name in models])


def short_table(results):
    """Which programs of the heaviest nodes are not at full occupancy, by driver and shader.

    >>> short_table([{"title": "A", "models": {"m float32": {"heaviest": {
    ...     "short": {"c.comp": [2, 8, 40]}}}}}]).splitlines()[2]
    '| A | c.comp | 2 | 8 | 40 |'
    """
    rows = []
    for r in results:
        shaders = {}
        for heavy in heaviest_of(r).values():
            for shader, (count, least, most) in heavy["short"].items():
                found = shaders.setdefault(shader, [0, least, 0])
                found[:] = [found[0] + count, min(found[1], least), max(found[2], most)]
        rows += [[r["title"], shader, *found] for shader, found in sorted(shaders.items())]
    return table(["driver", "shader", "programs", "least resident", "most registers"], rows)


def occupancy_part(results):
    """The part of the page about the heaviest nodes; nothing where none was looked at."""
    if not any(heaviest_of(r) for r in results):
        return []
    return ["", "### The ten heaviest nodes of each model", "",
            "Of the ten nodes that multiply most (with what was fused into them, 32-bit floats), how many "
            "run at full occupancy: all waves or threads that the processor can hold, for Intel "
            "vectors of 16 invocations. A node is as full as the least full of its programs; fewer "
            "than ten nodes are counted where a model has no more convolutions.", "",
            occupancy_table(results), "",
            "The others are short of registers, as the compilers' counts show: a convolution keeps the sums of its tile, a "
            "depthwise convolution the texels of a whole window. These are their programs, each once a "
            "model:", "", short_table(results)]


def model_failure(name, model):
    """(name, why) of a model that is not right or whole; None where it is."""
    if model.get("right", True) and not model.get("failed") and model["nodes_total"] == model["nodes_delegated"] > 0:
        return None
    refused = "; ".join(model.get("refused", []))
    why = model.get("why") or refused or "past the bound"
    error = model.get("error")
    if isinstance(error, float) and not model.get("right", True):
        why += f" (error {error:.2g})"
    return name.split(" ")[0], code(why)


def failures(results):
    """Wrong or refused results: a row for each, with the drivers that have it.

    >>> failures([{"title": "A", "models": {
    ...     "m float32": {"nodes_total": 2, "nodes_delegated": 1, "why": "", "refused": ["X: no"]},
    ...     "m float16": {"nodes_total": 2, "nodes_delegated": 1, "why": "", "refused": ["X: no"]},
    ... }}]).splitlines()[2:]
    ['| m | X: no | every driver that tried it |']
    """
    found, tried = {}, {}
    for r in results:
        for name, m in r["models"].items():
            tried.setdefault(name.split(" ")[0], set()).add(r["title"])
            failure = model_failure(name, m)
            if failure is not None:
                found.setdefault(failure, set()).add(r["title"])
        for f in r.get("conformance", {}).get("failures", []):
            found.setdefault((f["case"], code(f["message"])), set()).add(r["title"])
    rows = []
    for (name, why), titles in found.items():
        everywhere = titles == tried.get(name) and len(tried) > 0
        rows.append([name, why, "every driver that tried it" if everywhere
                     else ", ".join(sorted(titles))])
    return table(["what", "why", "where"], rows) if rows else "Nothing."


def tables(results, absent):
    """The generated part of the page. `absent`: {title: why it could not be had}."""
    computes = [r for r in results if r["kind"] == "computes"]
    compiles = [r for r in results if r["kind"] == "compiles"]
    parts = ["# Drivers that were tried", "", "### Which drivers", "", identity_table(results)]
    if computes:
        parts += ["", "### Drivers that compute", "", computing_table(computes)]
    if compiles:
        parts += ["", "### Drivers that compile", "", compiling_table(compiles), "",
                  "### Programs that spill registers", "",
                  "Freedreno's, V3D's, Mali's and Intel's count is of instructions that spill, "
                  "Nouveau's of bytes, the others' of registers.", "", spills(compiles),
                  *occupancy_part(compiles)]
    parts += ["", "### Limits", "", limits_table(results), "", "### What was wrong or refused", "",
              failures(results)]
    if absent:
        parts += ["", "### What could not be had", "",
                  table(["driver", "why"], [[title, code(why)] for title, why in
                                            sorted(absent.items())])]
    return "\n".join(parts) + "\n"
