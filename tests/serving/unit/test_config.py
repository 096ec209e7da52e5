"""config.py: folders, versions, config.json and what is refused in it."""

import importlib.util
import json
import os
import tempfile
import unittest

if importlib.util.find_spec("pydantic") is None:
    raise unittest.SkipTest("config.py needs pydantic, which serving.server has")
from gles_serving import config  # noqa: E402


class ConfigTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def write(self, path, content=b"model"):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    def refused(self, text):
        self.write("m/1/model.tflite")
        self.write("m/config.json", text)
        with self.assertRaises(config.ConfigError) as caught:
            config.read(self.root, "m")
        return str(caught.exception)

    def test_values_nested_too_deeply(self):
        for text in (b"[" * 50000, b'{"batching":' * 5000):
            self.assertIn("recursion limit", self.refused(text))

    def test_files_that_are_not_a_small_regular_one(self):
        path = self.write("m/1/model.tflite")
        config_path = os.path.join(self.root, "m", "config.json")
        os.mkfifo(os.path.join(self.root, "pipe"))
        self.write("folder/file")
        self.write("large", b" " * (64 << 10) + b"{}")
        self.write("small", {"max_queue": 5})
        for target, reason in (("/dev/zero", "not a regular file"), ("pipe", "not a regular file"),
                               ("folder", "directory"), ("absent", "No such file"),
                               ("config.json", "symbolic links"), ("large", "65536 bytes")):
            if target != "config.json":
                target = os.path.join(self.root, target)
            for place in (config_path, path.replace("model.tflite", "config.json")):
                with self.subTest(target=target, place=place):
                    os.symlink(target, place)
                    with self.assertRaisesRegex(config.ConfigError, reason):
                        config.read(self.root, "m")
                    os.remove(place)
        os.symlink(os.path.join(self.root, "small"), config_path)
        self.assertEqual(config.read(self.root, "m").max_queue, 5)

    def test_versions_are_numbers_as_they_are_written(self):
        self.write("m/1/model.tflite")
        for name in ("01", "\u0661", "1e1", "1" * 99):
            self.write(f"m/{name}/model.tflite")
        self.assertEqual(config.versions(os.path.join(self.root, "m")), [1])

    def test_defaults(self):
        path = self.write("m/1/model.tflite")
        self.assertEqual(config.read(self.root, "m"), config.ModelConfig("m", 1, path))
        self.assertEqual(config.read(self.root, "m").sizes, ())

    def test_every_key(self):
        path = self.write("m/3/model.tflite")
        self.write("m/config.json", {
            "version": 3, "delegate": {"is_precision_loss_allowed": True}, "num_threads": 2,
            "instances": [{"device": 1, "count": 2}, {"device": "nvidia"}],
            "batching": {"sizes": [1, 4], "max_delay_ms": 5}, "max_queue": 9,
            "queue_timeout_ms": 70, "decode": {"image": {"mean": 127.5, "std": 127.5}}})
        self.assertEqual(config.read(self.root, "m"), config.ModelConfig(
            "m", 3, path, {"is_precision_loss_allowed": True},
            (config.Instances(1, 2), config.Instances("nvidia")), 2,
            config.Batching((1, 4), 5.0), 9, 70.0, {"image": config.Decode(127.5, 127.5)}))

    def test_the_newest_version_is_the_largest_number(self):
        for version in ("2", "10", "9", "next"):
            self.write(f"m/{version}/model.tflite")
        os.makedirs(os.path.join(self.root, "m", "11"))  # still being copied
        self.assertEqual(config.read(self.root, "m").version, 10)

    def test_a_version_is_chosen(self):
        self.write("m/1/model.tflite")
        self.write("m/2/model.tflite")
        self.write("m/config.json", {"version": 1})
        self.assertEqual(config.read(self.root, "m").version, 1)
        self.write("m/config.json", {"version": 7})
        with self.assertRaisesRegex(config.ConfigError, "version 7 is none of 1, 2"):
            config.read(self.root, "m")

    def test_a_versions_own_config_wins(self):
        self.write("m/1/model.tflite")
        self.write("m/config.json", {"max_queue": 5, "num_threads": 2})
        self.write("m/1/config.json", {"max_queue": 7})
        made = config.read(self.root, "m")
        self.assertEqual((made.max_queue, made.num_threads), (7, 2))

    def test_no_delegate(self):
        self.write("m/1/model.tflite")
        self.write("m/config.json", {"delegate": None})
        self.assertIsNone(config.read(self.root, "m").delegate)

    def test_refusals_say_what_is_wrong(self):
        for text, reason in (
                (b"{", "config.json: EOF while parsing"),
                ([], "an object is needed"),
                ({"instances": 0}, "instances.constrained-int: Input should be greater than or"),
                ({"instances": True}, "instances.constrained-int: Input should be a valid integer"),
                ({"instances": []}, "1 to 64 instances"),
                ({"instances": [{"count": 64}, {}]}, "1 to 64 instances"),
                ({"version": True}, "version True is none of 1"),
                ({"version": 1.0}, "version 1.0 is none of 1"),
                ({"version": "1"}, "version '1' is none"),
                ({"version": None}, "version None is none"),
                ({"version": [1]}, "version [1] is none"),
                ({"version": "1" * 60000}, "version '1111"),
                ({"max_queue": 1e3}, "max_queue: Input should be a valid integer"),
                ({"num_threads": False}, "num_threads: Input should be a valid integer"),
                (b'{"queue_timeout_ms": NaN}', "queue_timeout_ms: Input should be a finite number"),
                (b'{"max_queue": ' + b"9" * 5000 + b"}", "number out of range"),
                (b"\xff\xfe{", "config.json"),
                ({"x" * 60000: 1}, "config.json: xxx"),
                ({"name": "x"}, "name: Got multiple values"),
                ({"instances": [{"gpu": 1}]}, "0.gpu: Unexpected keyword argument"),
                ({"instances": [{"device": 1.5}]}, "0.device: Input should be a valid string"),
                ({"batch": 1}, "batch: Unexpected keyword argument"),
                ({"batching": {}}, "batching.sizes: Field required"),
                ({"batching": {"sizes": [4, 1]}}, "ascending sizes"),
                ({"batching": {"sizes": [4, 4]}}, "ascending sizes"),
                ({"batching": {"sizes": [0]}}, "batching.sizes.0: Input should be greater"),
                ({"batching": {"sizes": [1], "max_delay_ms": -1}}, "max_delay_ms: Input should"),
                ({"delegate": 1}, "delegate: Input should be a valid dictionary"),
                ({"delegate": {"thread_mode": "caller"}}, "always worker"),
                ({"decode": {"x": {"std": 0}}}, "decode.x.std: Input should be greater"),
                ({"decode": []}, "decode: Input should be a valid dictionary")):
            with self.subTest(text=text):
                found = self.refused(text)
                self.assertIn(reason, found)
                self.assertLess(len(found), 2000)

    def test_a_folder_without_a_model(self):
        os.makedirs(os.path.join(self.root, "empty"))
        with self.assertRaisesRegex(config.ConfigError, "no VERSION/model.tflite"):
            config.read(self.root, "empty")
        with self.assertRaisesRegex(config.ConfigError, "No such file"):
            config.read(self.root, "absent")

    def test_a_name_cannot_lead_out_of_the_repository(self):
        self.write("other/1/model.tflite")
        for name in ("../other", "a/b", "", ".hidden", "a\n"):
            with self.assertRaisesRegex(config.ConfigError, "model name"):
                config.read(os.path.join(self.root, "m"), name)

    def test_names(self):
        for name in ("b", "a", ".git"):
            os.makedirs(os.path.join(self.root, name))
        self.write("README")
        self.assertEqual(config.model_names(self.root), ["a", "b"])

    def test_the_mark_changes_with_each_file(self):
        self.write("m/1/model.tflite")
        marks = [config.mark(self.root, "m")]
        self.write("m/config.json", {})
        marks.append(config.mark(self.root, "m"))
        self.write("m/1/model.tflite", b"another")
        marks.append(config.mark(self.root, "m"))
        self.write("m/2/model.tflite")
        marks.append(config.mark(self.root, "m"))
        self.assertEqual(len(set(marks)), 4)
        self.assertEqual(config.mark(self.root, "m"), marks[-1])


if __name__ == "__main__":
    unittest.main()
