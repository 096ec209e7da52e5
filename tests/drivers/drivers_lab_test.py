#!/usr/bin/env python3
"""The laboratory of drivers, on examples: descriptions, parsers, the page.

Nothing is fetched and no driver is started.
"""
import concurrent.futures
import doctest
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("lab", "lab/drivers", "tests/drivers")]

# pylint: disable=wrong-import-position
import baseline  # noqa: E402
import compiling  # noqa: E402
import computing  # noqa: E402
import roots  # noqa: E402
import source_roots  # noqa: E402
from driver import Driver, Result  # noqa: E402

DESCRIPTIONS = json.loads((ROOT / "tests/drivers/drivers.json").read_text())

LINES = {
    "radeonsi": ("Shader Stats: SGPRS: 108 VGPRS: 64 Code Size: 1756 LDS: 2 Scratch: 0 Max Waves: "
                 "8 Spilled SGPRs: 0 Spilled VGPRs: 3 PrivMem VGPRs: 0",
                 {"registers": 64, "waves": 8, "spills": 3}),
    "asahi": ("CS shader: 258 instrs, 221 alu, 221 fscib, 156 ic, 2024 code size, 79 gprs, 48 "
              "uniforms, 0 scratch, 1024 threads, 0 loops, 5:6 spills:fills, 24 preamble inst",
              {"registers": 79, "threads": 1024, "spills": 5, "instructions": 258}),
    "iris": ("SIMD16 shader: 1232 instructions. 7 loops. 485026 cycles. 2:3 spills:fills, 88 sends, "
             "scheduled with mode none. Promoted 20 constants. GRF registers: 128. Non-SSA regs (after "
             "NIR): 113. Compacted 19712 to 14544 bytes (26%)",
             {"simd": 16, "instructions": 1232, "cycles": 485026, "spills": 2, "fills": 3,
              "registers": 128}),
    "nouveau": ("note: type: 5, local: 8, shared: 5120, gpr: 70, inst: 790, bytes: 7224, cached: 1",
                {"registers": 70, "spills": 8, "instructions": 790, "shared_bytes": 5120}),
    "v3d": ("MESA: info: SHADER-DB-GLSL2 - MESA_SHADER_COMPUTE shader: 61 inst, 2 threads, 1 loops, "
            "17 uniforms, 18 max-temps, 3:4 spills:fills, 0 sfu-stalls, 61 inst-and-stalls, 8 nops",
            {"instructions": 61, "threads": 2, "registers": 18, "spills": 3, "fills": 4}),
    "panfrost": ("MESA_SHADER_COMPUTE shader: 39 instrs, 33 tuples, 10 clauses, 5.500000 cycles, "
                 "1.166667 arith, 0.000000 t, 5.000000 ldst, 0.000000 v, 0 preloads, 2 threads, 592 "
                 "code size, 1 loops, 1:2 spills:fills, 0 spill cost, 15 registers used, 4 uniforms "
                 "used",
                 {"instructions": 39, "cycles": 5.5, "threads": 2, "registers": 15, "spills": 1}),
    "midgard": ("CS shader: 25 inst, 15 bundles, 4 registers, 8 threads, 21 quadwords, 1 loops, 5:6 "
                "spills:fills", {"instructions": 25, "registers": 4, "threads": 8, "spills": 5}),
}
# A line of Valhall's has other numbers than one of Bifrost's.
VALHALL = ("MESA_SHADER_COMPUTE shader: 36 instrs, 6.000000 cycles, 0.062500 fma, 0.312500 cvt, "
           "0.312500 sfu, 0.453125 alu, 0.000000 v, 0.000000 t, 6.000000 ls, 384 code size, 2 threads, "
           "1 loops, 0:0 spills:fills, 0 spill cost, 16 registers used, 1 uniforms used")


def load_tests(_, tests, __):
    for module in (baseline, compiling):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


