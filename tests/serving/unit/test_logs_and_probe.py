"""logs.py: one line of JSON each. probe.py: a child that crashes, hangs or refuses."""

import json
import logging
import os
import stat
import sys
import tempfile
import unittest
from unittest import mock

from gles_serving import logs, probe


class InvalidInput(ValueError):
    """As kserve's: known by its name."""


def line_of(message, *args, logger="kserve", level=logging.ERROR, error=None, **extra):
    info = (type(error), error, None) if error else None
    record = logging.LogRecord(logger, level, "f.py", 1, message, args, info)
    for key, value in extra.items():
        setattr(record, key, value)
    text = logs.JsonFormatter().format(record)
    assert "\n" not in text
    return json.loads(text)


class LogsTest(unittest.TestCase):
    def test_a_line_has_its_message_and_fields(self):
        line = line_of("a %s\nb", "x", fields={"model": "m"})
        self.assertEqual((line["message"], line["model"], line["level"], line["logger"]),
                         ("a x\nb", "m", "ERROR", "kserve"))
        self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT.*\+00:00$")

    def test_a_request_is_taken_apart(self):
        line = line_of('%s - "%s %s HTTP/%s" %d', "1.2.3.4:5", "POST", "/v2", "1.1", 400,
                       logger="uvicorn.access")
        self.assertEqual((line["client"], line["method"], line["path"], line["status"]),
                         ("1.2.3.4:5", "POST", "/v2", 400))

    def test_a_client_cannot_write_long_lines(self):
        line = line_of('%s - "%s %s HTTP/%s" %d', "1.2.3.4:5", "POST", "/v2" * 9999, "1.1",
                       404, logger="uvicorn.access")
        self.assertLess(len(json.dumps(line)), 3000)
        line = line_of("Exception:", error=InvalidInput("x" * 60000))
        self.assertLess(len(json.dumps(line)), 3000)

    def test_a_clients_fault_has_no_traceback(self):
        line = line_of("Exception:", error=InvalidInput("bad"))
        self.assertEqual((line["level"], line["error"]), ("INFO", "InvalidInput: bad"))
        self.assertNotIn("traceback", line)
        self.assertIn("traceback", line_of("Exception:", error=RuntimeError("x")))

    def test_only_failures_pass_unless_all_are_asked_for(self):
        def passes(status):
            return logs.Failures().filter(logging.LogRecord(
                "uvicorn.access", logging.INFO, "f", 1, "%s", ("c", "GET", "/", "1.1", status),
                None))
        self.assertEqual([passes(status) for status in (200, 400, 503)], [False, True, True])
        self.assertEqual(logs.configuration(True)["handlers"]["access"]["filters"], [])
        self.assertEqual(logs.configuration(False)["handlers"]["access"]["filters"], ["failures"])


class ProbeTest(unittest.TestCase):
    def fault(self, script, seconds=60):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "python")
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + script)
            os.chmod(path, stat.S_IRWXU)
            with mock.patch.object(sys, "executable", path):
                return probe.fault_of("repository", "m", None, seconds)

    def test_what_a_child_may_do(self):
        self.assertEqual(self.fault("exit 0"), "")
        self.assertEqual(self.fault("echo because >&2; exit 1"), "because")
        self.assertEqual(self.fault("exit 3"), "loading ends with status 3")
        self.assertEqual(self.fault("kill -SEGV $$"), "loading crashes with signal 11")
        self.assertEqual(self.fault("exec sleep 60", 0.2), "loading did not end within 0.2 s")


if __name__ == "__main__":
    unittest.main()
