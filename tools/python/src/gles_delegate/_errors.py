"""The package's exceptions."""


class DelegateError(RuntimeError):
    """The delegate was not made or not applied; the text is the delegate's own."""
