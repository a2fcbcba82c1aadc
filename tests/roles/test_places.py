"""Places: a role has four doors, and a board stream that may be its own."""

import ast
from pathlib import Path
from typing import Any

import pytest
import role_kit as KIT
import trio
import veilmix.roles
from veilmix.protocol.board.board import Entry
from veilmix.protocol.board.phases import Phase
from veilmix.protocol.wire.messages import Kind
from veilmix.roles.cast import Guards
from veilmix.roles.network.board_stream import Delayed, Hold, OwnStream, PausedStream
from veilmix.roles.network.instruments import Instrument
from veilmix.roles.network.memory_network import Endpoint, Fault, Network

ROWS = KIT.people(9)
ROLES = (
    *("user", "shuffler", "curator", "analyst", "randomness", "mint", "challenge", "audit"),
    *("reader", "keyholder", "board_monitor", "replies"),
)


def behind_the_doors(source: str) -> list[str]:
    """Where a role reaches past its place: `X.network`, and uses of `memory_network.py`."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr == "network":
            found.append(f"line {node.lineno}: {ast.unparse(node)}")
        if isinstance(node, ast.ImportFrom) and node.module == "network":
            names = {alias.name for alias in node.names} & {"Network", "Inbox", "Door"}
            found += [f"line {node.lineno}: imports {name}" for name in sorted(names)]
    return found


@pytest.mark.memory
@pytest.mark.parametrize("role", ROLES)
def test_a_role_meets_others_by_the_doors_of_its_place_alone(role: str) -> None:
    source = (Path(veilmix.roles.__file__).parent / f"{role}.py").read_text("utf-8")
    assert behind_the_doors(source) == []
    assert behind_the_doors(f"{source}\nme.network.until(None, None)\n") != []


class Watch(Instrument):
    """Notes when things happen."""

    def __init__(self) -> None:
        self.sent: dict[tuple[str, int], float] = {}
        self.posted_at: dict[tuple[Kind, int], float] = {}

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        if Kind(data[3]) is Kind.SUBMISSION:
            self.sent[sender, data[36]] = time

    def posted(self, time: float, entry: Entry) -> None:
        self.posted_at.setdefault((entry.message.kind, entry.message.round), time)


def shown(make: Any) -> Fault:
    """Give the place of an honest party with a stream of its own."""

    def place(network: Network, party: str) -> Endpoint:
        network.show(party, make(network.stream))
        return network.join(party)

    return place


@pytest.mark.memory
def test_a_stream_that_hides_nothing_changes_nothing() -> None:
    streams = {f"user-{i + 1}": shown(OwnStream) for i in range(4)}
    keyholders = {"shuffler-1": shown(OwnStream), "analyst": shown(OwnStream)}
    run = KIT.run(ROWS, shufflers=2, faults=streams | keyholders)
    assert run.board.digest() == KIT.run(ROWS, shufflers=2).board.digest()


@pytest.mark.memory
@pytest.mark.parametrize("seconds", [7.0, 61.0])
def test_a_delayed_person_answers_later_or_too_late(seconds: float) -> None:
    watch = Watch()
    late = {"user-2": shown(lambda true: Delayed(true, seconds))}
    run = KIT.run(ROWS, [watch], faults=late)
    for number in (1, 2):
        called = watch.posted_at[Kind.CALL, number]
        if ("user-2", number) in watch.sent:
            assert watch.sent["user-2", number] == called + seconds
    in_time = len(ROWS) - (seconds > 60)
    assert run.board.mixed[0].people == in_time


@pytest.mark.memory
def test_a_board_is_held_back_from_a_post_to_a_later_one() -> None:
    """The held person answers the second call when it has been accounted for, and is late."""
    hold = Hold(Kind.CALL, Kind.MIXED, "shuffler-1", (2,))
    watch = Watch()
    held = {"user-2": shown(lambda true: PausedStream(true, [hold]))}
    run = KIT.run(ROWS, [watch], faults=held, rules=KIT.Rules(min_dropout=1))
    assert watch.sent["user-2", 1] == watch.posted_at[Kind.CALL, 1]
    assert watch.sent["user-2", 2] == watch.posted_at[Kind.MIXED, 2]
    assert [account.people for account in run.board.mixed] == [9, 8]


@pytest.mark.memory
@pytest.mark.parametrize("start", [Kind.CALL, Kind.SHARE, Kind.HEARD])
def test_whoever_is_never_shown_the_rest_leaves_with_the_session(start: Kind) -> None:
    """A post that never comes releases nothing; the session ends all the same."""
    hold = Hold(start, Kind.ALARM, "nobody", (1,))
    rules = KIT.Rules(min_dropout=3, challenge=True)
    run = KIT.run(
        ROWS,
        rules=rules,
        guards=Guards(registered=len(ROWS)),
        faults={"user-2": shown(lambda true: PausedStream(true, [hold]))},
    )
    assert run.board.phase is Phase.OVER
    answered = {made.user for made in run.transcript.sealed_answers if made.round == 1}
    assert (1 in answered) is (start is Kind.HEARD)


@pytest.mark.memory
def test_a_place_may_wrap_each_door() -> None:
    """What a role does goes by these doors, so whoever wraps them sees and changes all of it."""
    seen: list[str] = []

    class Wrapped(Endpoint):
        async def send(self, plan: Any, receiver: str, body: Any) -> None:
            seen.append(f"sends {type(body).__name__}")
            await super().send(plan, receiver, body)

        async def post(self, body: Any) -> None:
            seen.append(f"posts {type(body).__name__}")
            await super().post(body)

        async def receive(self, *kinds: Kind, limit: int = 1024) -> Any:
            letters = await super().receive(*kinds, limit=limit)
            seen.extend(f"receives {Kind(data[3]).name}" for _, data in letters)
            return letters

        async def until(self, kind: Kind, ready: Any) -> None:
            seen.append(f"awaits {kind.name}")
            await super().until(kind, ready)

    KIT.run(ROWS, shufflers=2, faults={"shuffler-2": Wrapped})
    assert list(dict.fromkeys(seen)) == [
        *("awaits ROSTER", "posts Key", "awaits ANNOUNCEMENT", "posts Consent", "awaits CALL"),
        *("awaits HEAD", "awaits BURNED", "receives BATCH", "posts Mixed", "sends Batch"),
    ]


@pytest.mark.memory
def test_letters_that_wait_come_together_up_to_a_number() -> None:
    async def main() -> list[int]:
        from veilmix.roles.network.instruments import Instruments

        network = Network(Instruments([], print))
        network.inbox("shuffler-1")
        place = network.join("shuffler-1")
        for _ in range(5):
            await network.carry("user-1", "shuffler-1", b"x")
        return [len(await place.receive(limit=2)), len(await place.receive())]

    assert trio.run(main) == [2, 3]
