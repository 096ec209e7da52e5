"""A file of results that an interrupted evaluation goes on with.

The first line says what is evaluated, each further line holds one image's results, all as
JSON. Nothing but the names of finished images is kept in memory.
"""

import json
import pathlib
from typing import Any, Dict, Iterator, Optional, Set, cast

from . import EvaluationError


def _object_of(line: bytes) -> Optional[Dict[str, Any]]:
    """The JSON object in a line; None where the line holds something else."""
    try:
        found: Any = json.loads(line.decode("utf-8"))
    except ValueError:  # no UTF-8, or no JSON
        return None
    return cast(Dict[str, Any], found) if isinstance(found, dict) else None


class Results:
    """The file at `path`, for the evaluation `identity` (flat, of texts and numbers)."""

    def __init__(self, path: pathlib.Path, identity: Dict[str, Any]):
        self._path = path
        self._done: Set[str] = set()
        if path.exists() and path.stat().st_size > 0:
            self._check(identity)  # first: nothing of another file is touched
            self._cut_torn_line()
            self._done = {row["image"] for row in self.rows()}
        else:
            path.write_text(json.dumps(identity) + "\n", encoding="utf-8")
        self._file = open(path, "a", encoding="utf-8")  # pylint: disable=consider-using-with

    def __contains__(self, image: str) -> bool:
        return image in self._done

    def add(self, row: Dict[str, Any]) -> None:
        """Keeps the results of row["image"]."""
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        self._done.add(row["image"])

    def rows(self) -> Iterator[Dict[str, Any]]:
        """The images' results, in the order of the file.

        Raises EvaluationError where a line is not what add() wrote.
        """
        with open(self._path, "rb") as file:
            for number, line in enumerate(file, 1):
                if number == 1:
                    continue
                row = _object_of(line)
                if row is None or "image" not in row:
                    raise EvaluationError(f"line {number} of {self._path} holds no result; remove "
                                          "the line, and its image is evaluated again")
                yield row

    def close(self) -> None:
        """Of the file; rows() still reads it."""
        self._file.close()

    def _cut_torn_line(self) -> None:
        """A process that was killed may have left a line without its end."""
        content = self._path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            with open(self._path, "r+b") as file:
                file.truncate(whole)

    def _check(self, identity: Dict[str, Any]) -> None:
        with open(self._path, "rb") as file:
            found = _object_of(file.readline())
        if found is None:
            raise EvaluationError(f"{self._path} holds no results of an evaluation; name "
                                  "another --output_file_path")
        for key in sorted(set(found) | set(identity)):
            if found.get(key) != identity.get(key):
                raise EvaluationError(
                    f"{self._path} holds the results of another evaluation: {key} was "
                    f"{found.get(key)!r} and is {identity.get(key)!r}; remove the file or name "
                    "another --output_file_path")
