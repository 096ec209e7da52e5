"""The compilers' statistics of the delegate's programs, driver by driver."""
import re
import tempfile

import computing

BEGIN = "TfLiteGlesDelegate: program begins: "
END = "TfLiteGlesDelegate: program ends: "

# For each family of drivers: patterns of the lines that tell of one compute shader,
# with the names under which their numbers are kept. "registers" must be among them.
STATISTICS = {
    "radeonsi": [
        (r"SGPRS: (\d+) VGPRS: (\d+) Code Size: (\d+) LDS: (\d+) Scratch: (\d+) "
         r"Max Waves: (\d+) Spilled SGPRs: (\d+) Spilled VGPRs: (\d+)",
         ("sgprs", "registers", "code_bytes", "lds_bytes", "scratch", "waves", "spilled_sgprs",
          "spills"))],
    "asahi": [
        (r"CS shader: (\d+) instrs, (\d+) alu, \d+ fscib, \d+ ic, (\d+) code size, (\d+) gprs, "
         r"(\d+) uniforms, (\d+) scratch, (\d+) threads, \d+ loops, (\d+):(\d+) spills",
         ("instructions", "alu", "code_bytes", "registers", "uniforms", "scratch", "threads",
          "spills", "fills"))],
    "freedreno": [
        (r"; C[LS] prog \S+: (\d+) instr, (\d+) nops", ("instructions", "nops")),
        (r"; C[LS] prog \S+: .*?(\d+) half, (\d+) full, (\d+) constlen",
         ("half_registers", "registers", "constlen")),
        (r"; C[LS] prog \S+: (\d+) max_waves, (\d+) double_threadsize",
         ("waves", "double_threadsize"))],
    "iris": [  # of a compiler that tries several widths, the last is what runs
        (r"SIMD(\d+) shader: (\d+) instructions\. \d+ loops\. (\d+) cycles\. (\d+):(\d+) "
         r"spills:fills, .*?GRF registers: (\d+)",
         ("simd", "instructions", "cycles", "spills", "fills", "registers"))],
    "v3d": [
        (r"MESA_SHADER_COMPUTE shader: (\d+) inst, (\d+) threads, \d+ loops, (\d+) uniforms, "
         r"(\d+) max-temps, (\d+):(\d+) spills:fills",
         ("instructions", "threads", "uniforms", "registers", "spills", "fills"))],
    "panfrost": [  # Bifrost and Valhall; between their numbers each has some of its own
        (r"MESA_SHADER_COMPUTE shader: (\d+) instrs, .*?([\d.]+) cycles, .*? (\d+) threads, .*?"
         r"(\d+):(\d+) spills:fills, .*?(\d+) registers used",
         ("instructions", "cycles", "threads", "spills", "fills", "registers"))],
    "midgard": [
        (r"CS shader: (\d+) inst, (\d+) bundles, (\d+) registers, (\d+) threads, "
         r"(\d+) quadwords, \d+ loops, (\d+):(\d+) spills:fills",
         ("instructions", "bundles", "registers", "threads", "quadwords", "spills", "fills"))],
    "nouveau": [
        (r"local: (\d+), shared: (\d+), gpr: (\d+), inst: (\d+), bytes: (\d+)",
         ("spills", "shared_bytes", "registers", "instructions", "code_bytes"))],
}
# V3D compiles at the first dispatch, when all programs are linked, and tells of each with
# its name in GL. These names rise in the order in which the programs were made.
LATE = {"v3d": re.compile(r"SHADER-DB-GLSL(\d+) - MESA_SHADER_COMPUTE")}
# The message of a driver about a program that it links and cannot compile.
FAILURE = re.compile(r"^ERROR: |translation failed|compil\w+ failed", re.IGNORECASE)
# If a driver does not count spills: the instructions that spill, in the
# listing of the program.
SPILLING_INSTRUCTION = {"freedreno": r"\bstp\."}


def number(text):
    """An int, or a float where it has a point."""
    return float(text) if "." in text else int(text)


def parse_statistics(family, line):
    """The numbers of a line that tells of a shader, else None.

    >>> parse_statistics("nouveau", "note: type: 5, local: 0, shared: 128, gpr: 29, inst: 7, "
    ...                  "bytes: 64, cached: 1")["registers"]
    29
    >>> parse_statistics("asahi", "a line of something else")
    """
    for pattern, names in STATISTICS[family]:
        found = re.search(pattern, line)
        if found:
            return dict(zip(names, map(number, found.groups())))
    return None