class DescriptionsTest(unittest.TestCase):
    def test_names_are_unique_and_roots_known(self):
        drivers = DESCRIPTIONS["drivers"]
        self.assertEqual(len({d["name"] for d in drivers}), len(drivers))
        for d in drivers:
            self.assertIn(d["kind"], ("computes", "compiles"), d["name"])
            for name in d.get("roots", []) + ([d["loader"]] if "loader" in d else []):
                self.assertIn(name, DESCRIPTIONS["roots"], d["name"])
            if d["kind"] == "compiles":
                self.assertIn(d["statistics"], compiling.STATISTICS, d["name"])
            else:
                self.assertGreaterEqual(d["sample"], 1, d["name"])

    def test_every_place_of_a_description_is_one_of_its_own_roots(self):
        for d in DESCRIPTIONS["drivers"]:
            for place in re.findall(r"\{([a-z0-9-]+)\}", json.dumps(d)):
                self.assertIn(place, d.get("roots", []) + ["build", "socket"], d["name"])


class DriverTest(unittest.TestCase):
    def driver(self, **description):
        description = {"name": "x", "device": "X", **description}
        return Driver(description, DESCRIPTIONS["roots"], {"sid-amd64": "/r", "qemu": "/q"},
                      {"amd64": pathlib.Path("/b")})

    def test_without_a_root_a_program_is_started_as_it_is(self):
        driver = self.driver(environment={"GALLIUM_DRIVER": "softpipe"})
        self.assertEqual(driver.command(["/b/p", "-a"]), ["/b/p", "-a"])
        self.assertEqual(driver.environment()["GALLIUM_DRIVER"], "softpipe")
        self.assertEqual(driver.environment()["GLES_DELEGATE_DEVICE"], "X")

    def test_of_a_root_its_own_loader_and_libraries_start_it(self):
        driver = self.driver(loader="sid-amd64", preload="{sid-amd64}/shim.so")
        self.assertEqual(
            driver.command(["/b/p"]),
            ["/r/usr/lib64/ld-linux-x86-64.so.2", "--preload", "/r/shim.so", "--library-path",
             "/b/lib:/r/usr/lib/x86_64-linux-gnu", "/b/p"])
        self.assertEqual(driver.environment()["__EGL_VENDOR_LIBRARY_DIRS"],
                         "/r/usr/share/glvnd/egl_vendor.d")


    def test_a_program_of_arm64_is_translated_and_comes_from_its_own_build(self):
        description = {"name": "x", "device": "V3D", "loader": "sid-arm64",
                       "preload": "{sid-arm64}/shim.so"}
        builds = {"amd64": pathlib.Path("/b"), "arm64": pathlib.Path("/c")}
        driver = Driver(description, DESCRIPTIONS["roots"],
                        {"sid-arm64": "/r", "qemu": "/q"}, builds)
        self.assertEqual(driver.build, builds["arm64"])
        self.assertEqual(
            driver.command(["/c/p"]),
            ["/q/usr/bin/qemu-aarch64", "-L", "/r", "-E", "LD_PRELOAD=/r/shim.so", "-E",
             "LD_LIBRARY_PATH=/c/lib:/r/usr/lib/aarch64-linux-gnu", "/c/p"])


    def test_a_program_that_is_out_of_time_may_write_what_it_has(self):
        program = """import signal, sys, time
signal.signal(signal.SIGINT, lambda *_: sys.exit("what there is"))
print("ready", flush=True)
while True:
    time.sleep(0.1)"""
        process = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.assertEqual(Driver.end(process), "what there is\n")


