#!/usr/bin/env python3
"""This project's accelerator of LiteRT beside LiteRT's own, WebGPU, or beside the interpreter.

    benches/compare_accelerators.py [--beside=interpreter] [--mesa_root=FOLDER] \\
        [--processor_time] [--rounds=N] [--runs=N] [--warmup_runs=N] [--json=FILE] MODEL.tflite...

Needs a Python with ai-edge-litert 2.3 or newer and with the package gles_delegate. Each model
is compiled for GPU | CPU and run by each accelerator, in its own process, alternately, with
32-bit floats, on the same input, without the driver's shader cache. Prints a row of a table
for each model: how many nodes each accelerator takes, how far its answers are from the CPU's,
and how long a run and a start (compiling and the first run) take with WebGPU, as multiples
of ours: the median of the rounds, and their range. --beside=interpreter runs LiteRT's interpreter
with this project's delegate in WebGPU's place; then each run writes the inputs, too. --mesa_root
starts the processes with the Mesa of that folder (`./dev drivers` fetches such:
.deps/drivers/sid-amd64), whose lavapipe and llvmpipe are then the two devices; WebGPU refuses
Debian 12's lavapipe. --processor_time counts what the process takes of all processors together in
place of what a clock shows: for such drivers, which compute on the processor, on a machine with
other work to do.
"""

import argparse
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

MARK = "MEASURED "


def random_values(details, seed):
    """Values for inputs: floats in [-1, 1], integers of the type's range."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    rng = np.random.default_rng(seed)
    made = []
    for detail in details:
        shape, dtype = detail["shape"], np.dtype(detail["dtype"])
        values = (rng.uniform(-1, 1, shape) if dtype.kind == "f" else
                  rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape))
        made.append(values.astype(dtype))
    return made


def random_inputs(model, signature, seed):
    """Buffers of a CompiledModel's inputs with random_values()."""
    key, names = list(model.get_signature_list().items())[signature]
    details = model.get_input_tensor_details(key)
    inputs = model.create_input_buffers(signature)
    values = random_values([details[name] for name in names["inputs"]], seed)
    for buffer, value in zip(inputs, values):
        buffer.write(value)
    return inputs


def step_of(accelerator, path, writes):
    """What runs the model once and returns its outputs. writes: writes the inputs each time."""
    # pylint: disable=import-outside-toplevel
    import numpy as np
    from ai_edge_litert import compiled_model as litert
    if accelerator in ("ours", "interpreter"):
        import gles_delegate
    if accelerator == "interpreter":
        from ai_edge_litert import interpreter
        model = interpreter.Interpreter(
            path, experimental_delegates=[gles_delegate.load_delegate()])
        model.allocate_tensors()
        details = model.get_input_details()
        values = random_values(details, seed=1)

        def step():
            for detail, value in zip(details, values):
                model.set_tensor(detail["index"], value)
            model.invoke()
            return [model.get_tensor(detail["index"]).ravel()
                    for detail in model.get_output_details()]
        return step
    environment = None  # LiteRT's own folder, where its WebGPU accelerator lies
    if accelerator == "ours":
        environment = litert.Environment.create(
            runtime_path=gles_delegate.litert_runtime_dir())
    cpu, gpu = litert.HardwareAccelerator.CPU, litert.HardwareAccelerator.GPU
    model = litert.CompiledModel.from_file(path, environment=environment, options=litert.Options(
        hardware_accelerators=cpu if accelerator == "cpu" else gpu | cpu,
        gpu_options=litert.GpuOptions(enforce_f32=True)))
    (key, names), = list(model.get_signature_list().items())[:1]
    inputs, outputs = random_inputs(model, 0, seed=1), model.create_output_buffers(0)
    ins, outs = model.get_input_tensor_details(key), model.get_output_tensor_details(key)
    values = random_values([ins[name] for name in names["inputs"]], seed=1)
    sizes = [(int(np.prod(outs[name]["shape"])), np.dtype(outs[name]["dtype"]))
             for name in names["outputs"]]

    def step():
        for buffer, value in zip(inputs, values if writes else []):
            buffer.write(value)
        model.run_by_index(0, inputs, outputs)
        return [buffer.read(*size) for buffer, size in zip(outputs, sizes)]
    return step


