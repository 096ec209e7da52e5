"""The Python of docs/convert.md, in order, in the environments of `./dev zoo`.

    tests/docs/convert_test.py LIBRARY FOLDER

Fetches nothing: skips without .deps/zoo/keras, and leaves PyTorch's block out without .deps/zoo/torch.
The page's outputs are compared. Run by CTest as `docs.convert`.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENTS = ROOT / ".deps" / "zoo"
BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def main():
    library, folder = sys.argv[1:]
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    pythons = {name: ENVIRONMENTS / name / "bin/python" for name in ("keras", "torch")}
    if not pythons["keras"].exists():
        print(f"SKIPPED: no {pythons['keras']}, which ./dev zoo makes")
        sys.exit(77)
    blocks = BLOCK.findall((ROOT / "docs/convert.md").read_text(encoding="utf-8"))
    shown = 0
    for code, expected in blocks:
        python = pythons["torch" if "torch" in code else "keras"]
        if not python.exists():
            print(f"not run: no {python}")
            continue
        done = subprocess.run([python, "-c", code], cwd=folder, capture_output=True, text=True,
                              check=False, env=dict(
                                  os.environ, GLES_DELEGATE_LIBRARY=os.path.abspath(library),
                                  PYTHONPATH=str(ROOT / "bindings/python/src")))
        if done.returncode or (expected and done.stdout != expected):
            sys.exit(f"{code}\nprinted {done.stdout!r}, not {expected!r}: {done.stderr[-2000:]}")
        shown += bool(expected)
    sys.exit(0 if len(blocks) >= 4 and shown else "docs/convert.md has too few blocks")


if __name__ == "__main__":
    main()
