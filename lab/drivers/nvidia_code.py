#!/usr/bin/env python3
"""The machine code that NVIDIA's driver made of the delegate's programs.

    export __GL_SHADER_DISK_CACHE=1 __GL_SHADER_DISK_CACHE_PATH=CACHE
    benchmark_model --graph=M.tflite --use_gles --num_runs=1
    lab/drivers/nvidia_code.py CACHE [--nvdisasm=PATH] [--architecture=SM90] [--code]

Prints each program in the order of compilation: its work group, instructions and registers of a
thread, and for each loop how often it has each instruction. A multiply-add is "crowded" if it reads
two or three registers of equal parity, which takes another cycle (H200). An operand that the
instruction before kept (.reuse) does not count. --code prints the code as well.

Needs zstd, and nvdisasm, which is in CUDA and in PyPI's triton
(triton/backends/nvidia/bin). The format is not documented: read off driver 580.159.
"""

import argparse
import collections
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ASSEMBLY, END = b"!!NVcp5.0", b"\nEND\n"
ZSTD = b"\x28\xb5\x2f\xfd"
SECTION = struct.Struct("<4xII20x")  # with its kind before it
CODE, REGISTERS = 1, 3
INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,5})\*/\s+(?:@!?U?P\w+\s+)?([A-Z]\w*)(\S*) ?([^;]*);")


def programs(cache):
    """(assembly, machine code's file) of each program of a cache file's bytes."""
    start = cache.find(ASSEMBLY)
    while start >= 0:
        end = cache.find(END, start)
        packed = cache.find(ZSTD, end)
        start = cache.find(ASSEMBLY, end)
        if 0 <= packed and (start < 0 or packed < start):
            unpacked = subprocess.run(["zstd", "-dcq"], input=cache[packed:], check=False,
                                      capture_output=True).stdout  # bytes follow the frame
            yield cache[cache.rfind(ASSEMBLY, 0, end):end].decode("latin1"), unpacked


def section(unpacked, wanted):
    """The bytes of a section of the machine code's file.

    >>> head = b"NVuc" + bytes(28)
    >>> section(head + struct.pack("<III20x", 1, 2, 64) + b"code", CODE)
    b'co'
    """
    at = 32
    while unpacked[:4] == b"NVuc" and at + 32 <= len(unpacked):
        kind, (size, offset) = unpacked[at:at + 4], SECTION.unpack_from(unpacked, at)
        if kind == struct.pack("<I", wanted):
            return unpacked[offset:offset + size]
        at += 32
    sys.exit("another format than that of driver 580.159")


def reads_of(operands, kept):
    """The registers that an instruction reads, and those that it keeps, by operand.

    >>> reads_of("R4, R2.reuse, R6, R4", {})
    ({2, 4, 6}, {0: 2})
    >>> reads_of("R5, R2, R7, R5", {0: 2})
    ({5, 7}, {})
    """
    reads, keeps = set(), {}
    for place, operand in enumerate(operands.split(",")[1:]):
        register = re.match(r"\s*-?\|?R(\d+)", operand)
        if not register:
            continue
        number = int(register.group(1))
        if kept.get(place) != number:
            reads.add(number)
        if ".reuse" in operand:
            keeps[place] = number
    return reads, keeps


def describe(code):
    """{"loop at A": (counts of instructions, crowded ones)} of disassembled code, "all" first.

    >>> for name, counts in describe('''
    ...     /*0000*/  MOV R1, RZ ;
    ...     /*0010*/  FFMA R4, R2, R6, R4 ;
    ...     /*0020*/  @P0 BRA 0x10 ;''').items():
    ...     print(name, dict(counts[0]), counts[1])
    all {'MOV': 1, 'FFMA': 1, 'BRA': 1} 1
    loop at 0x10 {'FFMA': 1, 'BRA': 1} 1
    """
    lines, kept = [], {}
    for found in INSTRUCTION.finditer(code):
        address, name, rest, operands = found.groups()
        reads, kept = reads_of(operands, kept)
        odd = sum(n % 2 for n in reads)
        crowded = name in ("FFMA", "HFMA2") and max(odd, len(reads) - odd) > 1
        width = ".128" if ".128" in rest else ""
        lines.append((int(address, 16), name + width, operands, crowded))
    loops = {"all": (0, float("inf"))}
    for address, name, operands, _ in lines:
        target = re.search(r"0x([0-9a-f]+)", operands)
        if name == "BRA" and target and int(target.group(1), 16) < address:
            loops[f"loop at 0x{target.group(1)}"] = (int(target.group(1), 16), address)
    result = {}
    for loop, (first, last) in loops.items():
        inside = [line for line in lines if first <= line[0] <= last]
        result[loop] = (collections.Counter(name for _, name, _, _ in inside),
                        sum(crowded for _, _, _, crowded in inside))
    return result


def disassembled(code, flags):
    with tempfile.NamedTemporaryFile() as file:
        file.write(code)
        file.flush()
        return subprocess.run([flags.nvdisasm, "-b", flags.architecture, file.name], check=True,
                              capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cache", type=pathlib.Path)
    parser.add_argument("--nvdisasm", default="nvdisasm")
    parser.add_argument("--architecture", default="SM90")
    parser.add_argument("--code", action="store_true")
    flags = parser.parse_args()
    for program in ("zstd", flags.nvdisasm):
        if not shutil.which(program):
            sys.exit(f"no program {program}: see --help")
    files = sorted(flags.cache.glob("GLCache/*/*/*.bin"))
    if not files:
        sys.exit(f"no GLCache/*/*/*.bin in {flags.cache}")
    number = 0
    for file in files:
        for assembly, unpacked in programs(file.read_bytes()):
            group = re.search(r"GROUP_SIZE ([\d ]+);", assembly)
            registers, = struct.unpack_from("<I", section(unpacked, REGISTERS))
            code = disassembled(section(unpacked, CODE), flags)
            print(f"program {number}: work group {group.group(1) if group else '?'}, "
                  f"{registers} registers")
            for loop, (counts, crowded) in describe(code).items():
                print(f"  {loop}: {sum(counts.values())} instructions, {crowded} crowded: "
                      + ", ".join(f"{n} {k}" for k, n in counts.most_common(12)))
            if flags.code:
                print(code)
            number += 1
    if number == 0:
        sys.exit(f"no program with {ASSEMBLY.decode()} and zstd in {flags.cache}: another format "
                 "than that of driver 580.159")


if __name__ == "__main__":
    main()