class RunOnTest(unittest.TestCase):
    def words_of(self, *arguments):
        script = pathlib.Path(roots.__file__).parent / "run_on.py"
        done = subprocess.run([sys.executable, "-B", str(script), *arguments], text=True,
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_a_driver_that_there_is_not_is_named_with_those_that_there_are(self):
        self.assertRegex(self.words_of("nonesuch", "true"), "no driver nonesuch; .*softpipe")

    def test_without_a_program_there_is_nothing_to_run(self):
        self.assertIn("no program to run on softpipe", self.words_of("softpipe"))


class SuiteOutOfTime:
    """A driver on which the conformance suite runs two cases and is then out of time."""

    @staticmethod
    def run(program, _):
        junit = next(a for a in program if a.startswith("--junit=")).split("=")[1]
        pathlib.Path(junit).write_text(
            '<testsuite><testcase name="a"/><testcase name="b">'
            '<failure message="wrong"/></testcase></testsuite>')
        return Result(None, "", 7.0)


class ConformanceTest(unittest.TestCase):
    def test_of_a_suite_that_is_out_of_time_the_first_cases_are_told(self):
        result = computing.conformance(SuiteOutOfTime, 50, False, 7, lambda text: None)
        self.assertEqual(result["what"], "the first 2 of 1 in 50, out of time")
        self.assertEqual((result["run"], result["passed"]), (2, 1))
        self.assertEqual(result["failures"], [{"case": "b", "message": "wrong"}])


class StatisticsTest(unittest.TestCase):
    def test_each_familys_line_is_read(self):
        for family, (line, wanted) in LINES.items():
            numbers = compiling.parse_statistics(family, line)
            self.assertIsNotNone(numbers, family)
            self.assertEqual({k: numbers[k] for k in wanted}, wanted, family)

    def test_what_is_told_after_all_programs_is_told_apart_by_its_number(self):
        line = LINES["v3d"][0]
        begins = [part for label in ("a", "b")
                  for part in (compiling.BEGIN + label, compiling.END + label)]
        later = line.replace("GLSL2", "GLSL10").replace("61 inst,", "99 inst,")
        programs = compiling.programs_of("v3d", "\n".join([*begins, later, line]))
        self.assertEqual([programs[name]["instructions"] for name in "ab"], [61, 99])
        self.assertEqual(compiling.programs_of("v3d", "\n".join([*begins, line])),
                         {"a": {}, "b": {}})

    def test_valhalls_line_is_read_as_bifrosts(self):
        numbers = compiling.parse_statistics("panfrost", VALHALL)
        self.assertEqual((numbers["threads"], numbers["registers"], numbers["spills"]), (2, 16, 0))

    def test_what_is_outside_of_the_programs_is_the_drivers_own(self):
        line, _ = LINES["asahi"]
        label = "ADD 3 (elementwise.comp)"
        trace = "\n".join([line, compiling.BEGIN + label, compiling.END + label, line])
        self.assertEqual(compiling.programs_of("asahi", trace), {label: {}})

    def test_a_program_that_links_and_is_not_compiled_is_not_whole(self):
        trace = "\n".join([compiling.BEGIN + "a", "ERROR: unknown nir_op x", compiling.END + "a"])
        programs = compiling.programs_of("nouveau", trace)
        self.assertEqual(programs, {"a": {"failed": "ERROR: unknown nir_op x"}})
        self.assertEqual(compiling.summary(programs)["not_compiled"], 1)

    def test_a_program_that_is_too_large_for_wide_vectors_is_compiled_for_narrow_ones(self):
        wide = "SIMD16 CS compile failed: Failure to register allocate."
        narrow = LINES["iris"][0].replace("SIMD16", "SIMD8")
        label = "CONV_2D 0 (conv_2d.comp)"
        begin, end = compiling.BEGIN + label, compiling.END + label
        programs = compiling.programs_of("iris", "\n".join([begin, wide, narrow, end]))
        self.assertNotIn("failed", programs[label])
        self.assertEqual(programs[label]["simd"], 8)
        programs = compiling.programs_of("iris", "\n".join([begin, wide, end]))
        self.assertEqual(programs, {label: {"failed": wide}})


class PageTest(unittest.TestCase):
    def test_what_stands_above_the_marker_stays(self):
        self.assertEqual(baseline.rewrite("a\n" + baseline.MARKER + "b", "driver\n", {})[:2], "a\n")
        with self.assertRaises(ValueError):
            baseline.rewrite("no marker", "driver\n", {})

    def test_the_committed_page_is_what_the_baseline_gives(self):
        text = (ROOT / "docs/drivers.md").read_text()
        titles = {d["name"]: d["title"] for d in DESCRIPTIONS["drivers"]}
        rows = (ROOT / "lab/drivers/baseline.csv").read_text()
        self.assertEqual(text, baseline.rewrite(text, rows, titles))

    def test_a_driver_tried_again_replaces_its_rows_alone(self):
        model = {"nodes_total": 2, "nodes_delegated": 2, "error": 0.5}

        def result(name, date):
            return {"name": name, "renderer": "R", "driver": "V", "date": date, "revision": "r",
                    "models": {"m": model}}
        order = ["a", "b"]
        first = baseline.updated("driver\n", [result("b", "1"), result("a", "1")], order)
        again = baseline.updated(first, [result("b", "2")], order)
        self.assertEqual([line.split(",")[:4] for line in again.splitlines()[1:]],
                         [["a", "R", "V", "1"], ["b", "R", "V", "2"]])
        part = {**result("a", "3"), "partial": True, "models": {"n": model}}
        rows = baseline.updated(again, [part], order).splitlines()[1:]
        self.assertEqual([(row.split(",")[0], row.split(",")[3]) for row in rows],
                         [("a", "1"), ("a", "3"), ("b", "2")])
        self.assertIn("| B | `R` | `V` | 2 | 1 of 1 | 5.0e-01 |",
                      baseline.summary_table(again, {"b": "B"}))


class RootsTest(unittest.TestCase):
    def test_a_root_that_two_ask_for_is_made_once(self):
        wanted = {"suite": "sid", "arch": "arm64", "packages": ["mesa"], "version_of": "mesa"}
        made = []

        def make(root, *request):
            if roots.is_there(root, wanted):
                return
            made.append(root)
            time.sleep(0.2)
            root.mkdir()
            (root / "packages.json").write_text('{"mesa": "1"}')
            (root / "request.json").write_text(json.dumps(request[:3]))

        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.object(roots, "debian_root", make), \
                concurrent.futures.ThreadPoolExecutor() as threads:
            asked = [threads.submit(roots.prepare, {"sid": wanted}, {"roots": ["sid"]},
                                    pathlib.Path(folder), True, print) for _ in range(2)]
            self.assertEqual([each.result()[1] for each in asked], [{"mesa": "1"}] * 2)
        self.assertEqual(len(made), 1)

    def test_lib_becomes_a_link_into_usr(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "lib").mkdir()
            (root / "lib/old").write_text("x")
            (root / "usr/lib").mkdir(parents=True)
            roots.merge_usr(root)
            self.assertTrue((root / "lib").is_symlink())
            self.assertEqual((root / "usr/lib/old").read_text(), "x")

    def test_a_vulkan_driver_is_named_within_its_root(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            icds, libraries = root / "usr/share/vulkan/icd.d", root / "usr/lib/some-triplet"
            icds.mkdir(parents=True)
            libraries.mkdir(parents=True)
            (libraries / "libvulkan_x.so").touch()
            icd = icds / "x.json"
            icd.write_text('{"ICD": {"library_path": "/usr/lib/some-triplet/libvulkan_x.so"}}')
            roots.own_vulkan_drivers(root)
            self.assertEqual(json.loads(icd.read_text())["ICD"]["library_path"],
                             str(libraries / "libvulkan_x.so"))

    def test_what_is_built_from_source_is_built_again_for_another_request(self):
        wanted = DESCRIPTIONS["roots"]["intel-shim"]
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "request.json").write_text(json.dumps(source_roots.request_of(wanted)))
            self.assertTrue(roots.is_there(root, wanted))
            self.assertFalse(roots.is_there(root, dict(wanted, suite="trixie")))

    def test_a_package_that_cannot_be_had_says_why(self):
        with self.assertRaisesRegex(roots.NotAvailable, "a step.*no-such-program"):
            roots.run_quietly(["no-such-program-of-the-lab"], "a step")


if __name__ == "__main__":
    unittest.main()
