"""Phones that forge what a lock holds, or its share: the record says how far it was said."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from class_kit import ROWS, alike
from phone_kit import Class, Client, together
from veilmix.cli import main
from veilmix.crypto import threshold as locks
from veilmix.crypto.entropy import OSEntropy
from veilmix.crypto.padding import pad, unpad
from veilmix.crypto.ristretto import ORDER
from veilmix.crypto.threshold import Sealer, Shape, TextLevel
from veilmix.crypto.verifiable_sharing import SHARE, SharePoint, decode_share
from veilmix.poll.record import PARTLY, STANDS, UNREADABLE, outcome_of_phones
from veilmix.poll.seeds import question
from veilmix.protocol.rounds import threshold
from veilmix.protocol.rounds.ballots import VALUES, Phrasebook, salts, submit_all
from veilmix.protocol.rounds.round_context import Round, sealing
from veilmix.protocol.wire.frames import decode_message, frame_envelopes
from veilmix.protocol.wire.hiding_rules import BLANK
from veilmix.protocol.wire.token_messages import Evaluated
from veilmix.scenarios.programs.threshold.score import OpenedRows
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify

pytestmark = pytest.mark.slow

Row = tuple[str, ...]
Forge = Callable[[Shape, Sequence[TextLevel]], bytes]
OWN = bytes(range(32))  # a seed that `randomness` has given nobody


def nested(shape: Shape, levels: Sequence[TextLevel], forge: Callable[[bytes], bytes]) -> bytes:
    """An honest message but for its second level, which `forge` changes before it is locked in."""
    entropy = OSEntropy()
    inner = Sealer(Shape(shape.needed, shape.widths[1:])).seal(levels[1:], entropy)
    outer = Sealer(shape).seal(levels, entropy)
    end = shape.body(0) + SHARE
    share = decode_share(outer[end - SHARE : end])
    made = locks._make(levels[0], shape.needed)
    key = locks._key(locks._INSIDE, made.coefficients[0], share.x)
    return outer[:end] + locks._seal(forge(inner), None, locks._ONCE, key)


def share(shape: Shape, levels: Sequence[TextLevel]) -> bytes:
    """A share of the second level that is on no polynomial."""
    end = shape.body(1)

    def forge(inner: bytes) -> bytes:
        point = decode_share(inner[end : end + SHARE])
        return (
            inner[:end] + SharePoint(point.x, (point.y + 1) % ORDER).encode() + inner[end + SHARE :]
        )

    return nested(shape, levels, forge)


def number(shape: Shape, levels: Sequence[TextLevel]) -> bytes:
    """No share at all in the second level."""
    return nested(shape, levels, lambda inner: inner[: shape.body(1)] + bytes([255]) * SHARE)


def text(shape: Shape, levels: Sequence[TextLevel]) -> bytes:
    """A second level that is made of nothing."""
    return nested(shape, levels, lambda inner: bytes(shape.body(1)) + inner[shape.body(1) :])


def lock(shape: Shape, levels: Sequence[TextLevel]) -> bytes:
    """A first level in which nothing can be opened."""
    outer = Sealer(shape).seal(levels, OSEntropy())
    return outer[:-1] + bytes([outer[-1] ^ 1])


def first(shape: Shape, levels: Sequence[TextLevel]) -> bytes:
    """A first level that is nobody else's."""
    return Sealer(shape).seal([TextLevel(OWN, levels[0].text), levels[1]], OSEntropy())


def second(shape: Shape, levels: Sequence[TextLevel]) -> bytes:
    """A second level with a seed of its own."""
    return Sealer(shape).seal([levels[0], TextLevel(OWN, levels[1].text)], OSEntropy())


def mauve(shape: Shape, levels: Sequence[TextLevel]) -> bytes:
    """A first text that could not be said, with a seed of its own."""
    said = pad(threshold.text_of(["mauve"]), shape.widths[0])
    return Sealer(shape).seal([TextLevel(OWN, said), levels[1]], OSEntropy())


