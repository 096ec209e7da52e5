"""Helpers of the package's programs."""

import argparse
import difflib
import json
import re
import sys
from typing import Any, Callable, Dict, List, Optional, Tuple, Type

import gles_delegate

Found = Dict[str, Any]


def add_version(parser: argparse.ArgumentParser) -> None:
    """Adds the flag --version."""
    parser.add_argument("--version", action="version",
                        version=f"gles_delegate {gles_delegate.__version__}")


def parse(parser: argparse.ArgumentParser, argv: Optional[List[str]]) -> argparse.Namespace:
    """The parsed arguments; the error for an unknown flag suggests the one that was meant."""
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        flags = sorted(set(re.findall(r"--\w+", parser.format_help())))
        name = unknown[0].split("=")[0]
        close = difflib.get_close_matches(name, flags, 1) if name.startswith("-") else []
        meant = f" (did you mean {close[0]}?)" if close else ""
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")
    return arguments


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
