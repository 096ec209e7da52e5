"""Shared by the scripts that measure LiteRT's accelerators, each in its own process.

    benches/litert_ways.py MODEL.tflite

prints the median time in ms of 200 runs on LiteRT's WebGPU and of reading their outputs, after 4 s
in which an idle GPU raises its clock. LiteRT's own benchmark_litert_model does not read outputs,
and lets WebGPU compute in 16 bits.
"""

import json
import statistics
import subprocess
import sys
import time

MARK = "MEASURED "
RUNS, WARM_UP_SECONDS = 200, 4


def compiled(way, path, rest_on_cpu=True, threads=4):
    """A CompiledModel with 32-bit floats on "ours", "webgpu" or "cpu".

    rest_on_cpu: the CPU takes what the accelerator leaves. threads: of the CPU.
    """
    # pylint: disable=import-outside-toplevel
    from ai_edge_litert import compiled_model as litert
    environment = None  # LiteRT's own folder, where its WebGPU accelerator lies
    if way == "ours":
        import gles_delegate
        environment = litert.Environment.create(runtime_path=gles_delegate.litert_runtime_dir())
    cpu, gpu = litert.HardwareAccelerator.CPU, litert.HardwareAccelerator.GPU
    return litert.CompiledModel.from_file(path, environment=environment, options=litert.Options(
        hardware_accelerators=cpu if way == "cpu" else gpu | cpu if rest_on_cpu else gpu,
        gpu_options=litert.GpuOptions(enforce_f32=True),
        cpu_options=litert.CpuOptions(num_threads=threads)))


def random_inputs(model, signature, seed):
    """Buffers of a CompiledModel's inputs: floats in [-1, 1], integers of the type's range."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    rng = np.random.default_rng(seed)
    key, names = list(model.get_signature_list().items())[signature]
    details = model.get_input_tensor_details(key)
    inputs = model.create_input_buffers(signature)
    for buffer, name in zip(inputs, names["inputs"]):
        shape, dtype = details[name]["shape"], np.dtype(details[name]["dtype"])
        values = (rng.uniform(-1, 1, shape) if dtype.kind == "f" else
                  rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape))
        buffer.write(values.astype(dtype))
    return inputs


def webgpu_ms(path):
    """The median time of a run on WebGPU."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    model = compiled("webgpu", path)
    (key, names), = list(model.get_signature_list().items())[:1]
    inputs, outputs = random_inputs(model, 0, seed=1), model.create_output_buffers(0)
    details = [model.get_output_tensor_details(key)[name] for name in names["outputs"]]
    times, warm = [], time.perf_counter() + WARM_UP_SECONDS
    while len(times) < RUNS:
        begin = time.perf_counter()
        model.run_by_index(0, inputs, outputs)
        for buffer, detail in zip(outputs, details):
            buffer.read(int(np.prod(detail["shape"])), np.dtype(detail["dtype"]))
        if begin > warm:
            times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


def short(reason):
    """
    >>> short("a | b " * 30)
    'a / b a / b a / b a / b a / b a / b a / b a / b a / b a / b...'
    """
    reason = " ".join(reason.replace("|", "/").split())
    return reason if len(reason) <= 62 else reason[:59].rstrip() + "..."


def reason_in(log):
    """Why a process failed, by what it wrote.

    >>> reason_in("Traceback:\\nModuleNotFoundError: No module named 'torch'\\n")
    "not here: No module named 'torch'"
    >>> reason_in("gles: INTERNAL: lost\\nUNAVAILABLE: a backend failed, see above")
    'gles: INTERNAL: lost'
    >>> reason_in("RuntimeError: Failed to load\\n└ ERROR: [model_load.cc:5]\\nINFO: freed")
    'RuntimeError: Failed to load'
    >>> reason_in("")
    'no reason given'
    """
    lines = [line for line in log.splitlines() if line.strip() and "see above" not in line
             and not line.startswith(("INFO", "WARNING", "└"))]
    last = lines[-1] if lines else "no reason given"
    return short(last.replace("ModuleNotFoundError", "not here"))


def ended(command, timeout, environment=None):
    """A process's output and log, and why it failed: "" if it did not.

    >>> import sys
    >>> ended([sys.executable, "-c", "print(1)"], 60)
    ('1\\n', '', '')
    >>> ended([sys.executable, "-c", "import os; os.kill(os.getpid(), 11)"], 60)[2]
    'ends by signal 11'
    >>> ended([sys.executable, "-c", "import time; time.sleep(9)"], 0.1)[2]
    'more than 0.1 s'
    >>> ended(["/no/such/program"], 60)[2]
    'not here'
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              check=False, timeout=timeout, env=environment)
    except OSError:
        return "", "", "not here"
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace"), "", f"more than {timeout} s"
    failure = ""
    if done.returncode < 0:
        failure = f"ends by signal {-done.returncode}"
    elif done.returncode > 0:
        failure = reason_in(done.stderr)
    return done.stdout, done.stderr, failure


def measured(command, timeout, environment=None):
    """The values that a process prints behind MARK, or why there are none, as a text; its log.

    >>> import sys
    >>> measured([sys.executable, "-c", "print('MEASURED {}')"], 60)
    ({}, '')
    >>> measured(["/no/such/program"], 60)
    ('not here', '')
    """
    output, log, failure = ended(command, timeout, environment)
    found = output.rpartition(MARK)[2]
    return (json.loads(found) if MARK in output else failure or "no result"), log


if __name__ == "__main__":
    print(MARK + json.dumps({"ms": webgpu_ms(sys.argv[1])}))
