"""The documentation as a site: every page is in its navigation, every link leads somewhere.

    tests/docs/site_test.py FOLDER

Then looks at it in Chromium, if that is installed (site_in_browser.py). Run by CTest as `docs.site`;
skips without doxygen, and if nothing may be fetched (../python/environments.py).
"""

import doctest
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SITE = HERE.parents[1] / "packaging" / "site"
sys.path[:0] = [str(HERE.parent / "python"), str(SITE),
                str(HERE.parents[1] / "bindings/python/src")]
import build_site  # noqa: E402  pylint: disable=wrong-import-position
import gles_delegate  # noqa: E402  pylint: disable=wrong-import-position
import environments  # noqa: E402  pylint: disable=wrong-import-position
import site_in_browser  # noqa: E402  pylint: disable=wrong-import-position

if doctest.testmod(build_site).failed:
    sys.exit(1)
if not shutil.which("doxygen"):
    print("SKIPPED: no doxygen")
    sys.exit(77)
environments.check_may_fetch(build_site.TOOLS)
done = subprocess.run([sys.executable, "-B", SITE / "build_site.py", sys.argv[1]], check=False)
if done.returncode:
    sys.exit(done.returncode)
page = (pathlib.Path(sys.argv[1]) / "site" / "python_api" / "index.html").read_text(encoding="utf-8")
missing = [name for name in gles_delegate.__all__ if f'id="gles_delegate.{name}"' not in page]
if missing:
    sys.exit(f"the page of the Python API lacks {missing}")
findings = site_in_browser.findings(pathlib.Path(sys.argv[1]) / "site")
if findings is None:
    print("SKIPPED: no chromium, which looks at the site that was made")
    sys.exit(77)
print(*findings, sep="\n")
sys.exit(1 if findings else 0)
