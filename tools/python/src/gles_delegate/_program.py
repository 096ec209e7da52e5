"""Helpers of the package's programs."""

import argparse
import json
import sys
from typing import Any, Callable, Dict, Optional, Tuple, Type

import gles_delegate

Found = Dict[str, Any]


def add_version(parser: argparse.ArgumentParser) -> None:
    """Adds the flag --version."""
    parser.add_argument("--version", action="version",
                        version=f"gles_delegate {gles_delegate.__version__}")


def run(find: Callable[[], Found], errors: Tuple[Type[BaseException], ...], as_json: bool,
        show: Callable[[Found], None]) -> Optional[Found]:
    """What `find` returns, printed as one JSON object or by `show`; None after one of `errors`,
    which stderr tells."""
    try:
        found = find()
    except errors as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return None
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        show(found)
    return found
