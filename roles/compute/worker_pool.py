"""The pool that does the parties' cryptography: threads, process copies or helpers.

The libraries release the interpreter's lock while they compute, so two threads use two cores.
Handing work to a thread costs as much as sealing two messages. So `share` gathers the single jobs
of many tasks, and hands them to a thread together. `spread` cuts a long list into pieces. Threads,
copies of this process (forked_workers.py) or helpers of a party (executor_call.py) do the pieces.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor, wait
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, Generic, TypeVar

import trio
from trio.testing import wait_all_tasks_blocked

from ... import systems
from ...crypto.batched import GROUP_SIZE, engine_for
from ..network.instruments import Instruments
from .backend import LOCAL_WORKPLACE, Helpers, Workplace
from .executor_call import call_helpers
from .forked_workers import ForkedWorkers
from .simulated_clock import VirtualClock

T = TypeVar("T")
R = TypeVar("R")

COPY_ABOVE = 10_000  # jobs; longer lists go to copies of this process, which cost some 50 ms each
# fewest jobs that a thread is given together; handing over costs about as much as two jobs
CHUNK = 128
PIECES = 32  # pieces of a long list per thread; many, so that all threads end together
# pieces that each worker has at a time: one being sent, one in work, one being returned
PIECES_PER_WORKER = 3
# pieces per worker of an executor; few, because sending costs time: with 20 pieces, a sixth of a
# run
PARCELS = 8
# near the end, a piece is 1/TAPER of a thread's share of the rest, so that all threads end together
TAPER = 4
MAX_JOBS = 1 << 14  # largest number of jobs in a piece, since pieces in work are held in memory


@dataclass(slots=True)
class _Once:
    """A computation that several parties of a process request, done once for all of them."""

    completion: trio.Event = field(default_factory=trio.Event)
    result: Any = None
    failure: Exception | None = None
    is_lost: bool = False  # whether the task that did the computation was cancelled


@dataclass(slots=True)
class _Gathered(Generic[T, R]):
    """Jobs of many tasks that go to a thread together, with their results."""

    work: Callable[[Sequence[T]], Sequence[R]]
    items: list[T] = field(default_factory=list)
    results: Sequence[R] = ()
    failure: BaseException | None = None
    completion: trio.Event = field(default_factory=trio.Event)


class WorkerPool:
    """The pool that does all parties' cryptography in threads, process copies, or by helpers."""

    def __init__(
        self,
        nursery: trio.Nursery,
        threads: int,
        executor: Executor,
        instruments: Instruments,
        workplace: Workplace = LOCAL_WORKPLACE,
    ) -> None:
        """Prepare for a run.

        threads: number of threads; 0: work is done at once, in the requesting task. executor: runs
        the ordered jobs of a seeded run. workplace: whether copies and helpers may do long lists.
        """
        self._at_once = threads == 0
        threads = self.threads = max(1, threads)
        self._helpers = workplace.helpers
        self._has_copies = systems.FORKS and workplace.copies and threads > 1
        self._instruments = instruments
        self._nursery = nursery
        self._limiter = trio.CapacityLimiter(threads)
        self._open: dict[Any, _Gathered[Any, Any]] = {}
        self._once: dict[bytes, _Once] = {}
        self._clock = trio.lowlevel.current_clock()
        self._executor = executor
        # Is set when the work of the most recent request of a seeded run has ended. The next
        # request waits for it before its result is returned, so results come in the order of the
        # requests.
        self._last = trio.Event()
        self._last.set()

    async def share(self, work: Callable[[Sequence[T]], Sequence[R]], item: T) -> R:
        """Apply `work` to a list that contains `item` and other tasks' items; return its result.

        `work` must be the same object for all jobs that may go to a thread together.
        """
        gathered = self._open.get(work)
        if gathered is None:
            gathered = self._open[work] = _Gathered(work)
            self._nursery.start_soon(self._close_soon, gathered)
        place = len(gathered.items)
        gathered.items.append(item)
        if len(gathered.items) >= CHUNK:
            self._close(gathered)
        await gathered.completion.wait()
        if gathered.failure is not None:
            raise gathered.failure
        result: R = gathered.results[place]
        return result

    async def spread(
        self,
        stage: str,
        work: Callable[[Sequence[T]], R],
        items: Sequence[T],
        soon: Callable[[int, R], None] | None = None,
    ) -> list[R]:
        """Apply `work` to consecutive pieces of `items`, in parallel; return the results in order.

        stage: the party and its work, such as `shuffler-1 opens`. The instruments get its progress,
        and helpers of this party do the work. soon: called with the index of a piece's first item
        and the piece's result, as soon as the piece is done, in any order. Then the returned list
        is empty.
        """
        party = stage.partition(" ")[0]
        helpers = self._helpers_for(party, len(items))
        starts, pieces = self._cut(items, helpers)
        results: dict[int, R] = {}
        completed = 0

        def do_here(at: int) -> Awaitable[R]:
            """Do a piece of the list in a thread of this process. at: the index of the piece."""
            return self._hop(work, pieces[at])

        def deliver_result(at: int, result: R) -> None:
            """Keep a piece's result, or hand it to `soon`, and report the progress."""
            nonlocal completed
            completed += len(pieces[at])
            if soon:
                soon(starts[at], result)
            else:
                results[at] = result
            self._instruments.notify(lambda watcher: watcher.stage(stage, completed, len(items)))

        async def do_pieces(numbers: Iterable[int], do: Callable[[int], Awaitable[R]]) -> None:
            """Do pieces one after the other with `do`; pieces that a worker loses are done here."""
            for at in numbers:
                try:
                    deliver_result(at, await do(at))
                except BrokenExecutor:
                    deliver_result(at, await do_here(at))

        numbers = iter(range(len(pieces)))
        with self._at_work(), ExitStack() as stack:
            do, workers = self._start_workers(stack, helpers, party, work, pieces) or (do_here, 0)
            lots: list[Iterable[int]] = [numbers] * (PIECES_PER_WORKER * workers)
            async with trio.open_nursery() as nursery:
                for lot in lots or [[at] for at in numbers]:
                    nursery.start_soon(do_pieces, lot, do)
        return [results[at] for at in sorted(results)]

    def _helpers_for(self, party: str, number: int) -> Helpers | None:
        """Return the helpers that a party has for so many items; None: this process does them."""
        helpers = self._helpers
        if number <= CHUNK or helpers is None or helpers.executor_for(party) is None:
            return None
        return helpers

    def _cut(
        self, items: Sequence[T], helpers: Helpers | None
    ) -> tuple[list[int], list[Sequence[T]]]:
        """Cut a list into pieces; return the index of each piece's first item, and the pieces.

        helpers: other processes or machines that do the pieces; None: the threads of this process.
        """
        count = PARCELS * helpers.workers if helpers else PIECES * self.threads
        size = max(CHUNK, min(MAX_JOBS, -(-len(items) // count)))
        starts = list(_starts(len(items), size, None if helpers else self.threads))
        return starts, [items[at:end] for at, end in pairwise([*starts, len(items)])]

    def _start_workers(
        self,
        stack: ExitStack,
        helpers: Helpers | None,
        party: str,
        work: Callable[[Sequence[T]], R],
        pieces: Sequence[Sequence[T]],
    ) -> tuple[Callable[[int], Awaitable[R]], int] | None:
        """Start helpers or copies of this process for the pieces of a list.

        Returns:
            The function that has a piece done, and the number of workers; None: threads of this
            process do the work.
        """
        if helpers:
            return partial(call_helpers, helpers, party, work, pieces), helpers.workers
        if not self._has_copies or sum(map(len, pieces)) <= COPY_ABOVE:
            return None
        # load the library for group arithmetic before forking, so that copies need not load it
        # again
        engine_for(GROUP_SIZE)
        copies = stack.enter_context(ForkedWorkers(work, pieces, self.threads))
        return copies.call, self.threads

    async def run_alone(self, work: Callable[[], R]) -> R:
        """Run one long piece of work in a thread; return its result."""
        return await self._hop(lambda _: work(), None)

    async def once(self, key: bytes, work: Callable[[], R]) -> R:
        """Do work in a thread once for all parties of this process; return its result.

        key: a digest of all inputs of the work. Requests with the same key get the result, or the
        failure, of the first request.
        """
        while (shared_work := self._once.get(key)) is not None:
            await shared_work.completion.wait()
            if shared_work.failure is not None:
                raise shared_work.failure
            if not shared_work.is_lost:
                result: R = shared_work.result
                return result
        mine = self._once[key] = _Once()
        try:
            mine.result = await self.run_alone(work)
        except Exception as failure:
            mine.failure = failure
            raise
        except BaseException:
            mine.is_lost = True
            del self._once[key]
            raise
        finally:
            mine.completion.set()
        return mine.result  # type: ignore[no-any-return]

    async def _hop(self, work: Callable[[Any], R], item: Any) -> R:
        """Apply `work` to an item in a thread (or at once, without threads); return its result."""
        if self._at_once:
            await trio.lowlevel.checkpoint()
            return work(item)
        with self._at_work():
            if isinstance(self._clock, VirtualClock) and self._clock.in_order:
                return await self._in_order(work, item)
            return await trio.to_thread.run_sync(work, item, limiter=self._limiter)

    async def _in_order(self, work: Callable[[Any], R], item: Any) -> R:
        """Apply `work` to an item in a thread of a seeded run, in a repeatable order.

        A result is returned after the results of earlier requests, and when all other tasks wait.
        Otherwise the speed of the threads would decide the order in which tasks continue. With one
        thread, a short list is done at once in this task.
        """
        if self.threads == 1 and item is not None and len(item) <= CHUNK:
            await trio.lowlevel.checkpoint()
            return work(item)
        previous, self._last = self._last, trio.Event()
        mine, future = self._last, self._executor.submit(work, item)
        try:
            with trio.CancelScope(shield=True):
                await previous.wait()
                await wait_all_tasks_blocked()
                await trio.to_thread.run_sync(wait, [future])
        finally:
            mine.set()
        return future.result()

    @contextmanager
    def _at_work(self) -> Any:
        """Context manager: hold a simulated clock still while work is done in a thread."""
        if not isinstance(self._clock, VirtualClock):
            yield
            return
        self._clock.working += 1
        try:
            yield
        finally:
            self._clock.working -= 1

    async def _close_soon(self, gathered: _Gathered[Any, Any]) -> None:
        """Wait until every task that can run has added its job, then start the gathered jobs."""
        for _ in range(2):
            await trio.lowlevel.checkpoint()
        self._close(gathered)

    def _close(self, gathered: _Gathered[Any, Any]) -> None:
        """Start the gathered jobs, and take no more."""
        if self._open.get(gathered.work) is gathered:
            del self._open[gathered.work]
            self._nursery.start_soon(self._work, gathered)

    async def _work(self, gathered: _Gathered[Any, Any]) -> None:
        """Do gathered jobs in a thread, keep results or failure, and wake the waiting tasks."""
        try:
            gathered.results = await self._hop(gathered.work, gathered.items)
        except Exception as failure:
            gathered.failure = failure
        finally:
            gathered.completion.set()


def _starts(items: int, size: int, workers: int | None) -> Iterator[int]:
    """Yield, for each piece of a list, the index of its first item.

    items: the length of the list. size: the most items of a piece. workers: the number of threads;
    pieces get smaller towards the end of the list, so that all threads end at about the same time.
    None: all pieces are of full size, because sending small pieces to helpers costs too much.
    """
    at = 0
    while at < items:
        yield at
        rest = size if workers is None else (items - at) // (TAPER * workers)
        at += min(size, max(CHUNK, rest))


@asynccontextmanager
async def worker_pool(
    threads: int | None, instruments: Instruments, workplace: Workplace = LOCAL_WORKPLACE
) -> AsyncIterator[WorkerPool]:
    """Context manager: open a pool with this many threads (None: one per core) for a run.

    0: all work is done at once, in the task that asks for it, and in the same order in every run.
    """
    thread_count = (os.cpu_count() or 1) if threads is None else threads
    with ThreadPoolExecutor(max(thread_count, 1)) as executor:
        async with trio.open_nursery() as nursery:
            yield WorkerPool(nursery, thread_count, executor, instruments, workplace)
