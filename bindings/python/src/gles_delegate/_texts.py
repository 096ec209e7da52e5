"""Options as one text, "key:value;key:value", for programs."""

from typing import Any

from ._errors import DelegateError
from ._library import library_path


def delegate_of(runtime: Any, text: str) -> Any:
    """A delegate with options that this package need not know.

    Raises DelegateError with the delegate's text.
    """
    options = {}
    for item in filter(None, text.split(";")):
        key, colon, value = item.partition(":")
        if not colon:
            raise DelegateError("the delegate was not made",
                                f"{item!r} of the options {text!r} is not key:value")
        options[key.strip()] = value
    try:
        return runtime.load_delegate(library_path(), options)
    except ValueError as error:
        raise DelegateError("the delegate was not made", str(error)) from error
