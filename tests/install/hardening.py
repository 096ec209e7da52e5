"""Checks for what a release's binaries must and must not have in them.

    wrong(path, builder)  the findings of a library or program, by readelf and objdump

BUILDER: folders whose paths may not be in it.
"""

import pathlib
import re
import subprocess

def readelf(path, *flags):
    return subprocess.run(["readelf", "-W", *flags, str(path)], capture_output=True, text=True,
                          check=True).stdout


def reads_canary(path):
    """Whether a library that has __stack_chk_fail inside, as zig's have, uses it; on x86-64, where
    code without symbols shows that."""
    if "X86-64" not in readelf(path, "-h"):
        return True
    done = subprocess.run(["objdump", "-d", str(path)], capture_output=True, text=True, check=True)
    return "%fs:0x28" in done.stdout


def wrong(path, builder, stripped=False):
    """Yields what is wrong with the binary."""
    name = pathlib.Path(path).name
    segments, dynamic = readelf(path, "-l"), readelf(path, "-d")
    if not re.search(r"GNU_STACK .* RW +0", segments):
        yield f"{name}: its stack is executable"
    if "GNU_RELRO" not in segments:
        yield f"{name}: no read-only relocations (-z relro)"
    if "BIND_NOW" not in dynamic and not re.search(r"FLAGS_1\).*\bNOW\b", dynamic):
        yield f"{name}: symbols are bound lazily (-z now)"
    if "TEXTREL" in dynamic:
        yield f"{name}: relocations in its code"
    symbols = readelf(path, "--dyn-syms")
    if not re.search(r"\b__\w+_chk(@|\b)", symbols.replace("__stack_chk_fail", "")):
        yield f"{name}: no checked libc call (_FORTIFY_SOURCE)"
    if "__stack_chk_fail" not in symbols and not reads_canary(path):
        yield f"{name}: no stack protector"
    if stripped and ".symtab" in readelf(path, "-S"):
        yield f"{name}: not stripped"
    content = pathlib.Path(path).read_bytes()
    for folder in builder:
        if str(folder).encode() in content:
            yield f"{name}: has the builder's path {folder}"


def stack_checks(path):
    """Yields what a binary for x86-64 that GNU's linker made lacks against overrun stacks. Of the
    binaries, the delegate alone has frames of more than a page."""
    if "X86-64" not in readelf(path, "-h"):
        return
    name = pathlib.Path(path).name
    if "SHSTK" not in readelf(path, "-n"):
        yield f"{name}: not marked for shadow stacks (-z shstk)"
    if not name.startswith("libgles_delegate.so"):
        return
    code = subprocess.run(["objdump", "-d", str(path)], capture_output=True, text=True,
                          check=True).stdout
    if not re.search(r"\tor[ql] +\$0x0,(0x[0-9a-f]+)?\(%rsp", code):
        yield f"{name}: large frames do not touch each page (-fstack-clash-protection)"


def branch_targets(path, symbol):
    """Yields a finding if the function does not begin with a branch target (CET, BTI)."""
    text = subprocess.run(["objdump", "-d", f"--disassemble={symbol}", str(path)],
                          capture_output=True, text=True, check=True).stdout
    if not re.search(r"\t(endbr64|endbr32|bti\s+\w+|paciasp|hint\s+#0x(22|19))", text):
        yield f"{pathlib.Path(path).name}: {symbol} is no branch target (-fcf-protection)"
