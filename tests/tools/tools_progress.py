"""The programs that run a model many times show where they are, and an interruption keeps what is
finished.

    tools_progress.py FOLDER_OF_PROGRAMS

Run by CTest as `tools_progress`. On TensorFlow Lite's own kernels: no GPU is asked for.
"""

import os
import re
import sys
import tempfile
import unittest

from terminal import left_on_the_screen, on_a_terminal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                "python"))
import self_check  # pylint: disable=wrong-import-position

PROGRAMS = sys.argv.pop()
MANY = "1000000"  # runs: minutes


class ToolsProgress(unittest.TestCase):

    def run_and_interrupt(self, program, *flags):
        """The text left on the screen after Ctrl-C, which came once the bar was there."""
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            model = self_check.write_model(os.path.join(folder, "model.tflite"))
            written, status = on_a_terminal(
                [os.path.join(PROGRAMS, program), "--graph=" + model, "--use_cpu",
                 "--report_json=" + report, *flags], columns=150,
                interrupt_at=f" of {MANY} runs, ")
            self.assertEqual(status, 130, written)
            self.assertTrue(os.path.getsize(report))
            self.assertRegex(written, r"\[[#.]{24}\] \d+ of %s runs, \d+ a second, .* left" % MANY)
            return left_on_the_screen(written)

    def test_a_benchmark(self):
        left = self.run_and_interrupt("benchmark_model", "--num_runs=" + MANY)
        self.assertRegex(left, re.compile(r"^cpu +\d", re.MULTILINE))
        self.assertIn("interrupted; what was timed is above", left)
        self.assertNotIn("] ", left)

    def test_a_comparison(self):
        left = self.run_and_interrupt("inference_diff", "--num_runs=" + MANY)
        self.assertRegex(left, r"cpu: 0 of 3 nodes .*; \d+ runs, seed 1")
        self.assertIn("interrupted; what was compared is above", left)

    def test_colors_are_for_terminals_that_want_them(self):
        doctor = [os.path.join(PROGRAMS, "gles_doctor"), "--seconds=0.05", "--max_batch=1"]
        self.assertIn("\x1b[1mDevices\x1b[0m", on_a_terminal(doctor)[0])
        plain = on_a_terminal(["env", "NO_COLOR=1", *doctor])[0]
        self.assertIn("\nDevices\n", plain)
        self.assertNotIn("\x1b[1m", plain)


if __name__ == "__main__":
    unittest.main()