def measure(accelerator, path, flags):
    """Runs in its own process: measures, and prints one line of JSON."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    clock = time.process_time if flags.processor_time else time.perf_counter
    expected = step_of("cpu", path, False)()
    begin = clock()
    step = step_of(accelerator, path, flags.beside == "interpreter")
    answer = step()
    start = clock() - begin
    times = []
    for _ in range(flags.warmup_runs + flags.runs):
        begin = clock()
        step()
        times.append(clock() - begin)
    latency = statistics.median(times[flags.warmup_runs:])
    pairs = [(a.astype(np.float64), e.astype(np.float64)) for a, e in zip(answer, expected)]
    error = max(float(np.max(np.abs(a - e)) / max(np.max(np.abs(e)), 1e-30))
                for a, e in pairs)
    print(MARK + json.dumps({"start": start, "latency": latency, "error": error}))


def started(command, mesa_root):
    """The command and environment of a process that sees the Mesa of a folder."""
    environment = dict(os.environ, MESA_SHADER_CACHE_DISABLE="true")
    if mesa_root is None:
        return command, environment
    root = os.path.abspath(mesa_root)
    libraries, = glob.glob(os.path.join(root, "usr/lib/*-linux-gnu"))
    icd = json.loads(open(glob.glob(os.path.join(root, "usr/share/vulkan/icd.d/lvp*"))[0],
                          encoding="utf-8").read())
    icd["ICD"]["library_path"] = os.path.join(libraries, "libvulkan_lvp.so")
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(icd, file)
    environment.update(
        VK_ICD_FILENAMES=file.name, VK_DRIVER_FILES=file.name,
        __EGL_VENDOR_LIBRARY_DIRS=os.path.join(root, "usr/share/glvnd/egl_vendor.d"),
        LIBGL_DRIVERS_PATH=os.path.join(libraries, "dri"),
        GBM_BACKENDS_PATH=os.path.join(libraries, "gbm"), GLES_DELEGATE_DEVICE="llvmpipe",
        PYTHONHOME=sys.base_prefix, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    own = [os.path.join(sys.base_prefix, "lib"), os.path.dirname(libraries.replace(root, "")),
           libraries.replace(root, "")]
    loader, = glob.glob(os.path.join(root, "lib64/ld-linux*"))
    return [loader, "--library-path", ":".join([libraries, *own]),
            os.path.realpath(command[0]), *command[1:]], environment


def one(accelerator, model, flags):
    """A process's measurements, or a text that says why it has none."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command, environment = started(
            [sys.executable, os.path.abspath(__file__), "--measure", accelerator,
             f"--runs={flags.runs}", f"--warmup_runs={flags.warmup_runs}",
             f"--beside={flags.beside}", *(["--processor_time"] if flags.processor_time else []),
             model], flags.mesa_root)
        environment["GLES_DELEGATE_OPTIONS"] = f"report_file:{report}"
        done = subprocess.run(command, env=environment, capture_output=True, text=True,
                              errors="replace", check=False)
        found = re.search("^" + MARK + "(.*)$", done.stdout, re.MULTILINE)
        if not found:
            return (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        measured = json.loads(found.group(1))
        if os.path.exists(report):
            with open(report, encoding="utf-8") as file:
                nodes = json.load(file)
            measured["nodes"] = [nodes["nodes_delegated"], nodes["nodes_total"]]
        else:
            measured.update(nodes_in(done.stderr))
        return measured


def nodes_in(log):
    """The nodes that WebGPU takes, if it says that it leaves some.

    >>> nodes_in("INFO: 29 operations will run on the GPU, and the remaining 2 on the CPU.")
    {'nodes': [29, 31]}
    >>> nodes_in("")
    {}
    """
    left = re.search(r"(\d+) operations will run on the GPU, and the remaining (\d+)", log)
    if not left:
        return {}
    taken, others = (int(count) for count in left.groups())
    return {"nodes": [taken, taken + others]}


def ratio_of(rounds, what):
    """
    >>> ratio_of([({"x": 2}, {"x": 3}), ({"x": 1}, {"x": 2}), ({"x": 1}, {"x": 4})], "x")
    '2.00 (1.50 to 4.00)'
    """
    ratios = [webgpu[what] / ours[what] for ours, webgpu in rounds]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def nodes_of(measured):
    """
    >>> nodes_of({"nodes": [29, 31]}), nodes_of({"nodes": [31, 31]}), nodes_of({})
    ('29 of 31', 'all', 'all')
    """
    taken, total = measured.get("nodes", [1, 1])
    return "all" if taken == total else f"{taken} of {total}"


def row(model, rounds):
    """
    >>> print(row("d/a.tflite", [({"latency": 1, "start": 2, "error": 1e-6},
    ...                           {"latency": 3, "start": 1, "error": 2e-3})]))
    | a | all, 1.0e-06 | all, 2.0e-03 | 3.00 (3.00 to 3.00) | 0.50 (0.50 to 0.50) |
    >>> print(row("a.tflite", [({"error": 0.0}, "No adapters found")]))
    | a | all, 0.0e+00 | fails: No adapters found | | |
    """
    name = os.path.basename(model).replace(".tflite", "")
    cells = [f"fails: {measured}" if isinstance(measured, str) else
             f"{nodes_of(measured)}, {measured['error']:.1e}" for measured in rounds[-1]]
    if any(isinstance(measured, str) for pair in rounds for measured in pair):
        return f"| {name} | {cells[0]} | {cells[1]} | | |"
    return (f"| {name} | {cells[0]} | {cells[1]} | {ratio_of(rounds, 'latency')} "
            f"| {ratio_of(rounds, 'start')} |")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", choices=("webgpu", "interpreter"), default="webgpu")
    parser.add_argument("--mesa_root")
    parser.add_argument("--processor_time", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--warmup_runs", type=int, default=0,
                        help="runs that are not timed, after the first")
    parser.add_argument("--json")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("models", nargs="+")
    flags = parser.parse_args()
    if flags.measure:
        measure(flags.measure, flags.models[0], flags)
        return
    name = {"webgpu": "WebGPU"}.get(flags.beside, flags.beside)
    print(f"| model | ours: nodes, error | {name}: nodes, error | run, {name} / ours "
          f"| start, {name} / ours |\n|---|---|---|---|---|", flush=True)
    everything = {}
    for model in flags.models:
        rounds = []
        for at in range(flags.rounds):
            print(f"{model}: round {at + 1} of {flags.rounds}", file=sys.stderr, flush=True)
            rounds.append(tuple(one(which, model, flags) for which in ("ours", flags.beside)))
        everything[model] = rounds
        print(row(model, rounds), flush=True)
    if flags.json:
        with open(flags.json, "w", encoding="utf-8") as file:
            json.dump(everything, file, indent=1)


if __name__ == "__main__":
    main()
