"""The references of the C API and of the Python package leave nothing out.

Run by CTest as `docs.reference`.
"""

import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "packaging/site"), str(ROOT / "bindings/python/src")]
import build_site  # noqa: E402  pylint: disable=wrong-import-position
import gles_delegate  # noqa: E402  pylint: disable=wrong-import-position


@unittest.skipUnless(shutil.which("doxygen"), "no doxygen")
class CReferenceTest(unittest.TestCase):
    def doxygen(self, text):
        """(whether Doxygen finds a comment at each declaration, its XML), with the site's settings."""
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder, "header.h")
            header.write_text(text, encoding="utf-8")
            settings = dict(build_site.DOXYGEN, INPUT=header, OUTPUT_DIRECTORY=folder,
                            GENERATE_HTML="NO", GENERATE_LATEX="NO", GENERATE_XML="YES",
                            QUIET="YES", WARN_AS_ERROR="FAIL_ON_WARNINGS")
            done = subprocess.run(["doxygen", "-"], check=False, capture_output=True, text=True,
                                  input="".join(f"{k} = {v}\n" for k, v in settings.items()))
            xml = "".join(path.read_text(encoding="utf-8")
                          for path in pathlib.Path(folder, "xml").glob("*.xml"))
            return done.returncode == 0, xml

    def test_has_every_function_field_and_enumerator(self):
        header = (ROOT / build_site.HEADER).read_text(encoding="utf-8")
        is_complete, xml = self.doxygen(header)
        self.assertTrue(is_complete)
        code = re.sub(r"//[^\n]*", "", header)
        names = set(re.findall(r"\b((?:TfLiteGlesDelegate|tflite_plugin_)\w+)\(", code))
        names |= set(re.findall(r"\b(kTfLiteGles\w+) =", code))
        for body in re.findall(r"typedef struct \w+ \{(.*?)\}", code, re.DOTALL):
            names |= set(re.findall(r"(\w+);", body))
        self.assertGreater(len(names), 60)
        self.assertEqual([name for name in sorted(names) if f"<name>{name}</name>" not in xml], [])

    def test_comments_are_attached(self):
        _, xml = self.doxygen("// A file.\n\n// Of f.\nvoid f(void);\nenum E {\n  kE = 0,  // of kE\n};\n")
        for comment in ("Of f.", "of kE"):
            self.assertIn(f"<para>{comment}", xml)

    def test_refuses_a_declaration_without_a_comment(self):
        text = "// A file.\n\n// A.\nvoid a(void);\n"
        self.assertTrue(self.doxygen(text)[0])
        for added in ("\nvoid f(void);\n", "\n// S.\nstruct S {\n  int a;\n};\n"):
            self.assertFalse(self.doxygen(text + added)[0])


class PythonReferenceTest(unittest.TestCase):
    def undescribed(self, module, names):
        """Those without a docstring: a dataclass gets its signature as one."""
        texts = {name: getattr(module, name).__doc__ or "" for name in names}
        return [name for name, text in texts.items() if not text or text.startswith(name + "(")]

    def test_every_name_is_described(self):
        self.assertEqual(self.undescribed(gles_delegate, gles_delegate.__all__), [])

    def test_finds_what_is_not_described(self):
        @dataclasses.dataclass
        class Plain:
            number: int

        module = types.SimpleNamespace(Plain=Plain, f=lambda: 0, g=self.undescribed)
        self.assertEqual(self.undescribed(module, ["Plain", "f", "g"]), ["Plain", "f"])


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    for _, reason in result.skipped[:1]:
        print(f"SKIPPED: {reason}: the reference of the C API")
    sys.exit(1 if not result.wasSuccessful() else 77 if result.skipped else 0)
