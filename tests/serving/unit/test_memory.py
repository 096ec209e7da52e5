"""memory.py: what a request has freed is there for the next one."""

import os
import platform
import subprocess
import sys
import unittest

# Six copies of 602 KB live at a time, as of one request; prints what keep_freed() said and the pages
# that the system had to clear for 50 requests. In its own process, as malloc's settings are
# of the whole process.
REQUESTS = """
import resource, sys
from gles_serving import memory
said = memory.keep_freed() if sys.argv[1] == "kept" else None
for number in range(60):
    if number == 10:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    copies = [b"x" * 602112 for _ in range(6)]
    del copies
print(said, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
OF_MALLOC = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


@unittest.skipUnless(platform.libc_ver()[0] == "glibc", "NO glibc")
class KeepFreedTest(unittest.TestCase):

    def requests(self, how, **more):
        """(what keep_freed() said, pages)."""
        environment = {name: value for name, value in os.environ.items()
                       if name not in OF_MALLOC}
        done = subprocess.run([sys.executable, "-c", REQUESTS, how], env={**environment, **more},
                              check=True, capture_output=True, text=True)
        said, pages = done.stdout.split()
        return said, int(pages)

    def test_the_next_request_has_the_pages(self):
        self.assertGreater(self.requests("as_it_is")[1], 50 * 147)  # one copy a request at least
        said, pages = self.requests("kept")
        self.assertEqual(said, "True")
        self.assertLess(pages, 50 * 10)

    def test_what_the_environment_says_stays(self):
        for name, value in (("MALLOC_TRIM_THRESHOLD_", "131072"),
                            ("MALLOC_MMAP_THRESHOLD_", "131072"),
                            ("GLIBC_TUNABLES", "glibc.malloc.trim_threshold=131072")):
            with self.subTest(name):
                self.assertEqual(self.requests("kept", **{name: value})[0], "False")


if __name__ == "__main__":
    unittest.main()
