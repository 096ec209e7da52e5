"""The programs that run a model many times show where they are, and an interruption keeps what is
finished.

    tools_progress.py FOLDER_OF_PROGRAMS

Run by CTest as `tools_progress`. On TensorFlow Lite's own kernels: no GPU is asked for.
"""

import importlib.util
import os
import re
import sys
import tempfile
import unittest

import dev_progress_test

PROGRAMS = sys.argv.pop()
MODEL_SOURCE = os.path.join(dev_progress_test.ROOT, "tools/python/src/gles_delegate/_model.py")
MANY = "1000000"  # runs: minutes


def model(folder):
    spec = importlib.util.spec_from_file_location("model", MODEL_SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = os.path.join(folder, "model.tflite")
    with open(path, "wb") as file:
        file.write(module.self_check_model())
    return path


class ToolsProgress(unittest.TestCase):

    def run_and_interrupt(self, program, *flags):
        """What is left on the screen after Ctrl-C, which came once the bar was there."""
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            written, status = dev_progress_test.on_a_terminal(
                [os.path.join(PROGRAMS, program), "--graph=" + model(folder), "--use_cpu",
                 "--report_json=" + report, *flags], columns=150,
                interrupt_at=f" of {MANY} runs, ")
            self.assertEqual(status, 130, written)
            self.assertTrue(os.path.getsize(report))
            self.assertRegex(written, r"\[[#.]{24}\] \d+ of %s runs, \d+ a second, .* left" % MANY)
            return dev_progress_test.left_on_the_screen(written)

    def test_a_benchmark(self):
        left = self.run_and_interrupt("benchmark_model", "--num_runs=" + MANY)
        self.assertRegex(left, re.compile(r"^cpu +\d", re.MULTILINE))
        self.assertIn("interrupted; what was timed is above", left)
        self.assertNotIn("] ", left)

    def test_a_comparison(self):
        left = self.run_and_interrupt("inference_diff", "--num_runs=" + MANY)
        self.assertRegex(left, r"cpu: 0 of 3 nodes .*; \d+ runs, seed 1")
        self.assertIn("interrupted; what was compared is above", left)


if __name__ == "__main__":
    unittest.main()
