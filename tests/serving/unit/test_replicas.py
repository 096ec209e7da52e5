"""replicas.py: what --replicas takes and refuses, what Ray is told, and its GPUs as devices of the
delegate."""

import argparse
import types
import unittest

from gles_serving.replicas import device_for, number_of_replicas, replica_counts


class ReplicasTest(unittest.TestCase):
    def test_a_number_or_two(self):
        self.assertEqual(replica_counts("1"), [1])
        self.assertEqual(replica_counts("2:5"), [2, 5])
        self.assertEqual(replica_counts("3:3"), [3, 3])

    def test_refuses_what_is_no_number_of_replicas(self):
        for text in ("0", "3:2", "1:2:3", "two", "", "1:", ":2", "-1"):
            with self.assertRaisesRegex(argparse.ArgumentTypeError,
                                        "neither a number of replicas nor LEAST:MOST"):
                replica_counts(text)

    def test_load_decides_between_two_numbers(self):
        args = argparse.Namespace(replicas=[1, 8], target_requests=4, upscale_delay=5,
                                  downscale_delay=60)
        self.assertEqual(number_of_replicas(args), {"autoscaling_config": {
            "min_replicas": 1, "max_replicas": 8, "target_ongoing_requests": 4,
            "upscale_delay_s": 5, "downscale_delay_s": 60}})

    def test_one_number_is_fixed(self):
        self.assertEqual(number_of_replicas(argparse.Namespace(replicas=[3])),
                         {"num_replicas": 3})


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
