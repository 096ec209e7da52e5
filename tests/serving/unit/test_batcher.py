"""batcher.py: order, bounds, closing; by a clock of the test's own where time matters."""

import threading
import unittest

from gles_serving.batcher import Batcher, Closed, QueueFull, split


def payloads(batch):
    return [item.payload for item in batch]


class BatcherTest(unittest.TestCase):
    def test_what_waits_is_one_batch_in_its_order(self):
        batcher = Batcher(max_rows=8, max_delay=0, max_items=10)
        for name in "abc":
            batcher.put(2, name)
        self.assertEqual(payloads(batcher.take()), ["a", "b", "c"])
        self.assertEqual(len(batcher), 0)

    def test_rows_bound_a_batch_and_none_overtakes(self):
        batcher = Batcher(max_rows=4, max_delay=0, max_items=10)
        for name, rows in (("a", 3), ("b", 2), ("c", 1), ("d", 4)):
            batcher.put(rows, name)
        self.assertEqual([payloads(batcher.take()) for _ in range(3)],
                         [["a"], ["b", "c"], ["d"]])

    def test_rows_that_no_batch_can_hold(self):
        batcher = Batcher(max_rows=4, max_delay=0, max_items=10)
        for rows in (0, 5, -1):
            with self.assertRaises(ValueError):
                batcher.put(rows, "x")
        self.assertEqual(len(batcher), 0)

    def test_the_queue_has_a_bound(self):
        batcher = Batcher(max_rows=1, max_delay=0, max_items=2)
        batcher.put(1, "a")
        batcher.put(1, "b")
        with self.assertRaises(QueueFull):
            batcher.put(1, "c")
        batcher.take()
        batcher.put(1, "c")

    def test_a_full_batch_does_not_wait(self):
        batcher = Batcher(max_rows=2, max_delay=3600, max_items=10)
        batcher.put(1, "a")
        batcher.put(1, "b")
        self.assertEqual(payloads(batcher.take()), ["a", "b"])

    def test_a_batch_waits_for_another_request(self):
        batcher = Batcher(max_rows=2, max_delay=3600, max_items=10)
        taken = []
        thread = threading.Thread(target=lambda: taken.append(payloads(batcher.take())))
        thread.start()
        batcher.put(1, "a")
        batcher.put(1, "b")
        thread.join(60)
        self.assertEqual(taken, [["a", "b"]])

    def test_time_ends_the_wait(self):
        now = [100.0]
        batcher = Batcher(max_rows=8, max_delay=0.5, max_items=10, clock=lambda: now[0])
        batcher.put(1, "a")
        now[0] += 0.5
        self.assertEqual(payloads(batcher.take()), ["a"])

    def test_what_was_cancelled_is_left_out(self):
        batcher = Batcher(max_rows=2, max_delay=0, max_items=10)
        batcher.put(1, "a", lambda: True)
        batcher.put(1, "b")
        batcher.put(1, "c", lambda: True)
        batcher.put(1, "d")
        self.assertEqual(payloads(batcher.take()), ["b", "d"])

    def test_what_waited_too_long_is_told(self):
        now = [0.0]
        late = []
        batcher = Batcher(max_rows=2, max_delay=0, max_items=10, timeout=1.0,
                          expired=lambda item: late.append(item.payload), clock=lambda: now[0])
        batcher.put(1, "a")
        now[0] = 2.0
        batcher.put(1, "b")
        self.assertEqual(payloads(batcher.take()), ["b"])
        self.assertEqual(late, ["a"])

    def test_closing_hands_out_what_waits_and_takes_nothing_in(self):
        batcher = Batcher(max_rows=1, max_delay=3600, max_items=10)
        batcher.put(1, "a")
        batcher.put(1, "b")
        batcher.close()
        with self.assertRaises(Closed):
            batcher.put(1, "c")
        self.assertEqual(payloads(batcher.take()), ["a"])
        self.assertEqual(payloads(batcher.take()), ["b"])
        self.assertIsNone(batcher.take())
        self.assertIsNone(batcher.take())

    def test_closing_wakes_who_waits(self):
        batcher = Batcher(max_rows=4, max_delay=3600, max_items=10)
        ends = []
        threads = [threading.Thread(target=lambda: ends.append(batcher.take()))
                   for _ in range(3)]
        for thread in threads:
            thread.start()
        batcher.close()
        for thread in threads:
            thread.join(60)
        self.assertEqual(ends, [None] * 3)

    def test_many_threads_lose_nothing_and_double_nothing(self):
        for delay in (0, 0.001):
            batcher = Batcher(max_rows=4, max_delay=delay, max_items=100_000)
            taken = []

            def take():
                while True:
                    batch = batcher.take()
                    if batch is None:
                        return
                    taken.extend(payloads(batch))

            takers = [threading.Thread(target=take) for _ in range(3)]
            givers = [threading.Thread(target=lambda base=base: [
                batcher.put(1 + (base + i) % 3, base + i) for i in range(500)])
                for base in (0, 1000, 2000)]
            for thread in takers + givers:
                thread.start()
            for thread in givers:
                thread.join()
            batcher.close()
            for thread in takers:
                thread.join(60)
            expected = [base + i for base in (0, 1000, 2000) for i in range(500)]
            self.assertEqual(sorted(taken), expected)

    def test_a_batch_is_split_where_padding_costs_more(self):
        by_rows = {1: 1.0, 4: 4.0, 8: 8.0}  # a CPU that renders
        free = {1: 1.0, 4: 1.1, 8: 1.2}  # a GPU
        for rows, times, expected in (
                ([1] * 5, by_rows, 5.0), ([1] * 5, free, 1.2), ([1] * 8, by_rows, 8.0),
                ([3, 3], by_rows, 8.0), ([3, 3], free, 1.2), ([1, 3, 1], by_rows, 5.0),
                ([2, 1], by_rows, 4.0), ([8], free, 1.2), ([1], free, 1.0)):
            groups = split(rows, times)
            self.assertEqual([i for begin, end in groups for i in range(begin, end)],
                             list(range(len(rows))))
            took = sum(min(times[s] for s in times if s >= sum(rows[b:e])) for b, e in groups)
            self.assertAlmostEqual(took, expected, msg=str((rows, times, groups)))


if __name__ == "__main__":
    unittest.main()
