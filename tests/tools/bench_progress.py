"""A bench on a terminal shows where it is, and in a file prints its rows alone.

    bench_progress.py DEVICE_BENCH

Run by CTest as `bench_progress`, where benches are built.
"""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import unittest

BENCH = sys.argv.pop()
# Two benches, of which each runs for longer than the two seconds in which nothing is shown.
ARGUMENTS = [BENCH, "--benchmark_filter=BM_Transfer/device/(602112|5548116)/real_time$",
             "--benchmark_min_time=2.5"]
ROW = re.compile(r"^BM_Transfer/device/(\d+)/real_time +\d", re.MULTILINE)
BAR = re.compile(r"\[[#.]{24}\] ([01]) of 2 benches.*?  BM_Transfer/device/(\d+)/real_time")


def on_a_terminal(arguments, ends_it=lambda text: False):
    """(what was written, exit status) of a program whose outputs are a terminal; it is sent SIGINT
    once ends_it(what was written so far)."""
    main, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
    with subprocess.Popen(arguments, stdin=child, stdout=child, stderr=child,
                          env={**os.environ, "TERM": "xterm"}) as process:
        os.close(child)
        written = b""
        while True:
            try:
                piece = os.read(main, 4096)
            except OSError:  # Linux's end of a terminal whose program has gone
                break
            if not piece:
                break
            written += piece
            if process.poll() is None and ends_it(written.decode(errors="replace")):
                process.send_signal(signal.SIGINT)
    os.close(main)
    return written.decode(errors="replace").replace("\r\n", "\n"), process.returncode


class BenchProgress(unittest.TestCase):

    def test_a_terminal_has_a_bar_below_the_rows(self):
        written, status = on_a_terminal(ARGUMENTS)
        self.assertEqual(status, 0, written)
        self.assertIn(("0", "602112"), BAR.findall(written))  # while the first one runs
        self.assertIn(("1", "5548116"), BAR.findall(written))
        # What is left on the screen: what follows the last erasure of a line.
        left = "\n".join(line.rsplit("\x1b[K", 1)[-1] for line in written.split("\n"))
        plain = re.sub(r"\x1b\[[0-9;]*m", "", left)
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
        written, status = on_a_terminal(ARGUMENTS, lambda text: " of 2 benches" in text)
        self.assertEqual(status, -signal.SIGINT, written)


if __name__ == "__main__":
    unittest.main()
