"""A file of results that an interrupted evaluation goes on with.

The first line says what is evaluated, each further line holds one image's results, all as
JSON. Nothing but the names of finished images is kept in memory.
"""

import json
import pathlib
from typing import Any, Dict, Iterator, Set

from . import EvaluationError


class Results:
    """The file at `path`, for the evaluation `identity` (flat, of texts and numbers)."""

    def __init__(self, path: pathlib.Path, identity: Dict[str, Any]):
        self._path = path
        self._done: Set[str] = set()
        if path.exists() and path.stat().st_size > 0:
            self._cut_torn_line()
            self._check(identity)
            self._done = {row["image"] for row in self.rows()}
        if not path.exists() or path.stat().st_size == 0:
            path.write_text(json.dumps(identity) + "\n", encoding="utf-8")
        self._file = open(path, "a", encoding="utf-8")  # pylint: disable=consider-using-with

    def __contains__(self, image: str) -> bool:
        return image in self._done

    def __len__(self) -> int:
        return len(self._done)

    def add(self, row: Dict[str, Any]) -> None:
        """Keeps the results of row["image"]."""
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        self._done.add(row["image"])

    def rows(self) -> Iterator[Dict[str, Any]]:
        """The images' results, in the order of the file."""
        with open(self._path, encoding="utf-8") as file:
            next(file, None)
            for line in file:
                yield json.loads(line)

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
        with open(self._path, encoding="utf-8") as file:
            line = file.readline()
        if not line:
            return
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise EvaluationError(f"{self._path} holds no results of an evaluation; name "
                                  "another --output_file_path")
        for key in sorted(set(found) | set(identity)):
            if found.get(key) != identity.get(key):
                raise EvaluationError(
                    f"{self._path} holds the results of another evaluation: {key} was "
                    f"{found.get(key)!r} and is {identity.get(key)!r}; remove the file or name "
                    "another --output_file_path")
