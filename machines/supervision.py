"""A process under a supervisor such as systemd: the signals that it heeds, the state it reports.

SIGTERM ends the process at once, with a message; its journal stays, so that a restart
can go on. At SIGHUP the process opens its log file again, after a rotation of logs. If
NOTIFY_SOCKET names a socket, the process reports there that it is ready, the phase of
the session, and its end (the protocol of sd_notify(3): lines NAME=VALUE in a datagram).
"""

import os
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import trio

from ..errors import Stopped

T = TypeVar("T")
NOTIFY = "NOTIFY_SOCKET"
SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def report(**state: object) -> None:
    """Send variables such as READY=1 to the supervisor (systemd), if there is a supervisor."""
    address = os.environ.get(NOTIFY, "")
    if not address.startswith(("/", "@")) or not hasattr(socket, "AF_UNIX"):
        return
    text = "\n".join(f"{name}={value}" for name, value in state.items())
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.connect(address.replace("@", "\0", 1) if address[0] == "@" else address)
        supervisor.sendall(text.encode())


async def heed_signals(
    main: Callable[[], Awaitable[T]], reload: Callable[[], None], farewell: str
) -> T:
    """Run `main` to its end; meanwhile reload at SIGHUP, and stop at SIGTERM.

    Outside the main thread signals are not heeded, because Python delivers them only there.
    reload: called at SIGHUP. farewell: the message at SIGTERM.

    Raises:
        Stopped: SIGTERM has come.
    """
    if threading.current_thread() is not threading.main_thread():
        return await main()
    with trio.open_signal_receiver(*SIGNALS) as received:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_heed, received, reload, farewell)
            result = await main()
            nursery.cancel_scope.cancel()
    report(STOPPING=1)
    return result


async def _heed(received: AsyncIterator[int], reload: Callable[[], None], farewell: str) -> None:
    """Handle signals as they come: reload at SIGHUP, raise Stopped at SIGTERM."""
    async for number in received:
        if number == signal.SIGTERM:
            report(STOPPING=1, STATUS="asked to end")
            raise Stopped(farewell)
        microseconds = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000
        report(RELOADING=1, MONOTONIC_USEC=microseconds)
        reload()
        report(READY=1)
