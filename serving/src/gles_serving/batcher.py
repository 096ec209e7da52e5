"""Requests wait here until an instance takes several of them as one batch.

Needs nothing but Python's own library. One Batcher is shared by all instances of a model:
whichever is free takes the next batch, so that no balancer is needed within a process.
"""

import threading
import time
from bisect import bisect_left
from collections import deque
from dataclasses import dataclass
from typing import Any, Callable, Deque, Dict, List, Optional, Sequence, Tuple


class QueueFull(Exception):
    """No more requests may wait."""


class Closed(Exception):
    """The batcher takes no more requests."""


@dataclass
class Item:
    """A request that waits.

    rows: what it adds to a batch. payload: the caller's. cancelled: returns whether no one
    waits for it any more. since: when it arrived, by the batcher's clock.
    """

    rows: int
    payload: Any
    cancelled: Callable[[], bool]
    since: float


class Batcher:
    """A queue in the order of arrival, from which batches are taken. Any thread may call.

    max_rows: of a batch; a request of more rows is the caller's to refuse. max_delay: seconds
    that the first request of a batch waits for others; 0: it takes those that are there.
    max_items: requests that may wait. timeout: seconds that one may wait; 0: for ever.
    expired: called, without a lock held, with each item that has waited longer.
    """

    def __init__(self, max_rows: int, max_delay: float, max_items: int, timeout: float = 0.0,
                 expired: Callable[[Item], None] = lambda item: None,
                 clock: Callable[[], float] = time.monotonic):
        self._max_rows = max_rows
        self._max_delay = max_delay
        self._max_items = max_items
        self._timeout = timeout
        self._expired = expired
        self._clock = clock
        self._items: Deque[Item] = deque()
        self._rows = 0
        self._changed = threading.Condition()
        self._closed = False

    def __len__(self) -> int:
        return len(self._items)

    def put(self, rows: int, payload: Any,
            cancelled: Callable[[], bool] = lambda: False) -> None:
        """Adds a request.

        Raises QueueFull, Closed; ValueError where it has more rows than a batch may.
        """
        if rows < 1 or rows > self._max_rows:
            raise ValueError(f"{rows} rows, where a batch has 1 to {self._max_rows}")
        item = Item(rows, payload, cancelled, self._clock())
        with self._changed:
            if self._closed:
                raise Closed
            if len(self._items) >= self._max_items:
                raise QueueFull
            self._items.append(item)
            self._rows += rows
            # One thread begins a batch with it. More are woken only if one may wait for
            # a batch to fill, as that one would swallow a single notification.
            if self._max_delay > 0:
                self._changed.notify_all()
            else:
                self._changed.notify()

    def close(self) -> None:
        """No more requests are taken in; those that wait are still handed out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def take(self) -> Optional[List[Item]]:
        """The next batch, waiting for one; None once the batcher is closed and empty.

        The rows of a batch add up to max_rows at most, and requests stay in their order. Requests that
        were cancelled or have waited too long are left out.
        """
        while True:
            late: List[Item] = []
            with self._changed:
                while not self._items and not self._closed:
                    self._changed.wait()
                self._gather()
                batch = self._pick(late)
                done = self._closed and not self._items
            for item in late:
                self._expired(item)
            if batch:
                return batch
            if done:
                return None

    def take_all(self) -> List[Item]:
        """All that wait, at once."""
        with self._changed:
            items, self._rows = list(self._items), 0
            self._items.clear()
        return items

    def _gather(self) -> None:
        """Waits, with the lock, until a batch is full, its time is over, or another instance
        has taken what was there."""
        while self._items and not self._closed and self._rows < self._max_rows:
            left = self._items[0].since + self._max_delay - self._clock()
            if left <= 0:
                return
            self._changed.wait(left)

    def _pick(self, late: List[Item]) -> List[Item]:
        batch: List[Item] = []
        rows = 0
        now = self._clock()
        while self._items:
            item = self._items[0]
            gone = item.cancelled()
            overdue = self._timeout > 0 and now - item.since > self._timeout
            if not gone and not overdue and rows + item.rows > self._max_rows:
                break
            self._items.popleft()
            self._rows -= item.rows
            if gone:
                continue
            if overdue:
                late.append(item)
                continue
            batch.append(item)
            rows += item.rows
        if self._items and batch:
            self._changed.notify()
        return batch


def split(rows: Sequence[int], times: Dict[int, float]) -> List[Tuple[int, int]]:
    """Consecutive groups [from, to) of requests that together take the least time, each run at the
    smallest size that holds it. rows: of each request. times: of a batch of each size.

    Where padding costs nothing (a GPU that waits for work) they stay together; where each row
    costs (a CPU that renders) two requests run one by one rather than as a batch of four.

    >>> split([1, 1, 1], {1: 1.0, 4: 1.2})
    [(0, 3)]
    >>> split([1, 1, 1], {1: 1.0, 4: 4.0})
    [(0, 1), (1, 2), (2, 3)]
    """
    sizes = sorted(times)
    if sum(rows) in times:
        return [(0, len(rows))]
    best: List[Tuple[float, int]] = [(0.0, 0)]  # of the first n requests: time, last group's begin
    for end in range(1, len(rows) + 1):
        choices = []
        held = 0
        for begin in range(end - 1, -1, -1):
            held += rows[begin]
            if held > sizes[-1]:
                break
            choices.append((best[begin][0] + times[sizes[bisect_left(sizes, held)]], begin))
        best.append(min(choices))
    groups = []
    end = len(rows)
    while end:
        begin = best[end][1]
        groups.append((begin, end))
        end = begin
    return groups[::-1]