@dataclass
class Forger(Client):
    """A phone that asks as all do, and seals what `forge` makes of it."""

    forge: Forge = share

    def sealed_by_seed(self, plan: Round) -> bytes:
        """Ask, and forge."""
        assert plan.shape is not None
        round_ = plan.call.round
        while round_ not in self.board.mints:
            self.news()
        entropy = OSEntropy()
        asked = question(plan, self.row, entropy)
        status, said = self.seed(asked.data)
        assert status == 200, said
        body = decode_message(said).body
        assert isinstance(body, Evaluated)
        levels = threshold.make_levels(plan, asked.asking, body, self.board.mints[round_])
        fresh = sealing(entropy, plan.session)
        (salt,) = salts(plan, fresh)
        honest = unpad(threshold.write(plan, Sealer(plan.shape), levels, salt, fresh))
        forged = pad(honest[:VALUES] + self.forge(plan.shape, levels), plan.ballot)
        (made,) = submit_all(Phrasebook(plan), [tuple(self.row)], [entropy], written=[forged])
        return frame_envelopes(plan.session, round_, [made.envelope], plan.witness)[0]


NEVER, SLEPT, OFTEN = ("never", "yes"), ("never", BLANK), ("often", "no")
NOTHING = (BLANK, BLANK)


@dataclass(frozen=True)
class Case:
    """A class with forgers in it, and what is true of it.

    Attributes:
        forgers: what each forges, in place of which row, and what the record says of it.
        honest: rows of the others.
        release: what opens.
        closed: groups that do not, by size.
        astray: people counted as far as they opened, and in no group beyond.
    """

    forgers: list[tuple[Forge, Row, Row]]
    honest: list[Row]
    release: dict[Row, int]
    closed: dict[int, int]
    astray: int


ALONE = Case(  # what one person can do by itself: two honest ones would need a third
    [
        (share, NEVER, NEVER),  # that was said, and opens for nobody
        (number, NEVER, NEVER),
        (text, NEVER, SLEPT),
        (lock, NEVER, SLEPT),
        (first, NEVER, NOTHING),
    ],
    [NEVER, NEVER, *ROWS[3:]],
    {SLEPT: 6, ("once", BLANK): 3, NOTHING: 2},
    {1: 4, 2: 2},  # `first`, often, once and yes, `text`; NEVER, once and no
    3,
)
TOGETHER = Case(  # what three can who agree on it: they open for each other
    [(first, NEVER, NEVER)] * 3 + [(second, OFTEN, OFTEN)] * 3 + [(mauve, NEVER, NOTHING)] * 3,
    [NEVER, *ROWS[3:]],
    {NEVER: 3, OFTEN: 3, ("often", BLANK): 1, ("once", BLANK): 3, NOTHING: 4},
    {1: 3, 2: 1},  # NEVER, the honest OFTEN, once and yes; once and no
    3,
)


@pytest.mark.parametrize("case", [ALONE, TOGETHER], ids=["alone", "together"])
def test_the_record_of_forged_levels_says_what_is_true(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Class(alike(tmp_path), len(case.forgers) + len(case.honest)) as room:
        forgers = [
            Forger(room.address, f"forger {i}", row, forge=forge)
            for i, (forge, row, _) in enumerate(case.forgers)
        ]
        others = [Client(room.address, f"pupil {i}", row) for i, row in enumerate(case.honest)]
        together([*forgers, *others])
    assert all(client.counted() == [True] for client in [*forgers, *others])
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert outcome.release == case.release
    assert outcome.refused == {}
    findings = outcome.findings
    assert isinstance(findings, OpenedRows)
    assert {entry.people: entry.groups for entry in findings.closed} == case.closed
    assert findings.astray == case.astray
    assert outcome.transcript is not None
    said = [recorded for _, _, recorded in case.forgers]
    rows = Counter(made.answers[0][1] for made in outcome.transcript.sealed_answers)
    assert rows == Counter([*said, *case.honest])
    notes = Counter(note.partition(" ")[2] for note in outcome.notes[1:])
    assert notes == +Counter(
        {
            f"{UNREADABLE}: {STANDS}": said.count(NOTHING),
            f"{PARTLY} slept: {STANDS}": said.count(SLEPT),
        }
    )
    folder = save(outcome, tmp_path)
    assert [check for check in verify(read(folder)) if check.ok is False] == []
    monkeypatch.chdir(tmp_path)  # where the theatre writes its page
    for command in ("leak", "report", "verify", "theatre"):
        assert main([command, str(folder)]) == 0
