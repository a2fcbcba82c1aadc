"""The early end of a session by Ctrl-C: phones are informed before the server ends."""

import signal
import threading

import trio

from .classroom import Classroom
from .wall import Wall

FAREWELL = 1.5  # seconds for phones to read that the session was stopped
LOOK = 0.2  # seconds between two checks of whether the session is to be stopped


class Farewell:
    """The stop of a session before its end, by Ctrl-C.

    room: the phones, which are informed of the stop. wall: the projected page, which shows the
    stop.

    Attributes:
        is_stopping: whether the session is to be stopped; may be set from any thread.
    """

    def __init__(self, room: Classroom, wall: Wall) -> None:
        """Start without a request to stop."""
        self.is_stopping = False
        self._room = room
        self._wall = wall

    async def hear(self) -> None:
        """Wait for Ctrl-C, if this is the main thread; the first one asks the session to stop.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed a second time, which ends everything at once.
        """
        if threading.current_thread() is not threading.main_thread():
            return
        with trio.open_signal_receiver(signal.SIGINT) as signals:
            async for _ in signals:
                if self.is_stopping:
                    raise KeyboardInterrupt
                self.is_stopping = True

    async def watch(self, whole: trio.CancelScope) -> None:
        """Wait until the session is to be stopped, inform phones, and end the session.

        whole: the scope of the session's tasks; it is cancelled if the results are already shown.

        Raises:
            KeyboardInterrupt: the session was stopped before its results.
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
