"""replicas.py: what --replicas takes and refuses, and what Ray is told."""

import argparse
import unittest

from gles_serving.replicas import number_of_replicas, replica_counts


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


if __name__ == "__main__":
    unittest.main()