def programs_of(family, output):
    """The cost of each program of a trace (GLES_DELEGATE_DEBUG=programs).

    A compiler may make several shaders of a program (for widths of a wave); the
    last is kept. Shaders outside of the programs are the driver's own.

    >>> programs_of("nouveau", chr(10).join([
    ...     BEGIN + "CONV_2D 0 (conv_direct.comp)",
    ...     "local: 4, shared: 0, gpr: 63, inst: 70, bytes: 8",
    ...     END + "CONV_2D 0 (conv_direct.comp)", "local: 0, shared: 0, gpr: 3, inst: 1, bytes: 8"]))
    {'CONV_2D 0 (conv_direct.comp)': {'spills': 4, 'shared_bytes': 0, 'registers': 63, \
'instructions': 70, 'code_bytes': 8}}
    """
    programs, current, late = {}, None, {}
    for line in output.splitlines():
        named = LATE[family].search(line) if family in LATE else None
        if named:
            late[int(named.group(1))] = parse_statistics(family, line)
            continue
        if line.startswith(BEGIN):
            current = line[len(BEGIN):]
            programs.setdefault(current, {})
        elif line.startswith(END):
            current = None
        elif current is not None:
            if family in SPILLING_INSTRUCTION:
                spills = bool(re.search(SPILLING_INSTRUCTION[family], line))
                programs[current].setdefault("spills", 0)
                programs[current]["spills"] += spills
            if FAILURE.search(line):
                programs[current].setdefault("failed", line)
            numbers = parse_statistics(family, line)
            if numbers:
                if family == "iris":  # a narrower vector than one that did not fit
                    programs[current].pop("failed", None)
                programs[current].update(numbers)
    if len(late) == len(programs):  # else no one knows which is whose
        for label, name in zip(programs, sorted(late)):
            programs[label].update(late[name])
    return programs


def compile_model(driver, path, half, timeout):
    """Compiles one model's programs: what became of it, and the delegate's report."""
    options = f"{computing.ALL};self_check:0;is_precision_loss_allowed:{int(half)}"
    with tempfile.TemporaryDirectory() as folder:
        report_file = f"{folder}/report.json"
        extra = computing.report_options(report_file, options)
        own = driver.environment().get("GLES_DELEGATE_DEBUG", "")
        extra["GLES_DELEGATE_DEBUG"] = f"{own},programs"
        extra.update(driver.description.get("statistics_environment", {}))
        run = driver.run(["benchmark_model", f"--graph={path}", "--use_gles", "--num_runs=1",
                          "--warmup_runs=0"], timeout, extra)
        report = computing.read_report(report_file)
    programs = programs_of(driver.description["statistics"], run.output)
    failed = [numbers["failed"] for numbers in programs.values() if "failed" in numbers]
    why = f"{len(failed)} programs are not compiled: {failed[0]}" if failed else run.why()
    right = run.ok and not failed
    return {
        "whole": right and report.get("nodes_total") == report.get("nodes_delegated"),
        "why": "" if right else why, "nodes_total": report.get("nodes_total", 0),
        "nodes_delegated": report.get("nodes_delegated", 0),
        "refused": computing.refused(report), "programs": programs,
        "seconds": round(run.seconds, 1)}, report


def compile_models(driver, paths, timeout, say):
    """Every model in both precisions, and the identity; "" of a driver without a context."""
    result = {"renderer": "", "models": {}}
    for path in paths:
        for half in (False, True):
            name = f"{path.stem} {'float16' if half else 'float32'}"
            say(f"programs of {name}")
            result["models"][name], report = compile_model(driver, path, half, timeout)
            if not result["renderer"]:
                result.update({key: report.get(key, "") for key in computing.IDENTITY})
    return result


def summary(programs):
    """The baseline's numbers of a model's programs; min_resident is in waves, threads or the
    width of vectors.

    >>> summary({"a": {"registers": 9, "spills": 0, "waves": 8},
    ...          "b": {"registers": 70, "spills": 2, "waves": 4}, "c": {"failed": "why"}})
    {'programs': 3, 'not_compiled': 1, 'spilling': 1, 'max_registers': 70, 'min_resident': 4}
    >>> summary({"a": {}})["spilling"]
    ''
    """
    told = [n for n in programs.values() if "registers" in n]
    spills = [n["spills"] for n in told if "spills" in n]
    resident = (n[key] for key in ("waves", "threads", "simd") for n in told if key in n)
    return {"programs": len(programs),
            "not_compiled": sum("failed" in n for n in programs.values()),
            "spilling": sum(map(bool, spills)) if spills else "",
            "max_registers": max((n["registers"] for n in told), default=""),
            "min_resident": min(resident, default="")}
