"""Runs TensorFlow Lite models on the GPU, by OpenGL ES 3.1 compute shaders.

    import gles_delegate

    with gles_delegate.interpreter("model.tflite", device="nvidia") as interpreter:
        interpreter.allocate_tensors()
        ...
        print(gles_delegate.report(interpreter).nodes_delegated)

or, if the app makes its interpreter itself:

    delegate = gles_delegate.load_delegate(is_precision_loss_allowed=True)
    interpreter = Interpreter("model.tflite", experimental_delegates=[delegate])

or, for LiteRT's CompiledModel (2.2 and newer):

    environment = Environment.create(runtime_path=gles_delegate.litert_runtime_dir())
    model = CompiledModel.from_file("model.tflite", HardwareAccelerator.GPU, environment)

The interpreter is that of ai_edge_litert, tflite_runtime or tensorflow, whichever is
installed. An interpreter must be invoked on the thread that made it, unless the option
thread_mode is "worker" or the app's own EGL context is current there.
"""

from ._benchmark import Answers, Benchmark, Times, benchmark
from ._delegate import interpreter, load_delegate, report
from ._errors import DelegateError
from ._interpreter import Interpreter
from ._library import (Compatibility, Device, compatibility, devices, library_path,
                       library_version, litert_runtime_dir)
from ._options import Options
from ._report import Cache, Dispatch, GpuBytes, OnCpu, Partition, Report
from ._runtimes import Runtime, version_of
from ._runtimes import find as find_runtime

__all__ = ["Answers", "Benchmark", "Cache", "Compatibility", "DelegateError", "Device", "Dispatch", "GpuBytes",
           "Interpreter", "OnCpu", "Options", "Partition", "Report", "Runtime", "Times", "benchmark",
           "compatibility", "devices", "find_runtime", "interpreter", "library_path",
           "library_version", "litert_runtime_dir", "load_delegate", "report"]

__version__ = version_of("gles-delegate")  # unknown in the source tree
