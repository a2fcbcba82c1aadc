"""A session played by a list of operations, and what must hold of it whatever they are.

Every person says a word of its own in two open questions, so that a ballot that is lost, counted
twice or replayed shows in the tallies by name. All defences are on. A plan is plain data (`Plan`),
so that it can be written down and played again:

    python tests/kits/session_model.py '{"people": 12, "seed": 1, ...}'

Operations, each a list that starts with its name:

    absent, late, malformed, duplicate  [user, round]   a person; equal ones are one
    stuff           [user, round]           one answer in every slot
    drop, drop-people, substitute, copy, tag, forward  [hop, messages or people, round]
    fails           [hop, round]            a shuffler delivers nothing
    slow            [hop, seconds]          it takes its time with every batch
    replay          [user, into]            whoever holds the wires: into `round` or `next`
    block           [user, round]           loses a message
    delay           [user, round]           holds it back until the collection has closed
    lie             []                      the curator keeps all columns
    equivocate      [user]                  it tells one person of another session
    jump            [messages, seconds]     after so many messages every clock jumps
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import trio
from veilmix.analysis.exposure import users_below
from veilmix.crypto.entropy import SeededEntropy
from veilmix.errors import VerificationError
from veilmix.protocol.board.alarms import check_alarm, unaccounted, unbalanced
from veilmix.protocol.board.board import Board
from veilmix.protocol.board.strategies import Strategy, strategy_of
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Rules
from veilmix.protocol.wire.crowd_limits import carried_over
from veilmix.protocol.wire.messages import Batch, Body, Cause, Decision, DecisionCertificate
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.roles.cast import Cast, Guards
from veilmix.roles.compute.simulated_clock import VirtualClock
from veilmix.roles.network.instruments import Instrument, TranscriptRecorder
from veilmix.roles.network.memory_network import Fault, Network
from veilmix.roles.occasions import unnoted
from veilmix.roles.session import play
from veilmix.scenarios.attacks.faults.curator import liar, lying
from veilmix.scenarios.attacks.faults.shuffler import (
    Act,
    Deed,
    DeviatingShuffler,
    copy,
    drop,
    drop_people,
    forward,
    substitute,
    tag,
)
from veilmix.scenarios.attacks.faults.users import faulty, stuffer
from veilmix.scenarios.attacks.faults.wire import BlockingWire, Delay, Replay, Wires

SIDES = ("left", "right")
SCHEMA = Schema((Feature("word", None, 8), Feature("name", None, 8), Feature("side", SIDES)))
K, LEAST = 2, 3
USERS = ("absent", "late", "malformed", "duplicate")
DEEDS: dict[str, Act] = {
    "drop": drop,
    "drop-people": drop_people,
    "substitute": substitute,
    "copy": copy,
    "tag": tag,
    "forward": forward,
}


@dataclass(frozen=True)
class Plan:
    """What is played. keep: the columns that the rule keeps. registered: users sign."""

    people: int
    shufflers: int = 2
    seed: int = 1
    keep: tuple[int, ...] = (0, 2)
    registered: bool = False
    operations: tuple[tuple[Any, ...], ...] = ()

    def of(self, *names: str) -> list[tuple[Any, ...]]:
        """The operations with these names, without them."""
        return [tuple(rest) for name, *rest in self.operations if name in names]

    @property
    def replay(self) -> str:
        """The command that plays it again."""
        return f"python tests/kits/session_model.py '{json.dumps(asdict(self))}'"


def planned(text: str) -> Plan:
    """Read a plan as `replay` writes it."""
    data = json.loads(text)
    data["keep"] = tuple(data["keep"])
    data["operations"] = tuple(tuple(operation) for operation in data["operations"])
    return Plan(**data)


def row(index: int) -> tuple[str, ...]:
    """What a person says: nobody else says its first two values."""
    return f"w{index}", f"n{index}", SIDES[index % 3 == 0]


class Trouble(DeviatingShuffler):
    """A shuffler's place that may also be slow, or deliver nothing."""

    silent: frozenset[int] = frozenset()
    wait: float = 0

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send when it is time, or never."""
        if isinstance(body, Batch):
            await trio.sleep(self.wait)
            if plan.call.round in self.silent:
                return
        await super().send(plan, receiver, body)


class Clock(VirtualClock):
    """Time that jumps when it is told to."""

    def jump(self, seconds: float) -> None:
        """Be so many seconds later at once."""
        self._now += seconds


@dataclass
class Jumper(Instrument):
    """Makes the clock jump after so many messages."""

    clock: Clock
    jumps: list[tuple[int, float]]
    seen: int = 0

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Count a message."""
        self.seen += 1
        for at, seconds in self.jumps:
            if at == self.seen:
                self.clock.jump(seconds)


