"""A bench on a terminal shows where it is, and in a file prints its rows alone.

    bench_progress.py DEVICE_BENCH

Run by CTest as `bench_progress`, where benches are built.
"""

import re
import signal
import subprocess
import sys
import unittest

from terminal import left_on_the_screen, on_a_terminal

BENCH = sys.argv.pop()
# Two benches, of which each runs for longer than the two seconds in which nothing is shown.
ARGUMENTS = [BENCH, "--benchmark_filter=BM_Transfer/device/(602112|5548116)/real_time$",
             "--benchmark_min_time=2.5"]
ROW = re.compile(r"^BM_Transfer/device/(\d+)/real_time +\d", re.MULTILINE)
BAR = re.compile(r"\[[#.]{24}\] ([01]) of 2 benches.*?  BM_Transfer/device/(\d+)/real_time")


class BenchProgress(unittest.TestCase):

    def test_a_terminal_has_a_bar_below_the_rows(self):
        written, status = on_a_terminal(ARGUMENTS, columns=120)
        self.assertEqual(status, 0, written)
        self.assertIn(("0", "602112"), BAR.findall(written))  # while the first one runs
        self.assertIn(("1", "5548116"), BAR.findall(written))
        plain = re.sub(r"\x1b\[[0-9;]*m", "", left_on_the_screen(written))
        self.assertEqual(ROW.findall(plain), ["602112", "5548116"], plain)
        self.assertNotIn(" of 2 benches", plain)

    def test_a_file_has_rows_alone(self):
        done = subprocess.run(ARGUMENTS, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(ROW.findall(done.stdout), ["602112", "5548116"])
        self.assertNotIn(" of 2 benches", done.stdout + done.stderr)

    def test_the_list_is_the_librarys(self):
        listed = subprocess.run(ARGUMENTS + ["--benchmark_list_tests"], capture_output=True,
                                text=True, check=True).stdout.split()
        self.assertEqual(listed, [f"BM_Transfer/device/{size}/real_time"
                                  for size in (602112, 5548116)])

    def test_an_interruption_ends_it(self):
        written, status = on_a_terminal(ARGUMENTS, columns=120,
                                        interrupt_at=" of 2 benches")
        self.assertEqual(status, -signal.SIGINT, written)


if __name__ == "__main__":
    unittest.main()
