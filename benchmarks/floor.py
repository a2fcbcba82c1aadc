"""The floor under a real run: the same seals and opens, bare, on the same number of threads.

A floor is a loop over libsodium's bindings and nothing else: no protocol, no encoding, no parties.
"""

import threading
from collections.abc import Callable, Iterable

from nacl.bindings import crypto_box_keypair, crypto_box_seal, crypto_box_seal_open
from veilmix.protocol.board.board import Board
from veilmix.protocol.rounds.round_context import open_round

SEALED = 49  # bytes that the suite byte and a sealed box add to what is inside


def operations(board: Board, people: int) -> list[tuple[int, int]]:
    """(how many layers, bytes inside each) for every hop of every round of an honest session."""
    assert board.announcement is not None
    sizes = []
    for call in board.calls:
        plan = open_round(board.announcement, board.session, call)
        sizes.append((people, plan.envelope - SEALED))
        later = range(2, len(plan.hops) + 1)
        sizes += [(people * plan.slots, plan.inner[hop] - SEALED) for hop in later]
    return sizes


def in_threads(work: Callable[[], None], threads: int) -> None:
    """Do the same work in every one of so many threads."""
    crew = [threading.Thread(target=work) for _ in range(threads)]
    for member in crew:
        member.start()
    for member in crew:
        member.join()


def floor(layers: Iterable[tuple[int, int]], threads: int) -> None:
    """Seal and open so many layers of such sizes, bare."""
    public, secret = crypto_box_keypair()

    def work() -> None:
        for count, size in layers:
            message = bytes(size)
            sealed = crypto_box_seal(message, public)
            for _ in range(count // threads):
                crypto_box_seal(message, public)
            for _ in range(count // threads):
                crypto_box_seal_open(sealed, public, secret)

    in_threads(work, threads)
