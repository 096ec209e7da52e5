"""Each file has a copyright and a licence whose text is here: REUSE's lint, of PyPI.

    tests/reuse_test.py FOLDER

Run by CTest as `lint_reuse`. Skips (exit status 77) if nothing may be fetched to FOLDER.
"""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))
import environments  # noqa: E402  pylint: disable=wrong-import-position

if __name__ == "__main__":
    PYTHON = environments.python_with(sys.argv[1], ["reuse==6.2.0"])
    sys.exit(subprocess.run([os.path.join(os.path.dirname(PYTHON), "reuse"), "--root", ROOT, "lint"],
                            check=False).returncode)
