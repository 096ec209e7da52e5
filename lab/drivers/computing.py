"""Tests of a driver that computes."""
import json
import pathlib
import re
import tempfile
import xml.etree.ElementTree

# A whole model's outputs may differ from the CPU's by this share of their largest
# magnitude; quantized ones must not differ at all (inference_diff says it).
MODEL_ERROR = 1e-2
# Not the tests without any context: they start their own program again, which a
# program that a root's loader started cannot do.
BORROWED_FILTER = "--gtest_filter=-DelegateNoContextTest.*"
BORROWED_TESTS = ("tests/egl_borrowed_state_test", "tests/delegate_context_test")


# A driver's part of the delegate's report.
IDENTITY = ("renderer", "driver", "driver_family", "limits")

# Also the partitions that do not pay: what is tried are programs.
ALL = ";max_delegated_partitions:0"


def report_options(path, more=""):
    """The delegate's options that make it write its report to `path`."""
    return {"GLES_DELEGATE_OPTIONS": f"report_file:{path}" + more}


def read_report(path):
    try:
        return json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError):
        return {}


def verdicts(report):
    """The self-check's verdicts of the partitions, each once, and their faults."""
    checks = [p.get("self_check", {}) for p in report.get("partition", [])]
    faults = [str(f) for c in checks for f in c.get("faults", [])]
    return sorted({c.get("verdict", "none") for c in checks}), faults[:4]


def refused(report):
    """The ops that stay on the CPU, each once with its reason."""
    return sorted({f"{n.get('op', '?')}: {n.get('reason', '?')}" for n in report.get("cpu", [])})


def identity(driver, say):
    """Renderer, version, family and limits, as the delegate's report has them."""
    say("identity")
    with tempfile.TemporaryDirectory() as folder:
        report_file = f"{folder}/report.json"
        run = driver.run(["gles_demo", "--num_runs=1", f"--output_dir={folder}"], 600,
                         report_options(report_file))
        report = read_report(report_file)
    # The demo's model gives sums of some thousand terms: 1e-4, its own bound.
    errors = [float(e) for e in re.findall(r"relative error ([0-9.e+-]+)", run.output)]
    found, faults = verdicts(report)
    result = {key: report.get(key, "") for key in IDENTITY}
    result["demo"] = {"ok": run.ok, "why": "" if run.ok else run.why(), "self_check": found,
                      "faults": faults, "errors": errors, "seconds": round(run.seconds, 1)}
    return result


def conformance(driver, sample, small, timeout, say):
    """A sample of the conformance suite: {what, run, passed, failures}.

    A suite that is out of time has its first cases in the result, and `what` says so.
    """
    what = "the small set" if small else "all cases" if sample == 1 else f"1 in {sample}"
    say(f"conformance, {what}")
    with tempfile.TemporaryDirectory() as folder:
        junit = f"{folder}/conformance.xml"
        arguments = ["--small"] if small else [f"--sample={sample}"]
        run = driver.run(["gles_conformance", *arguments, f"--junit={junit}"], timeout)
        if not pathlib.Path(junit).exists():
            crash = re.findall(r"a crash in the case (\S+)", run.output)
            return {"what": what, "run": 0, "passed": 0, "failures": [],
                    "why": (f"a crash in {crash[0]}; " if crash else "") + run.why()}
        cases = list(xml.etree.ElementTree.parse(junit).iter("testcase"))
    if run.status is None:
        what = f"the first {len(cases)} of {what}, out of time"
    failed = [c for c in cases if c.find("failure") is not None]
    return {"what": what, "run": len(cases), "passed": len(cases) - len(failed),
            "seconds": round(run.seconds), "why": "",
            "failures": [{"case": c.get("name"), "message": c.find("failure").get("message")[:300]}
                         for c in failed[:20]]}


def model(driver, path, timeout, say):
    """Nodes, error and self-check of one model on one random input."""
    say(f"model {path.stem}")
    with tempfile.TemporaryDirectory() as folder:
        report_file, diff_file = f"{folder}/report.json", f"{folder}/diff.json"
        run = driver.run(["inference_diff", f"--graph={path}", "--use_gles", "--num_runs=1",
                          f"--max_error={MODEL_ERROR}", f"--report_json={diff_file}"], timeout,
                         report_options(report_file, ALL))
        report, diff = read_report(report_file), read_report(diff_file)
    found, faults = verdicts(report)
    first = diff[0] if diff else {}
    outputs = first.get("outputs", [])
    # Integer outputs are TFLite's own to the last code.
    other_quantized = sum(o.get("mismatches", 0) for o in outputs if "INT" in o.get("type", ""))
    why = "" if run.ok else run.why()
    if run.ok and other_quantized:
        why = f"{other_quantized} codes of its outputs are not TFLite's"
    return {
        "right": run.ok and bool(diff) and not other_quantized, "why": why,
        "nodes_total": first.get("nodes_total", report.get("nodes_total", 0)),
        "nodes_delegated": first.get("nodes_delegated", report.get("nodes_delegated", 0)),
        "error": max((o.get("relative_error", 0.0) for o in outputs), default=None),
        "refused": refused(report),
        "self_check": found, "faults": faults, "seconds": round(run.seconds, 1)}


def start_up_cache(driver, path, timeout, say):
    """Programs that a second start loads instead of compiling them."""
    say(f"start-up cache of {path.stem}")
    with tempfile.TemporaryDirectory() as folder:
        for start in ("first", "second"):
            report_file = f"{folder}/{start}.json"
            # Older Mesas have program binaries only with their own shader cache.
            extra = dict(report_options(
                report_file, f";serialization_dir:{folder};model_token:lab"),
                         MESA_SHADER_CACHE_DISABLE="false", MESA_SHADER_CACHE_DIR=folder)
            run = driver.run(
                ["benchmark_model", f"--graph={path}", "--use_gles", "--num_runs=1"], timeout,
                extra)
            if not run.ok:
                return {"why": f"the {start} start: {run.why()}"}
        cache = read_report(report_file).get("cache", {})
    return {"why": cache.get("reason", ""), "loaded": cache.get("programs_loaded", 0),
            "compiled": cache.get("programs_compiled", 0), "state": cache.get("state", "")}


def borrowed(driver, timeout, say):
    """The tests of contexts that an app lends: {test: how many passed, or why not}."""
    result = {}
    for test in BORROWED_TESTS:
        say(test)
        run = driver.run([test, BORROWED_FILTER], timeout)
        passed = re.findall(r"\[  PASSED  \] (\d+) test", run.output)
        failed = re.findall(r"\[  FAILED  \] (\w+\.\w+)\b", run.output)
        result[test.split("/")[-1]] = {
            "passed": int(passed[0]) if passed else 0, "failed": sorted(set(failed)),
            "why": "" if run.ok else run.why()}
    return result