@dataclass
class Played:
    """A session that has been played: what is on the board, and what was really sent and read."""

    plan: Plan
    board: Board
    transcript: Transcript
    strategy: Strategy
    faulty: frozenset[int] = field(default_factory=frozenset)

    def read(self, number: int) -> Sequence[Counter[tuple[str, ...]]]:
        """What the reader of a round has counted, published or not."""
        return next(
            ([Counter(count) for count in read.counts] for read in self.transcript.reads
             if read.round == number), (),
        )  # fmt: skip

    def tallied(self, number: int) -> bool:
        """Whether a round was completed."""
        return number <= len(self.board.tallies)

    def made(self, number: int) -> set[int]:
        """Who has sealed answers in a round."""
        return {sent.user for sent in self.transcript.sealed_answers if sent.round == number}

    def columns(self, number: int) -> tuple[tuple[int, ...], ...]:
        """The questions of a round."""
        return self.board.calls[number - 1].asks

    def counted(self, number: int) -> Counter[int]:
        """How often each person's word was counted in a round: the largest over its questions."""
        maxima: Counter[int] = Counter()
        for ask, counts in zip(self.columns(number), self.read(number), strict=True):
            for values, many in _words(ask, counts):
                maxima[values] = max(maxima[values], many)
        return maxima


def _words(ask: Sequence[int], counts: Counter[tuple[str, ...]]) -> Iterator[tuple[int, int]]:
    """The people, by index, whose own word or name is in an answer, and how often."""
    for place, column in enumerate(ask):
        if column < 2:
            each: Counter[str] = Counter()
            for values, many in counts.items():
                each[values[place]] += many
            yield from ((int(v[1:]), many) for v, many in each.items() if v[1:].isdigit())
            return


def play_plan(plan: Plan, change: Callable[[Cast], Cast] = lambda cast: cast) -> Played:
    """Play a session as a plan says. change: takes a guard away, to see that it is missed."""
    clock = Clock()
    transcript = Transcript.sized(plan.people)
    cast, bad = _cast(plan)
    cast = change(cast)
    jumps = [(int(at), float(seconds)) for at, seconds in plan.of("jump")]
    board = play(cast, [TranscriptRecorder(transcript), Jumper(clock, jumps)], clock=clock)
    return Played(plan, board, transcript, strategy_of(cast.decide), frozenset(bad))


def _cast(plan: Plan) -> tuple[Cast, set[int]]:
    entropy = SeededEntropy(plan.seed)
    users: dict[int, dict[int, str]] = {}
    for name in USERS:
        for who, number in plan.of(name):
            users.setdefault(who % plan.people, {})[number] = name
    faults: dict[str, Fault] = {parties.user(i): faulty(user) for i, user in users.items()}
    for who, number in plan.of("stuff"):
        index = who % plan.people
        users.setdefault(index, {})
        own = entropy.fork(f"stuffing of {index}")
        faults[parties.user(index)] = stuffer(unnoted((number,)), row(index), own)
    for hop in range(1, plan.shufflers + 1):
        faults[parties.shuffler(hop)] = _shuffler(plan, hop, entropy)
    lies = [
        *(["lie"] if plan.of("lie") else ()),
        *(["equivocate"] if plan.of("equivocate") else ()),
    ]
    if lies:
        told = plan.of("equivocate")
        target = parties.user(told[0][0] % plan.people) if told else None
        faults[parties.CURATOR] = liar(*lies, target=target)
    cast = Cast(
        title="a model",
        schema=SCHEMA,
        policy=AnnouncedPolicy(K, 1.0, "fixed", publish_marginals=True),
        rules=Rules(min_dropout=LEAST, challenge=plan.registered),
        suite="sealedbox",
        shufflers=plan.shufflers,
        people=plan.people,
        row=row,
        decide=keeping(plan.keep),
        entropy=entropy,
        faults=faults,
        threads=1,
        guards=Guards(
            registered=plan.people if plan.registered else None,
            balance=True,
            recompute=True,
        ),
        wire=_wire(plan),
        lies=lying(keeping(plan.keep), *lies),
    )
    return cast, set(users)


def keeping(columns: tuple[int, ...]) -> Callable[..., Decision]:
    """The rule that keeps these columns, and promises no more than the marginals show."""

    def decide(_schema: Schema, marginals: Sequence[Sequence[int]], n: int) -> Decision:
        exact = int(users_below(list(marginals[columns[0]]), K)) if len(columns) == 1 else n
        return Decision(columns, DecisionCertificate("fixed", K, n, exact))

    return decide


