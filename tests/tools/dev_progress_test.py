"""The progress of downloads and builds that ./dev shows, on a terminal and in a file.

Run by CTest as `dev_progress`. The commands are shell functions that write what ninja and apt
write.
"""

import os
import re
import subprocess
import unittest

from terminal import environment, left_on_the_screen, on_a_terminal

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Three steps of a build, of which each takes longer than the silence at the start.
NINJA = """
build() {
  echo '[1/3] Building CXX object a.cc.o'
  echo 'a.cc:1: warning: something'
  sleep 4
  echo '[2/3] Building CXX object b.cc.o'
  sleep 1.5
  echo '[3/3] Linking CXX shared library lib.so'
}
"""
APT = """
apt() {
  echo 'dlstatus:1:20.5:Retrieving file 3 of 40'
  sleep 4
  echo 'dlstatus:1:45.9:Retrieving file 9 of 40'
  sleep 1.5
  echo 'pmstatus:libegl1:60.0:Unpacking libegl1'
}
"""


def script(functions, call):
    return ["bash", "-c", f"set -euo pipefail; source {ROOT}/cmake/dev_progress.sh\n"
            + functions + call]


class DevProgress(unittest.TestCase):

    def test_a_terminal_has_a_bar_of_the_build(self):
        written, status = on_a_terminal(script(NINJA, "with_progress build build"))
        self.assertEqual(status, 0, written)
        bar = r"\[########\.{16}\] 1 of 3 steps, 0\.\d a second, \d s left  Building CXX object a"
        self.assertRegex(written, bar)
        self.assertRegex(written, r"\[#{16}\.{8}\] 2 of 3 steps")
        # The compilers' messages stay, the bar goes.
        self.assertEqual(left_on_the_screen(written), "a.cc:1: warning: something\n")

    def test_a_file_has_the_plain_lines(self):
        done = subprocess.run(script(NINJA, "with_progress build build"), capture_output=True,
                              text=True, check=True, env=environment())
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.splitlines(), [
            "[1/3] Building CXX object a.cc.o", "a.cc:1: warning: something",
            "[2/3] Building CXX object b.cc.o", "[3/3] Linking CXX shared library lib.so"])

    def test_a_download_shows_its_part_and_no_file_has_it(self):
        written, status = on_a_terminal(script(APT, "with_progress apt apt"))
        self.assertEqual(status, 0, written)
        self.assertRegex(written, r"\[#{10}\.{14}\] 45 of 100 percent fetched, .* s left  Retr")
        self.assertEqual(left_on_the_screen(written), "")
        done = subprocess.run(script(APT, "with_progress apt apt"), capture_output=True,
                              text=True, check=True, env=environment())
        self.assertEqual(done.stderr, "")

    def test_what_has_no_parts_shows_how_long_it_takes(self):
        written, _ = on_a_terminal(script("", "with_progress 'npm pack' sleep 5"))
        self.assertRegex(written, r"\x1b\[Knpm pack, [2-5] s")
        self.assertEqual(left_on_the_screen(written), "")

    def test_a_file_has_a_line_for_each_silent_minute(self):
        build = "build() { sleep 3.5; echo '[1/1] Linking'; sleep 1.5; }\n"
        done = subprocess.run(script(build, "with_progress 'zig compiles libc++' build"),
                              capture_output=True, text=True, check=True,
                              env=dict(environment(), SILENCE_MS="2000"))
        self.assertRegex(done.stderr, r"^zig compiles libc\+\+, [23] s\n\[1/1\] Linking\n$")

    def test_short_work_shows_nothing(self):
        self.assertEqual(on_a_terminal(script("", "with_progress pack sleep 0.5")), ("", 0))

    def test_a_narrow_terminal_has_no_line_that_wraps(self):
        written, _ = on_a_terminal(script(NINJA, "with_progress build build"), columns=30)
        drawn = re.findall(r"\x1b\[K(\[[^\r\n]+)", written)
        self.assertTrue(drawn)
        self.assertLess(max(map(len, drawn)), 30)

    def test_a_failure_keeps_its_status(self):
        for command in ("exit 7", "echo '[1/2] x'; exit 7"):
            call = f"with_progress build sh -c \"{command}\" || exit $?"
            self.assertEqual(on_a_terminal(script("", call))[1], 7)

    def test_an_interruption_says_how_far_it_came(self):
        # As ninja, which takes half-written files back before it ends.
        build = NINJA.replace("build() {", "build() {\n trap 'echo taken back; exit 130' INT")
        written, status = on_a_terminal(script(build, "with_progress build build"),
                                        interrupt_at="1 of 3 steps")
        self.assertNotEqual(status, 0)
        self.assertIn("taken back\n", left_on_the_screen(written))
        self.assertIn("1 of 3 steps were done\n", left_on_the_screen(written))

    def test_a_loop_of_devs_own_counts(self):
        loop = """
loop() { echo '@of 10 files'; sleep 4; echo '@did 4'; sleep 1.3; echo '@did 6'; }
"""
        written, _ = on_a_terminal(script(loop, "with_progress tidy loop"))
        self.assertIn("4 of 10 files, ", written)
        self.assertEqual(left_on_the_screen(written), "")


if __name__ == "__main__":
    unittest.main()
