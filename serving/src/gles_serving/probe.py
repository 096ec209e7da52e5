"""Loads a model in a separate process, so that a crash does no harm.

    python -m gles_serving.probe REPOSITORY NAME [CACHE_DIR]

Ends with 0 where the model can be served, and with 1 and the reason on the standard error.
"""

import subprocess
import sys
from typing import Optional


def main() -> int:
    """The child process."""
    from . import config, engine  # pylint: disable=import-outside-toplevel
    repository, name, *rest = sys.argv[1:]
    try:
        made = config.read(repository, name)
        engine.Interpreters(made, made.instances[0], rest[0] if rest else None)
    except (config.ConfigError, engine.LoadError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def fault_of(repository: str, name: str, cache_dir: Optional[str], seconds: float) -> str:
    """Why a model cannot be served, found out in a separate process; "" if it can."""
    command = [sys.executable, "-m", "gles_serving.probe", repository, name]
    try:
        done = subprocess.run(command + ([cache_dir] if cache_dir else []), timeout=seconds,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    except subprocess.TimeoutExpired:
        return f"loading did not end within {seconds:g} s"
    if done.returncode == 0:
        return ""
    if done.returncode < 0:
        return f"loading crashes with signal {-done.returncode}"
    return done.stderr.strip()[-2000:] or f"loading ends with status {done.returncode}"


if __name__ == "__main__":
    sys.exit(main())