def _shuffler(plan: Plan, hop: int, entropy: SeededEntropy) -> Fault:
    deeds = []
    for name, act in DEEDS.items():
        for place, (at, many, number) in enumerate(plan.of(name)):
            whole = name in ("drop-people", "substitute")  # what only the first shuffler can do
            if (1 if whole else 1 + at % plan.shufflers) == hop:
                own = entropy.fork(f"{name} {place}")
                deeds.append(Deed(act, own, (number,), users=many))
    silent = {number for at, number in plan.of("fails") if 1 + at % plan.shufflers == hop}
    wait = max((s for at, s in plan.of("slow") if 1 + at % plan.shufflers == hop), default=0)

    def seat(network: Network, party: str) -> Trouble:
        place = Trouble(network, party, deeds)
        place.silent, place.wait = frozenset(silent), wait
        return place

    return seat


def _wire(plan: Plan) -> Wires:
    def only(who: int) -> Callable[[str], bool]:
        return parties.user(who % plan.people).__eq__

    stranger = parties.user(plan.people)
    return Wires([
        *(BlockingWire(only(who), (number,)) for who, number in plan.of("block")),
        *(Delay(only(who), (number,)) for who, number in plan.of("delay")),
        *(Replay(parties.user(who % plan.people), into, stranger)
          for who, into in plan.of("replay")),
    ])  # fmt: skip


# --- what must hold ---


def no_ballot_is_counted_twice(played: Played) -> None:
    """Of nobody two ballots are in one tally; but of who stuffs its envelope."""
    stuffers = {who % played.plan.people for who, _ in played.plan.of("stuff")}
    for number in range(1, len(played.board.calls) + 1):
        if played.read(number):
            twice = {i for i, many in played.counted(number).items() if many > 1}
            assert twice <= stuffers, f"round {number}: counted twice: {sorted(twice)}"


def nobody_is_counted_who_sent_nothing(played: Played) -> None:
    """Whose word is counted has sealed it, and it was neither kept back nor late."""
    plan = played.plan
    for number in range(1, len(played.board.calls) + 1):
        if played.read(number):
            counted = set(played.counted(number))
            lost = {who % plan.people for who, at in plan.of("block", "delay") if at == number}
            lost |= {index for index in range(plan.people) if _silent(plan, index, number)}
            assert counted <= played.made(number)
            assert not counted & lost, f"round {number}: {sorted(counted & lost)}"


def _silent(plan: Plan, index: int, number: int) -> bool:
    """Whether a person sends nothing that counts; of several faults in a round the last is done."""
    if any(who % plan.people == index for who, _ in plan.of("stuff")):
        return False
    done = ""
    for name in USERS:
        if any((who % plan.people, at) == (index, number) for who, at in plan.of(name)):
            done = name
    return done in ("absent", "late", "malformed")


def honest_sessions_end_well(played: Played) -> None:
    """Where only people do wrong everybody else is counted once; where nobody does all is quiet.

    Somebody who has sent nothing that counts may complain: the board cannot show that.
    """
    plan, board = played.plan, played.board
    if {name for name, *_ in plan.operations} <= {*USERS}:
        assert {party for party, _ in board.alarms} <= {parties.user(i) for i in played.faulty}
        for number in range(1, len(board.tallies) + 1):
            if any(column < 2 for ask in played.columns(number) for column in ask):
                counted = played.counted(number)
                assert all(counted[index] == 1 for index in set(range(plan.people)) - played.faulty)
    if not plan.operations:
        assert board.burned is None
        assert len(board.tallies) == 2
        assert not played.transcript.refusals


def honest_people_who_were_accepted_are_counted(played: Played) -> None:
    """Where ballots are locked, whoever was accepted is in a tally, or nothing is tallied.

    Unless the clock jumps: then it is too late to complain, and the time to look is over.
    """
    if played.plan.of("jump"):
        return
    for number in range(1, len(played.board.tallies) + 1):
        accepted = played.board.challenged.accepted.get(number)
        if accepted is None or not any(c < 2 for ask in played.columns(number) for c in ask):
            continue
        counted = played.counted(number)
        for index in {envelope.person for envelope in accepted.people} - played.faulty:
            assert counted[index] == 1, f"round {number}: {index}"


