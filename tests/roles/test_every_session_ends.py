"""Every session ends: whatever one party leaves out, the others give up in the session's time."""

from collections.abc import Callable
from typing import Any

import pytest
import role_kit as KIT
import trio
from veilmix.protocol.board.board import Board
from veilmix.protocol.board.phases import Phase
from veilmix.protocol.wire.frames import KINDS
from veilmix.protocol.wire.messages import Body, Kind
from veilmix.roles.cast import Guards
from veilmix.roles.network.memory_network import Endpoint, Fault

pytestmark = pytest.mark.memory
ROWS = KIT.people(9)
EVERYTHING: dict[str, Any] = {
    "shufflers": 2,
    "rules": KIT.Rules(min_dropout=3, deadline=10, tokens=True, challenge=True, audit=True),
    "guards": Guards(registered=len(ROWS)),
}
FOREVER = 1e6  # seconds of simulated time: who waits so long waits for ever
KEYHOLDERS = ("curator", "analyst", "shuffler-1", "shuffler-2")
POSTS = {
    "curator": (
        *("ROSTER", "REGISTRY", "ANNOUNCEMENT", "CALL", "MINT", "SHARE", "COIN", "TOSS", "HEARD"),
        *("ISSUED", "TALLY", "COMMITTED", "CERTIFICATE", "CLOSED"),
    ),
    "analyst": (
        *("KEY", "CONSENT", "MINT", "SHARE", "COIN", "TOSS", "HEARD", "ISSUED"),
        "TALLY",
    ),
    "shuffler-1": (
        *("KEY", "CONSENT", "SHARE", "COIN", "ACCEPTED", "MIXED", "TRACED", "TOSS", "OPENED"),
        "SHOWN",
    ),
    "shuffler-2": ("KEY", "CONSENT", "SHARE", "COIN", "MIXED", "TRACED", "TOSS", "OPENED", "SHOWN"),
}
LETTERS = {
    "curator": ("GRANT", "ROLL"),
    "analyst": ("GRANT", "ROLL"),
    "shuffler-1": ("BATCH",),
    "shuffler-2": ("BATCH",),
}


class Watch(Endpoint):
    """The place of a user that fails where a session does not end: without it, a test would hang.

    Time is simulated, so the wait takes none.
    """

    async def until(self, kind: Kind, ready: Callable[[Board], bool]) -> None:
        with trio.fail_after(FOREVER):
            await super().until(kind, ready)


def play(**changes: Any) -> Board:
    """Play a session that is watched."""
    faults = {"user-1": Watch, **changes.pop("faults")}
    return KIT.run(ROWS, **changes, faults=faults).board


def mute(kind: str) -> Fault:
    """Give the place of a party that says nothing of a kind."""

    class Mute(Endpoint):
        async def post(self, body: Body) -> None:
            if KINDS[type(body)].name != kind:
                await super().post(body)
            else:
                await trio.lowlevel.checkpoint()

        async def send(self, plan: Any, receiver: str, body: Body) -> None:
            if KINDS[type(body)].name != kind:
                await super().send(plan, receiver, body)
            else:
                await trio.lowlevel.checkpoint()

    return Mute


def test_these_are_all_posts_and_letters_of_keyholders() -> None:
    """So that what follows leaves out each of them once."""
    run = KIT.run(ROWS, **EVERYTHING)
    posts = {(entry.author, entry.message.kind.name) for entry in run.board.entries}
    named = {(party, kind) for party, kinds in POSTS.items() for kind in kinds}
    assert {place for place in posts if place[0] in KEYHOLDERS} == named
    letters = {
        (event.sender, event.kind.name)
        for event in run.transcript.events
        if event.kind is not None and event.sender in KEYHOLDERS
    }
    assert letters - posts == {(party, kind) for party, kinds in LETTERS.items() for kind in kinds}


NAMED = {  # what is left out -> who is named when the session is burned
    ("curator", "CLOSED"): "curator called no round 3 and closed nothing within 1,200 seconds",
    ("shuffler-1", "KEY"): "shuffler-1 published no key within 10 seconds",
    ("analyst", "KEY"): "analyst published no key within 10 seconds",
    ("shuffler-2", "CONSENT"): "shuffler-2 did not consent to the announcement within 10 seconds",
    ("analyst", "SHARE"): "no share of the round's lock came from analyst",
    ("shuffler-2", "SHARE"): "no share of the round's lock came from shuffler-2",
    ("shuffler-1", "SHOWN"): "no secret of the lock came from shuffler-1 within 10 seconds",
    (
        "shuffler-1",
        "BATCH",
    ): "no batch that could be taken came from shuffler-1 to shuffler-2 within 30",
}


HARMLESS = (
    ("analyst", "ROLL"),  # no round follows
    ("curator", "CERTIFICATE"),  # the release stands; `verify` misses it
    ("curator", "GRANT"),  # people ask again on the board
    ("analyst", "GRANT"),
)


@pytest.mark.parametrize(
    ("party", "kind"),
    [(party, kind) for table in (POSTS, LETTERS) for party in table for kind in table[party]],
)
def test_a_session_ends_whatever_one_keyholder_leaves_out(party: str, kind: str) -> None:
    board = play(**EVERYTHING, faults={party: mute(kind)})
    if kind == "ROSTER":
        assert not board.entries  # the board takes no post before it: each party leaves by itself
        return
    assert board.phase in (Phase.BURNT, Phase.OVER)
    if (party, kind) in HARMLESS:
        assert board.burned is None
        return
    assert board.burned is not None
    assert NAMED.get((party, kind), "") in board.burned


def test_without_signed_posts_a_session_that_nobody_announces_is_burned() -> None:
    board = play(guards=Guards(signed=False), faults={"curator": mute("ANNOUNCEMENT")})
    assert board.burned is not None


def test_a_curator_that_does_nothing_at_all_is_named() -> None:
    class Gone(Endpoint):
        async def post(self, body: Body) -> None:
            with trio.fail_after(FOREVER):
                await self.until(Kind.BURNED, lambda _: False)

    board = play(faults={"curator": Gone}, guards=Guards(signed=False))
    assert board.burned == "curator announced no session within 2,400 seconds"
