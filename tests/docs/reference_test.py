"""The references of the C API and of the Python package leave nothing out.

Run by CTest as `docs.reference`.
"""

import ast
import doctest
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "site"))
import c_reference  # noqa: E402  pylint: disable=wrong-import-position
import python_reference  # noqa: E402  pylint: disable=wrong-import-position


def load_tests(_loader, tests, _pattern):
    for module in (c_reference, python_reference):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


class CReferenceTest(unittest.TestCase):
    def setUp(self):
        self.header = c_reference.HEADER.read_text(encoding="utf-8")
        self.page = c_reference.page_of(self.header)

    def test_has_every_function_field_and_enumerator(self):
        code = re.sub(r"//[^\n]*", "", self.header)
        names = set(re.findall(r"\b((?:TfLiteGlesDelegate|tflite_plugin_)\w+)\(", code))
        names |= set(re.findall(r"\b(kTfLiteGles\w+) =", code))
        for body in re.findall(r"typedef struct \w+ \{(.*?)\}", code, re.DOTALL):
            names |= set(re.findall(r"(\w+);", body))
        self.assertGreater(len(names), 60)
        # As code: a link alone is not an entry.
        blocks = "\n".join(re.findall(r"```c\n.*?```|`[^`\n]+` ?(?=[|<])", self.page, re.DOTALL))
        self.assertEqual([name for name in sorted(names)
                          if not re.search(rf"\b{name}\b", blocks)], [])

    def test_links_lead_to_headings(self):
        headings = {line[4:].lower() for line in self.page.splitlines() if line.startswith("### ")}
        self.assertEqual(set(re.findall(r"\(#(\w+)\)", self.page)) - headings, set())

    def test_refuses_a_declaration_without_a_comment(self):
        for added in ("\nGLES_DELEGATE_EXPORT void f(void);\n", "\nenum E {\n  kE = 0,\n};\n"):
            with self.assertRaises(c_reference.UndocumentedError):
                c_reference.page_of("// A.\nenum A {\n  kA = 0,\n};\n" + added)


class PythonReferenceTest(unittest.TestCase):
    def setUp(self):
        self.page = python_reference.page_of(python_reference.PACKAGE)

    def test_has_every_name_of_all(self):
        tree = ast.parse((python_reference.PACKAGE / "__init__.py").read_text(encoding="utf-8"))
        exported, _ = python_reference.names_of(tree)
        self.assertGreater(len(exported), 10)
        self.assertEqual([name for name in exported if f"\n### {name}\n" not in self.page], [])

    def test_describes_every_option(self):
        tree = ast.parse((python_reference.PACKAGE / "_options.py").read_text(encoding="utf-8"))
        node = python_reference.definition(tree, "Options")
        names = [field.target.id for field in node.body if isinstance(field, ast.AnnAssign)]
        self.assertGreater(len(names), 10)
        self.assertEqual([name for name in names if f"\n| `{name}` | " not in self.page], [])

    def test_refuses_a_name_without_a_docstring(self):
        for source in ("def f(): pass", "class C: pass"):
            with self.assertRaises(python_reference.UndocumentedError):
                python_reference.body(ast.parse(source).body[0])


if __name__ == "__main__":
    unittest.main()
