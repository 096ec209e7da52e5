"""The runtimes' own loader of external delegates with options that are wrong.

Each case runs in its own process, because it may crash.
"""

import ctypes
import subprocess
import sys

import pytest

import gles_delegate
from self_check import MODEL

KNOWN = "known are: device, is_precision_loss_allowed"


def python(program, *arguments):
    """The program's output; fails if it does not end by itself."""
    done = subprocess.run(
        [sys.executable, "-c", program, gles_delegate.library_path(), *arguments],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr}"
    return done.stdout


LOAD = """
import sys
import gles_delegate
library, key, value = sys.argv[1:]
try:
    gles_delegate.find_runtime().load_delegate(library, {key: value})
    print("it was loaded")
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize("key, value, reason", [
    ("is_precision_lost", "1",
     "unknown option 'is_precision_lost' (did you mean 'is_precision_loss_allowed'?); " + KNOWN),
    ("", "", "unknown option ''; " + KNOWN),
    ("verbosity", "loud", "option verbosity: 'loud' is not an integer"),
    ("verbosity", "99", "option verbosity: 99 is not 0 to 2"),
    ("max_delegated_partitions", "99999999999",
     "option max_delegated_partitions: '99999999999' is not an integer of 32 bits"),
    ("memory_limit_bytes", "1e400", "option memory_limit_bytes: '1e400' is not an integer"),
    ("storage", "", "option storage: '' is not auto, texture_array"),
    ("storage", "-1", "option storage: '-1' is not auto, texture_array"),
])
def test_the_runtimes_loader_says_what_is_wrong(key, value, reason):
    told = python(LOAD, key, value)
    assert "Failed to load delegate" in told, told
    assert reason in told, told


def test_the_runtimes_loader_takes_a_good_option():
    assert python(LOAD, "verbosity", "0") == "it was loaded\n"


# The function that loaders call, with what C callers may hand over. A null key is not an
# option; a null value is an empty one.
NULLS = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
create = library.tflite_plugin_create_delegate
texts = ctypes.POINTER(ctypes.c_char_p)
create.argtypes = [texts, texts, ctypes.c_size_t, ctypes.CFUNCTYPE(None, ctypes.c_char_p)]
create.restype = ctypes.c_void_p
library.tflite_plugin_destroy_delegate.argtypes = [ctypes.c_void_p]
told = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda text: print(text.decode()))
key = {"null": None}.get(sys.argv[2], sys.argv[2].encode())
report = told if sys.argv[3] == "told" else ctypes.cast(None, type(told))
delegate = create((ctypes.c_char_p * 1)(key), (ctypes.c_char_p * 1)(None), 1, report)
print("a delegate" if delegate else "none")
library.tflite_plugin_destroy_delegate(delegate)
library.tflite_plugin_destroy_delegate(None)
"""


def test_null_strings_are_no_crash():
    assert python(NULLS, "null", "told") == "a delegate\n"
    told = python(NULLS, "storage", "told")
    assert "option storage: '' is not auto" in told and told.endswith("none\n")
    # Without a function to tell, a delegate that refuses when it is applied.
    assert python(NULLS, "storage", "untold").endswith("a delegate\n")


def test_an_interpreter_survives_a_delegate_that_refuses():
    library = ctypes.CDLL(gles_delegate.library_path())
    refusal = library.TfLiteGlesDelegateCreateRefusal
    refusal.argtypes, refusal.restype = [ctypes.c_char_p], ctypes.c_void_p

    class Refusing:  # what the interpreter asks of a delegate
        def _get_native_delegate_pointer(self):
            return refusal(b"a reason")

    runtime = gles_delegate.find_runtime()
    with pytest.raises((RuntimeError, ValueError)) as error:
        runtime.Interpreter(model_content=MODEL,
                            experimental_delegates=[Refusing()]).allocate_tensors()
    assert "a reason" in str(error.value)
