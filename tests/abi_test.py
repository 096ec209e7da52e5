"""The library's binary interface, compared with that of the last release by abidiff.

    tests/abi_test.py CC LIBRARY            compare; run by CTest as `abi`
    tests/abi_test.py CC LIBRARY --write    write cmake/abi/libgles_delegate.abi (./dev abi)

docs/abi.md says what may change. The built library has no debug information, so the interface
comes from two places, which must agree:
- LIBRARY: its SONAME and its symbols with their versions;
- a library of empty functions, one for each that the header declares, compiled with debug
  information and linked with LIBRARY's version script: the types.

Exit status 77: abidw and abidiff (Debian: abigail-tools) or readelf are not installed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADER = os.path.join(ROOT, "delegate/include/gles_delegate/gles_delegate.h")
VERSION_SCRIPT = os.path.join(ROOT, "delegate/gles_delegate.map")
RELEASE = os.path.join(ROOT, "cmake/abi/libgles_delegate.abi")
GROWING = os.path.join(ROOT, "cmake/abi/growing.abignore")
GROWING_STRUCTS = ("TfLiteGlesDelegateOptions", "TfLiteGlesObject")  # as in that file
ENUM = re.compile(r"^(?:typedef )?enum (\w+) \{", re.MULTILINE)
FUNCTION = re.compile(r"^GLES_DELEGATE_EXPORT\s+([^;{]+\b(\w+)\([^;{]*\));", re.MULTILINE)
PRIVATE = "@GlesDelegatePrivate"
OF_ENUM = "TfLiteGlesDelegateTakes"  # begins the names of functions made for enums
MORE_THAN_CHANGES = 1 | 2  # of abidiff's exit status: an error, a wrong command line


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def functions_of(header):
    """{name: declaration} of the functions that the header exports."""
    return {name: declaration for declaration, name in FUNCTION.findall(without_comments(header))}


def soname_of(library):
    return re.search(r"SONAME\).*\[(.*)\]", run("readelf", "-dW", library)).group(1)


def symbols_of(library):
    """Names of defined dynamic symbols, "name@@VERSION" if they have a version. Not those for
    the accelerator of the same build."""
    rows = [row.split() for row in run("readelf", "--dyn-syms", "-W", library).splitlines()]
    return {row[7] for row in rows
            if len(row) >= 8 and row[4] in ("GLOBAL", "WEAK") and row[6].isdigit()
            and not row[7].endswith(PRIVATE)}


def compile_header(compiler, header, soname, folder):
    """A library with debug information of all functions and types of the header's text."""
    with open(os.path.join(folder, "header.h"), "w", encoding="utf-8") as file:
        file.write(header)
    source = os.path.join(folder, "library.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write('#include "header.h"\n')
        for declaration in functions_of(header).values():
            file.write(f"{declaration} {{ __builtin_trap(); }}\n")
        # The options are int32_t, so that no function leads to their enums.
        for name in ENUM.findall(without_comments(header)):
            file.write(f"GLES_DELEGATE_EXPORT void {OF_ENUM}{name}(enum {name} value) {{}}\n")
    library = os.path.join(folder, "library.so")
    run(compiler, "-std=c99", "-g", "-O0", "-w", "-fPIC", "-shared", "-nostdlib", "-I", folder,
        source, "-Wl,--version-script=" + VERSION_SCRIPT, "-Wl,-soname=" + soname, "-o", library)
    return library


def dump(library, file):
    run("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-architecture",
        "--no-elf-needed", "--drop-undefined-syms", "--out-file", file, library)
    with open(file, encoding="utf-8") as text:  # the path of the temporary folder
        dumped = re.sub(r"path='[^']*library\.c'", "path='gles_delegate.h'", text.read())
    with open(file, "w", encoding="utf-8") as text:
        text.write(dumped)


def fields_of(file, struct):
    """(name, type, offset in bits) of each field of a struct in a dump."""
    tree = xml.etree.ElementTree.parse(file)
    by_id = {element.get("id"): element for element in tree.iter() if element.get("id")}

    def name_of(type_id):
        element = by_id[type_id]
        pointed = element.get("type-id")
        return element.get("name") or f"{element.tag} {name_of(pointed)}"

    members = tree.find(f".//class-decl[@name='{struct}']").findall("data-member")
    variables = [member.find("var-decl") for member in members]
    return [(variable.get("name"), name_of(variable.get("type-id")),
             int(member.get("layout-offset-in-bits")))
            for member, variable in zip(members, variables)]


def incompatible(before, after):
    """A report of what docs/abi.md does not allow; "": nothing."""
    report = ""
    for struct in GROWING_STRUCTS:
        old, new = fields_of(before, struct), fields_of(after, struct)
        if new[:len(old)] != old:
            first = next(i for i, field in enumerate(old) if new[i:i + 1] != [field])
            report += (f"{struct}: field {first} was {old[first]}, and is "
                       f"{(new + [None] * len(old))[first]}. It may only grow at its end.\n")
    done = subprocess.run(("abidiff", "--no-added-syms", "--suppressions", GROWING, before, after),
                          capture_output=True, text=True)
    if done.returncode & MORE_THAN_CHANGES:
        raise RuntimeError(f"abidiff: {done.stdout}{done.stderr}")
    return report + (done.stdout if done.returncode else "")


class AbiTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(HEADER, encoding="utf-8") as file:
            self.header = file.read()

    def dump_of(self, header):
        """The name of a file with the dump of a header's text."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            file = tempfile.mktemp(".abi", dir=self.folder)
            dump(compile_header(compiler, header, soname_of(library), folder), file)
            return file

    def changed(self, pattern, replacement):
        text, count = re.subn(pattern, replacement, self.header, count=1)
        self.assertEqual(count, 1, pattern)
        return incompatible(self.dump_of(self.header), self.dump_of(text))

    def test_library_exports_what_the_header_declares(self):
        names = {symbol.split("@")[0] for symbol in symbols_of(library)}
        self.assertEqual(names, set(functions_of(self.header)))

    def test_symbols_have_the_versions_of_the_version_script(self):
        compiled = compile_header(compiler, self.header, soname_of(library), self.folder)
        ours = {symbol for symbol in symbols_of(compiled) if not symbol.startswith(OF_ENUM)}
        self.assertEqual(symbols_of(library), ours)

    def test_compatible_with_the_last_release(self):
        self.assertTrue(os.path.exists(RELEASE), f"{RELEASE} is missing: ./dev abi writes it")
        report = incompatible(RELEASE, self.dump_of(self.header))
        self.assertEqual(report, "", "This breaks programs that were compiled with the last "
                         "release (docs/abi.md). A release with a new SONAME begins with ./dev "
                         "abi.\n" + report)

    def test_same_header_has_no_changes(self):
        self.assertEqual(self.changed(r"\Z", "\n"), "")

    def test_allows_new_function_field_at_end_enum_and_enumerator(self):
        self.assertEqual(self.changed(
            r"(?m)^GLES_DELEGATE_EXPORT", "GLES_DELEGATE_EXPORT int TfLiteGlesDelegateNew(void);\n"
            "GLES_DELEGATE_EXPORT"), "")
        self.assertEqual(self.changed(
            r"\} TfLiteGlesDelegateOptions;", "int64_t more; } TfLiteGlesDelegateOptions;"), "")
        self.assertEqual(self.changed(
            r"\} TfLiteGlesObject;", "int64_t more; } TfLiteGlesObject;"), "")
        self.assertEqual(self.changed(
            r"(kTfLiteGlesWaitAggressive = 3,)", r"\1 kTfLiteGlesWaitMore = 4,"), "")
        self.assertEqual(self.changed(
            r"(?m)^enum TfLiteGlesWaitType", "enum TfLiteGlesNew {\n  kTfLiteGlesNewOne,\n};\n"
            "enum TfLiteGlesWaitType"), "")

    def test_refuses_other_changes(self):
        for what, pattern, replacement in (
                ("a removed function", r"(?s)GLES_DELEGATE_EXPORT const char\* "
                 r"TfLiteGlesDelegateVersion\(void\);", ""),
                ("a parameter's type", r"int32_t tensor_index,\s+const",
                 "int64_t tensor_index, const"),
                ("a field in the middle", r"(int32_t verbosity;)", r"int32_t more; \1"),
                ("a removed field", r"int32_t verbosity;", ""),
                ("a field's size", r"int64_t memory_limit_bytes;", "int32_t memory_limit_bytes;"),
                ("a field's type", r"float scale;", "int32_t scale;"),
                ("a field's name", r"int32_t verbosity;", "int32_t loudness;"),
                ("another struct's size", r"(int32_t version;[^}]*\} TfLiteGlesCustomOp;)",
                 r"int32_t more; \1"),
                ("an enumerator's value", r"kTfLiteGlesWaitActive = 1",
                 "kTfLiteGlesWaitActive = 9"),
                ("a removed enum", r"(?s)enum TfLiteGlesStorage \{.*?\};", "")):
            with self.subTest(what):
                self.assertNotEqual(self.changed(pattern, replacement), "")


def write():
    with open(HEADER, encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        dump(compile_header(compiler, file.read(), soname_of(library), folder), RELEASE)
    print(f"{os.path.relpath(RELEASE, ROOT)}: the interface of {soname_of(library)}")


if __name__ == "__main__":
    compiler, library = sys.argv[1:3]
    missing = [name for name in ("abidw", "abidiff", "readelf") if shutil.which(name) is None]
    if missing:
        print(f"SKIPPED: THE ABI IS NOT CHECKED: no {', '.join(missing)} (Debian: abigail-tools, "
              "binutils)")
        sys.exit(77)
    if sys.argv[3:] == ["--write"]:
        write()
    else:
        unittest.main(argv=sys.argv[:1])
