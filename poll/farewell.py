"""The early end of a session: phones are informed that it was stopped before the server ends."""

import signal
import threading

import trio

from .classroom import Classroom
from .wall import Wall

FAREWELL = 1.5  # seconds in which phones are told
LOOK = 0.2  # seconds between two looks at whether it is to be stopped


class Farewell:
    """The task that stops a session early. room, wall: are informed.

    Attributes:
        is_stopping: whether it is to be stopped; may be set from any thread.
    """

    def __init__(self, room: Classroom, wall: Wall) -> None:
        self.is_stopping = False
        self._room = room
        self._wall = wall

    async def hear(self) -> None:
        """Hear Ctrl-C, where this is the main thread; a second one ends everything at once.

        Raises:
            KeyboardInterrupt: the second time.
        """
        if threading.current_thread() is not threading.main_thread():
            return
        with trio.open_signal_receiver(signal.SIGINT) as signals:
            async for _ in signals:
                if self.is_stopping:
                    raise KeyboardInterrupt
                self.is_stopping = True

    async def watch(self, whole: trio.CancelScope) -> None:
        """Wait until it is to be stopped. whole: of the session; cancelled if its results are out.

        Raises:
            KeyboardInterrupt: it was stopped before its end, and phones have been informed.
        """
        while not self.is_stopping:  # noqa: ASYNC110 - set from any thread
            await trio.sleep(LOOK)
        if self._room.ended:
            whole.cancel()
            return
        self._room.stop()
        self._wall.stopped()
        await trio.sleep(FAREWELL if self._room.phones else 0)
        raise KeyboardInterrupt
