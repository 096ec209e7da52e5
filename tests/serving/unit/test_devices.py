"""devices.py: Ray's GPUs as devices of the delegate."""

import types
import unittest

from gles_serving.devices import device_for


def device(index, description="EGL device", software=False, error=""):
    return types.SimpleNamespace(index=index, description=f"{description} {index}",
                                 software=software, error=error)


class DevicesTest(unittest.TestCase):
    FOUND = [device(0, error="no permission"), device(1), device(2), device(3, software=True),
             device(4, "surfaceless")]

    def test_no_gpu_is_no_choice(self):
        self.assertIsNone(device_for([], ["0"], []))

    def test_the_administrators_list_wins(self):
        self.assertEqual(device_for([1], ["nvidia", "llvmpipe"], self.FOUND), "llvmpipe")

    def test_the_hardware_is_counted(self):
        self.assertEqual([device_for([n], [], self.FOUND) for n in (0, "1")], ["1", "2"])
        self.assertEqual(device_for([0], [], [device(3, software=True), self.FOUND[4]]), "4")

    def test_a_gpu_that_is_not_there(self):
        with self.assertRaisesRegex(ValueError, "GPU 2, and the delegate has 1, 2"):
            device_for([2], [], self.FOUND)
        with self.assertRaisesRegex(ValueError, "no hardware"):
            device_for([0], [], [device(3, software=True)])


if __name__ == "__main__":
    unittest.main()
