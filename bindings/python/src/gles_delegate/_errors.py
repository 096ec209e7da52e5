"""The package's exceptions."""

import errno
import os
import re
import stat
from typing import Union

# The runtimes' words around the delegate's.
_PREFIX = re.compile(r"\A(Failed to load delegate from [^\n]*\n)?(TfLiteGlesDelegate: )?")
_SUFFIX = re.compile(r"\n(Restored original execution plan|Failed to apply)[^\n]*", re.MULTILINE)


def own_words(text: str) -> str:
    """The delegate's own words in a text of the library or of a runtime.

    >>> own_words("TfLiteGlesDelegate: why\\nRestored original execution plan after that.")
    'why'
    """
    return _SUFFIX.sub("", _PREFIX.sub("", text, count=1)).strip()


def check_path(path: Union[str, "os.PathLike[str]"], mode: int, folder: bool = False) -> None:
    """Raises the OSError of a file, or of a folder, that cannot be used in `mode` (os.R_OK, ...)."""
    is_folder = stat.S_ISDIR(os.stat(path).st_mode)
    number = 0 if os.access(path, mode) else errno.EACCES
    if is_folder != folder:
        number = errno.EISDIR if is_folder else errno.ENOTDIR
    if number:
        raise OSError(number, os.strerror(number), os.fspath(path))


class DelegateError(RuntimeError):
    """The delegate was not made or not applied.

    Attributes:
      message: which of these, in a few words.
      reason: the delegate's own words, which may be several lines.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message, reason)
        self.message = message
        self.reason = own_words(reason)

    def __str__(self) -> str:
        return f"{self.message}: {self.reason}" if self.reason else self.message
