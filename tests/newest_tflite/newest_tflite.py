"""TFLite's newest C functions that 2.9 lacks: buffer handles, and the delegate fallback.

    tests/newest_tflite/newest_tflite.py LIBRARY TFLITE FOLDER

LIBRARY: libgles_delegate.so. TFLITE: the C library that `./dev deps` fetches. Run by CTest as
`newest_tflite`; skips, with the reason, if TFLITE is too old for these functions.
"""

import ctypes
import os
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))

import environments  # noqa: E402
import self_check  # noqa: E402

OK, DELEGATE_ERROR = 0, 2
INPUTS, OUTPUTS = 16 * 16 * 5, 8 * 8 * 7  # floats of self_check's model

# EGL and OpenGL ES.
SURFACELESS, ES_API = 0x31DD, 0x30A0
CONTEXT_3_1 = (ctypes.c_int * 5)(0x3098, 3, 0x30FB, 1, 0x3038)
STORAGE_BUFFER, DYNAMIC_COPY, MAP_READ = 0x90D2, 0x88EA, 1


class Functions:
    """A library's functions, which return an int, or where `addresses` names them an address."""

    def __init__(self, path, addresses):
        self.library = ctypes.CDLL(path)
        self.addresses = addresses.split()

    def __getattr__(self, name):
        function = self.library[name]
        function.restype = ctypes.c_void_p if name in self.addresses else ctypes.c_int

        def call(*arguments):
            # A whole register each: an address and a number alike.
            return function(*(ctypes.c_void_p(a) if isinstance(a, int) else a
                              for a in arguments))
        return call


def floats_at(address, count):
    return (ctypes.c_float * count).from_address(address)


def gap(values, expected):
    return max(abs(v - e) for v, e in zip(values, expected))


class Run:
    """An interpreter of the model, with the delegate among its options or without."""

    def __init__(self, tflite, model, delegate=None, falls_back=False):
        self.tflite = tflite
        options = tflite.TfLiteInterpreterOptionsCreate()
        if delegate is not None:
            tflite.TfLiteInterpreterOptionsAddDelegate(options, delegate)
        tflite.TfLiteInterpreterOptionsSetEnableDelegateFallback(options, falls_back)
        self.interpreter = tflite.TfLiteInterpreterCreate(model, options)
        assert self.interpreter, "no interpreter"
        tflite.TfLiteInterpreterOptionsDelete(options)
        assert tflite.TfLiteInterpreterAllocateTensors(self.interpreter) == OK
        self.input = tflite.TfLiteInterpreterGetInputTensor(self.interpreter, 0)
        self.output = tflite.TfLiteInterpreterGetOutputTensor(self.interpreter, 0)

    def values(self, tensor, count):
        return floats_at(self.tflite.TfLiteTensorData(tensor), count)

    def write(self):
        self.values(self.input, INPUTS)[:] = [(7 * i % 23) / 23 for i in range(INPUTS)]

    def read(self):
        return list(self.values(self.output, OUTPUTS))

    def clear(self):
        self.values(self.output, OUTPUTS)[:] = [9] * OUTPUTS

    def invoke(self):
        return self.tflite.TfLiteInterpreterInvoke(self.interpreter)

    def delete(self):
        self.tflite.TfLiteInterpreterDelete(self.interpreter)


def make_context():
    egl = Functions("libEGL.so.1", "eglGetPlatformDisplay eglCreateContext")
    display = egl.eglGetPlatformDisplay(SURFACELESS, None, None)
    egl.eglInitialize(display, None, None)
    egl.eglBindAPI(ES_API)
    context = egl.eglCreateContext(display, None, None, CONTEXT_3_1)
    if not context or not egl.eglMakeCurrent(display, None, None, context):
        environments.skip("no surfaceless EGL context of OpenGL ES 3.1")
    return lambda: egl.eglMakeCurrent(display, None, None, None)


def make_buffer(gl, count, values=None):
    name = ctypes.c_uint()
    gl.glGenBuffers(1, ctypes.byref(name))
    gl.glBindBuffer(STORAGE_BUFFER, name.value)
    gl.glBufferData(STORAGE_BUFFER, ctypes.c_ssize_t(4 * count), values, DYNAMIC_COPY)
    gl.glBindBuffer(STORAGE_BUFFER, 0)
    return name.value


