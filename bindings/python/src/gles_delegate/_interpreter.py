"""The runtimes' Interpreter, which a `with` statement can end."""

import functools
from types import TracebackType
from typing import Any, Callable, Dict, List, Optional, Protocol, Type, cast


class Interpreter(Protocol):
    """The runtime's own Interpreter, whose documentation has each method.

    As a context manager it frees its memory and the delegate's at the end of the `with` block,
    on this thread; each method then raises ValueError. Without one that happens when the last
    reference is gone.
    """

    def __enter__(self) -> "Interpreter": ...
    def __exit__(self, *exception: Any) -> None: ...
    def allocate_tensors(self) -> None: ...
    def invoke(self) -> None: ...
    def get_input_details(self) -> List[Dict[str, Any]]: ...
    def get_output_details(self) -> List[Dict[str, Any]]: ...
    def get_tensor_details(self) -> List[Dict[str, Any]]: ...
    def set_tensor(self, tensor_index: int, value: Any) -> None: ...
    def get_tensor(self, tensor_index: int, subgraph_index: int = 0) -> Any: ...
    def tensor(self, tensor_index: int) -> Callable[[], Any]: ...
    def resize_tensor_input(self, input_index: int, tensor_size: Any, strict: bool = False) -> None: ...
    def get_signature_list(self) -> Dict[str, Any]: ...
    def get_signature_runner(self, signature_key: Optional[str] = None) -> Any: ...
    def reset_all_variables(self) -> None: ...


class _Closed:
    """An interpreter becomes this after its `with` block."""

    def __getattr__(self, name: str) -> Any:
        raise ValueError("the interpreter is closed: its `with` block has ended")

    def __enter__(self) -> Any:
        return self.closed

    def __exit__(self, *exception: Any) -> None:
        """Never called."""


@functools.lru_cache(maxsize=None)
def closing(base: Any) -> Callable[..., Interpreter]:
    """A subclass of the runtime's Interpreter that is a context manager."""

    def enter(self: Any) -> Any:
        return self

    def leave(self: Any, kind: Optional[Type[BaseException]], error: Optional[BaseException],
              trace: Optional[TracebackType]) -> None:
        # The runtimes' own way to delete the interpreter before its delegates.
        self.__del__()
        self.__dict__.clear()
        self.__class__ = _Closed

    return cast(Callable[..., Interpreter],
                type("Interpreter", (base,), {"__enter__": enter, "__exit__": leave}))
