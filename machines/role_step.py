"""A party's code (role) that runs step by step: after each input it waits again.

The role runs in a thread with an event loop and a clock that advance only when an input
comes. It takes no further input while it works, so a step depends on the inputs so far
alone. Therefore a killed party can be replayed from its inputs, and makes the same
outputs.
"""

import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

import trio
from trio.testing import wait_all_tasks_blocked

from ..roles.compute.simulated_clock import VirtualClock
from .inputs import Input, Parcel, PostInput, Tick
from .remote import RemoteNetwork


class SteppedClock(VirtualClock):
    """A trio clock that stands still until its time is set; it records the next deadline."""

    def __init__(self) -> None:
        """Start at 0 seconds, without work in other threads."""
        super().__init__()
        self.deadline = math.inf
        self._jobs = 0
        self._rested = trio.Event()

    @property
    def working(self) -> int:
        """The number of computations that other threads are doing for the role."""
        return self._jobs

    @working.setter
    def working(self, jobs: int) -> None:
        """Set the number of computations in other threads, and wake `rest` when it is 0."""
        self._jobs = jobs
        if not jobs and hasattr(self, "_rested"):
            self._rested.set()
            self._rested = trio.Event()

    async def rest(self) -> None:
        """Wait until no other thread works for the role."""
        while self._jobs:
            await self._rested.wait()

    def move(self, now: float) -> None:
        """Set the time in seconds; an earlier time than the present one is ignored."""
        self._now = max(self._now, now)

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Return 0 if a deadline has come, else infinity: the party then waits for its next input.

        deadline: in seconds of this clock. Trio calls this method when no task can run.
        """
        self.deadline = deadline
        return 0.0 if deadline <= self._now else math.inf


@dataclass(frozen=True, slots=True)
class WorldStep:
    """The result of one input to a party's code: outputs, and the deadline for the next input.

    Attributes:
        outputs: messages and posts, in their order.
        deadline: the session time, in seconds, at which the code acts without an input;
            inf: never.
        over: whether the code has finished.
    """

    outputs: tuple[Parcel | PostInput, ...]
    deadline: float
    over: bool


class World:
    """A thread that runs a party's code (role) step by step.

    network: makes the network over which the role communicates. perform: the role, given
    this network; `run` raises its errors.
    """

    def __init__(
        self,
        network: Callable[[], RemoteNetwork],
        perform: Callable[[RemoteNetwork], Awaitable[None]],
    ) -> None:
        """Prepare the thread of a party's code, without starting it.

        network: called in that thread; makes the network of the party. perform: the party's
        code.
        """
        self._make = network
        self._perform = perform
        self._clock = SteppedClock()
        self._steps, self._stepped = trio.open_memory_channel[WorldStep](1)
        self._inner: trio.lowlevel.TrioToken | None = None
        self._send, self._inputs = trio.open_memory_channel[Input](1)
        self._is_leaving = False
        self._over = False

    async def run(self) -> None:
        """Run the party's code in its thread until it ends, or `leave` is called.

        Start it in parallel to the task that calls `step`.
        """
        outer = trio.lowlevel.current_trio_token()

        def live() -> None:
            """Run the event loop of the party's code until the code ends; the thread's function."""
            trio.run(self._live, outer, clock=self._clock)

        try:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(live, limiter=trio.CapacityLimiter(1))
        except BaseExceptionGroup as group:
            raise _first(group) from None

    async def first(self) -> WorldStep:
        """Wait for the outputs of the party before its first input, and return them."""
        return await self._stepped.receive()

    async def step(self, step_input: Input) -> WorldStep:
        """Give the party one input; return all outputs that it makes before it waits again."""
        self._inside(lambda: self._send.send_nowait(step_input))
        return await self._stepped.receive()

    def leave(self) -> None:
        """End the party's code at once, even within a step, because a step may never end."""
        self._is_leaving = True
        self._inside(self._end)

    def _end(self) -> None:
        """Cancel all tasks of the party's code."""
        self._nursery.cancel_scope.cancel()

    def _inside(self, call: Callable[[], object]) -> None:
        """Call a function in the event loop of the party's thread, unless the loop has ended."""
        if self._inner is not None:
            with suppress(trio.RunFinishedError):
                self._inner.run_sync_soon(call)

    async def _live(self, outer: trio.lowlevel.TrioToken) -> None:
        """Run the party's code in its event loop, and give it inputs step by step.

        outer: the event loop that receives the outputs.
        """
        self._inner = trio.lowlevel.current_trio_token()
        network = self._make()
        async with trio.open_nursery() as self._nursery:
            if self._is_leaving:
                return
            self._nursery.start_soon(self._play, network)
            await self._drive(network, outer)

    async def _play(self, network: RemoteNetwork) -> None:
        """Run the party's code, and note when it has finished."""
        await self._perform(network)
        self._over = True

    async def _drive(self, network: RemoteNetwork, outer: trio.lowlevel.TrioToken) -> None:
        """Repeat: wait until the party is idle, return its outputs, and take the next input."""
        while True:
            await self._settle()
            outputs, network.outputs = tuple(network.outputs), []
            step = WorldStep(outputs, self._clock.deadline, self._over)
            outer.run_sync_soon(self._steps.send_nowait, step)
            step_input = await self._inputs.receive()
            self._clock.move(step_input.time)
            if not isinstance(step_input.body, Tick):
                network.process_input(step_input.body)

    async def _settle(self) -> None:
        """Wait until every task of the party's code waits, and no thread works for a task."""
        while True:
            await wait_all_tasks_blocked()
            if not self._clock.working:
                return
            await self._clock.rest()


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first error of a group."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