def read_buffer(gl, name, count):
    gl.glBindBuffer(STORAGE_BUFFER, name)
    values = list(floats_at(gl.glMapBufferRange(
        STORAGE_BUFFER, ctypes.c_ssize_t(0), ctypes.c_ssize_t(4 * count), MAP_READ), count))
    gl.glUnmapBuffer(STORAGE_BUFFER)
    gl.glBindBuffer(STORAGE_BUFFER, 0)
    return values


def check_handles(tflite, gles, model, expected):
    """The output is copied, unless handles are allowed, and then when it is asked for."""
    let_go = make_context()
    gl = Functions("libGLESv2.so.2", "glMapBufferRange")
    delegate = gles.TfLiteGlesDelegateCreate(None)
    run = Run(tflite, model, delegate)
    run.write()
    names = [make_buffer(gl, INPUTS, run.values(run.input, INPUTS)), make_buffer(gl, OUTPUTS)]
    for tensor, name in zip((run.input, run.output), names):
        assert tflite.TfLiteInterpreterSetBufferHandle(
            run.interpreter, tensor, name, delegate) == OK
    index = ctypes.cast(tflite.TfLiteInterpreterOutputTensorIndices(run.interpreter),
                        ctypes.POINTER(ctypes.c_int))[0]
    run.values(run.input, INPUTS)[:] = [float("nan")] * INPUTS  # nobody reads it
    for allowed in (False, True):
        tflite.TfLiteSetAllowBufferHandleOutput(run.interpreter, allowed)
        run.clear()
        assert run.invoke() == OK
        assert gap(read_buffer(gl, names[1], OUTPUTS), expected) < 1e-5
        assert (set(run.read()) == {9}) == allowed
        assert tflite.TfLiteInterpreterEnsureTensorDataIsReadable(run.interpreter, index) == OK
        assert gap(run.read(), expected) < 1e-5
    run.delete()
    gles.TfLiteGlesDelegateDelete(delegate)
    let_go()


def check_fallback(tflite, gles, model, expected):
    """An Invoke that the delegate refuses runs on the CPU, as do all after it."""
    delegate = gles.TfLiteGlesDelegateCreate(None)
    run = Run(tflite, model, delegate, falls_back=True)
    run.write()
    assert run.invoke() == OK
    assert gap(run.read(), expected) < 1e-5
    statuses = []
    for _ in range(2):
        run.clear()
        run.write()
        thread = threading.Thread(target=lambda: statuses.append(run.invoke()))
        thread.start()  # not the one that applied the delegate
        thread.join()
        assert run.read() == expected, "not by the CPU"
    assert statuses == [DELEGATE_ERROR, OK], statuses
    run.delete()
    gles.TfLiteGlesDelegateDelete(delegate)


def main():
    library, tflite_library, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    path = self_check.write_model(os.path.join(folder, "self_check.tflite"))
    tflite = Functions(tflite_library, """TfLiteInterpreterOptionsCreate
        TfLiteInterpreterCreate TfLiteModelCreateFromFile TfLiteInterpreterGetInputTensor
        TfLiteInterpreterGetOutputTensor TfLiteTensorData TfLiteInterpreterOutputTensorIndices
        TfLiteVersion""")
    gles = Functions(library, "TfLiteGlesDelegateCreate")
    if not hasattr(tflite.library, "TfLiteInterpreterSetBufferHandle"):
        environments.skip(tflite_library + " has no TfLiteInterpreterSetBufferHandle")
    print("with TFLite " + ctypes.string_at(tflite.TfLiteVersion()).decode())
    model = tflite.TfLiteModelCreateFromFile(path.encode())
    cpu = Run(tflite, model)
    cpu.write()
    assert cpu.invoke() == OK
    expected = cpu.read()
    assert max(expected) - min(expected) > 0.1, "the model's answer is flat"
    check_handles(tflite, gles, model, expected)
    check_fallback(tflite, gles, model, expected)
    cpu.delete()
    print("buffer handles and the delegate fallback: right")


if __name__ == "__main__":
    main()