def nothing_is_released_below_the_promise(played: Played) -> None:
    """Nobody else in the release is exposed than its proof allows, if the counts were honest.

    A promise is about the counts it was made from: a curator that lies, a shuffler that changes
    them and a person who answers one question three times break it, which is what alarms are for.
    """
    board = played.board
    if played.plan.of("lie", "stuff", *DEEDS) or board.decision is None or len(board.tallies) < 2:
        return
    (cells,) = played.read(2)
    proof, people = board.decision.certificate, sum(cells.values())
    allowed = carried_over(proof.people, proof.n, proof.k, people)
    exposed = int(users_below(list(cells.values()), proof.k))
    assert exposed <= allowed, f"{exposed} of {people} exposed; {allowed} were promised"


def a_burned_round_reveals_nothing(played: Played) -> None:
    """Of a burned round there is no count on the board, nor anybody's answer."""
    board = played.board
    if board.burned is None:
        return
    completed = range(1, len(board.tallies) + 1)
    told = {i for number in completed for i in played.counted(number)}
    for index in set(range(played.plan.people)) - told:
        assert not on_the_board(board, index), f"the answer of person {index}"


def on_the_board(board: Board, index: int) -> bool:
    """Whether a person's name is among published counts: followed by how many have it."""
    mark = row(index)[1].encode() + bytes(3)
    return any(mark in entry.data for entry in board.entries)


def every_alarm_is_justified(played: Played) -> None:
    """What is on the board bears every alarm out, but that of another announcement."""
    for party, alarm in played.board.alarms:
        if alarm.cause is Cause.ANNOUNCEMENT:  # nobody can prove it
            continue
        try:
            check_alarm(played.board, alarm, played.strategy)
        except VerificationError as wrong:
            raise AssertionError(f"{party}: {wrong}") from None


def what_is_wrong_on_the_board_is_alarmed(played: Played) -> None:
    """Totals or accounts that do not add up, a decision that is not the rule's, another session."""
    board, causes = played.board, {alarm.cause for _, alarm in played.board.alarms}
    for number in range(1, len(board.tallies) + 1):
        about = {alarm.cause for _, alarm in board.alarms if alarm.round == number}
        if unbalanced(board, number):
            assert Cause.BALANCE in about, f"round {number}"
        if unaccounted(board, number):
            assert Cause.ACCOUNTS in about, f"round {number}"
    lied = played.plan.of("lie") and len(played.plan.keep) < len(SCHEMA.features)
    if lied and board.decision is not None:
        assert Cause.DECISION in causes
        assert len(board.tallies) < 2  # the analyst does not read what nobody decided
    for (who,) in played.plan.of("equivocate")[:1]:
        index = who % played.plan.people
        if board.calls and board.calls[0].reader is Role.CURATOR:
            told = {party for party, alarm in board.alarms if alarm.cause is Cause.ANNOUNCEMENT}
            assert told == {parties.user(index)}


def out_of_order_is_alarmed(played: Played) -> None:
    """A batch with a repeat is shown by whoever gets it, and burned."""
    copied = [number for _, many, number in played.plan.of("copy") if many]
    others = played.plan.of("fails", "slow", "jump", *DEEDS)
    if len(others) == len(played.plan.of("copy")) == 1 and played.board.calls:
        number = copied[0] if copied else 0
        if copied and number <= len(played.board.calls) and _shuffled(played, number):
            assert Cause.ORDER in {alarm.cause for _, alarm in played.board.alarms}
            assert not played.tallied(number)


def _shuffled(played: Played, number: int) -> bool:
    """Whether the batch of a round left the shuffler that copies."""
    hops = played.plan.shufflers
    at = 1 + played.plan.of("copy")[0][0] % hops
    return len(played.board.mixed) >= (number - 1) * hops + at


INVARIANTS = (
    no_ballot_is_counted_twice,
    nobody_is_counted_who_sent_nothing,
    honest_sessions_end_well,
    honest_people_who_were_accepted_are_counted,
    nothing_is_released_below_the_promise,
    a_burned_round_reveals_nothing,
    every_alarm_is_justified,
    what_is_wrong_on_the_board_is_alarmed,
    out_of_order_is_alarmed,
)


def check(played: Played) -> None:
    """Hold a session against every invariant; a failure says how to play it again."""
    for invariant in INVARIANTS:
        try:
            invariant(played)
        except AssertionError as wrong:
            told = f"{invariant.__name__}: {wrong}\nreplay: {played.plan.replay}"
            raise AssertionError(told) from wrong


if __name__ == "__main__":
    again = play_plan(planned(sys.argv[1]))
    check(again)
    print(f"all invariants hold; burned: {again.board.burned}; alarms: {again.board.alarms}")  # noqa: T201
