"""Simulated time stands still while anybody works, and jobs share hops to threads."""

import threading
import time
from itertools import pairwise
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from veilmix.errors import Reason, Refused
from veilmix.protocol.wire.messages import Kind
from veilmix.roles.compute.simulated_clock import VirtualClock
from veilmix.roles.compute.worker_pool import CHUNK, MAX_JOBS, WorkerPool, _starts, worker_pool
from veilmix.roles.network.instruments import Instruments
from veilmix.roles.network.memory_network import INBOX, Network


def simulate(main: Any) -> Any:
    return trio.run(main, clock=VirtualClock())


def quiet() -> Instruments:
    return Instruments([], lambda _: None)


def test_waiting_takes_no_time() -> None:
    async def main() -> float:
        await trio.sleep(86_000)
        return trio.current_time()

    assert simulate(main) == 86_000  # seconds: on a real clock the test would never end


def test_deadlines_pass_in_their_order() -> None:
    order: list[int] = []

    async def wait(seconds: int) -> None:
        await trio.sleep(seconds)
        assert trio.current_time() == seconds
        order.append(seconds)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for seconds in (30, 10, 20, 40):
                nursery.start_soon(wait, seconds)

    simulate(main)
    assert order == [10, 20, 30, 40]


def test_the_same_work_is_done_once_for_all_who_ask() -> None:
    calls: list[int] = []

    def work() -> int:
        calls.append(1)
        return 7

    async def main() -> list[int]:
        results: list[int] = []
        async with worker_pool(1, quiet()) as pool, trio.open_nursery() as nursery:

            async def ask() -> None:
                results.append(await pool.once(b"same", work))

            for _ in range(3):
                nursery.start_soon(ask)
        async with worker_pool(1, quiet()) as pool:
            results.append(await pool.once(b"same", work))
            results.append(await pool.once(b"other", work))
        return results

    assert simulate(main) == [7] * 5
    assert len(calls) == 3  # once in the first pool; of another pool, or by another name, again


def test_a_failure_is_the_result_of_all_who_ask() -> None:
    calls: list[int] = []

    def work() -> int:
        calls.append(1)
        raise Refused(Reason.MALFORMED)

    async def main() -> int:
        failures = 0
        async with worker_pool(1, quiet()) as pool:
            for _ in range(3):
                try:
                    await pool.once(b"same", work)
                except Refused:
                    failures += 1
        return failures

    assert simulate(main) == 3
    assert len(calls) == 1


def test_who_is_cancelled_leaves_the_work_to_the_next() -> None:
    async def main() -> int:
        async with worker_pool(0, quiet()) as pool:
            with trio.CancelScope() as scope:
                scope.cancel()
                await pool.once(b"same", lambda: 1)
            return await pool.once(b"same", lambda: 2)

    assert simulate(main) == 2


def test_time_stands_still_while_a_thread_works() -> None:
    """A deadline of a millisecond does not pass while a job takes fifty."""

    async def main() -> tuple[bool, float]:
        async with worker_pool(1, quiet()) as pool:
            with trio.move_on_after(0.001) as scope:
                await pool.run_alone(lambda: time.sleep(0.05))
            return scope.cancelled_caught, trio.current_time()

    assert simulate(main) == (False, 0.0)


def test_the_clock_of_the_machine_may_be_used_as_well() -> None:
    async def main() -> Any:
        async with worker_pool(1, quiet()) as pool:
            return await pool.run_alone(lambda: 3)

    assert trio.run(main) == 3


def test_jobs_of_many_tasks_share_a_hop() -> None:
    hops: list[int] = []

    def work(items: Any) -> list[int]:
        hops.append(len(items))
        return [item * item for item in items]

    async def main() -> dict[int, int]:
        results = {}

        async def task(pool: WorkerPool, item: int) -> None:
            results[item] = await pool.share(work, item)

        async with worker_pool(2, quiet()) as pool, trio.open_nursery() as nursery:
            for item in range(300):
                nursery.start_soon(task, pool, item)
        return results

    assert simulate(main) == {item: item * item for item in range(300)}
    assert sorted(hops) == [300 - 2 * CHUNK, CHUNK, CHUNK]


def test_a_long_list_is_cut_and_comes_back_in_order() -> None:
    threads = set()

    def work(items: Any) -> list[int]:
        threads.add(threading.get_ident())
        return list(items)

    async def main() -> Any:
        async with worker_pool(3, quiet()) as pool:
            return await pool.spread("test", work, range(5_000)), await pool.spread(
                "test", work, []
            )

    pieces, nothing = simulate(main)
    assert [item for piece in pieces for item in piece] == list(range(5_000))
    assert all(len(piece) >= CHUNK for piece in pieces[:-1])
    assert nothing == []
    assert threading.get_ident() not in threads  # nothing is sealed in the event loop


@given(st.integers(0, 10**6), st.integers(CHUNK, MAX_JOBS), st.integers(1, 64) | st.none())
def test_pieces_grow_smaller_towards_the_end(items: int, size: int, workers: int | None) -> None:
    """So that nobody waits long for whoever took the last one."""
    cuts = [*_starts(items, size, workers), items]
    sizes = [end - at for at, end in pairwise(cuts)]
    assert sum(sizes) == items
    assert all(CHUNK <= here <= size for here in sizes[:-1])
    if workers is None:
        assert set(sizes[:-1]) <= {size}
        return
    assert sizes[:-1] == sorted(sizes[:-1], reverse=True)
    for at, here in zip(cuts, sizes, strict=False):
        assert here <= max(CHUNK, (items - at) // workers)


def test_a_failure_in_a_thread_reaches_who_asked() -> None:
    def work(_: Any) -> Any:
        raise ZeroDivisionError("in a thread")

    async def main() -> None:
        async with worker_pool(1, quiet()) as pool:
            for ask in (pool.share(work, 1), pool.run_alone(lambda: work(0))):
                with pytest.raises(ZeroDivisionError, match="in a thread"):
                    await ask

    simulate(main)


# The network


def test_a_full_inbox_slows_its_senders() -> None:
    async def main() -> tuple[bool, int]:
        network = Network(quiet())
        inbox = network.inbox("shuffler-1")
        for _ in range(INBOX):
            await network.carry("user-1", "shuffler-1", b"x")
        with trio.move_on_after(5) as waiting:
            await network.carry("user-1", "shuffler-1", b"x")
        return waiting.cancelled_caught, inbox.statistics().current_buffer_used

    assert simulate(main) == (True, INBOX)


def test_what_is_sent_to_a_party_that_has_left_is_lost() -> None:
    async def main() -> None:
        network = Network(quiet())
        await network.inbox("shuffler-1").aclose()
        await network.carry("user-1", "shuffler-1", b"x")

    simulate(main)


def test_a_refused_post_reaches_nobody() -> None:
    async def main() -> int:
        seen: list[bytes] = []
        network = Network(quiet())
        with pytest.raises(Refused) as caught:
            await network.post("curator", b"noise")
        assert caught.value.reason is Reason.MALFORMED
        with trio.move_on_after(1):
            await network.until(Kind.KEY, lambda board: bool(board.entries))
            seen.append(b"woken")
        return len(network.board.entries) + len(seen)

    assert simulate(main) == 0
