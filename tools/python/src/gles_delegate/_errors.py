"""The package's exceptions."""

import re

# The runtimes' words around the delegate's.
_PREFIX = re.compile(r"\A(Failed to load delegate from [^\n]*\n)?(TfLiteGlesDelegate: )?")
_SUFFIX = re.compile(r"\n(Restored original execution plan|Failed to apply)[^\n]*", re.MULTILINE)


def own_words(text: str) -> str:
    """The delegate's own words in a text of the library or of a runtime.

    >>> own_words("TfLiteGlesDelegate: why\\nRestored original execution plan after that.")
    'why'
    """
    return _SUFFIX.sub("", _PREFIX.sub("", text, count=1)).strip()


class DelegateError(RuntimeError):
    """The delegate was not made or not applied.

    message: which of these, in a few words.
    reason: the delegate's own words, which may be several lines.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message, reason)
        self.message = message
        self.reason = own_words(reason)

    def __str__(self) -> str:
        return f"{self.message}: {self.reason}" if self.reason else self.message
