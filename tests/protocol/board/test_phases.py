"""The table of who may say what when: nothing that it does not list is accepted."""

import itertools
import re
from collections.abc import Iterable

import pytest
from veilmix.errors import Reason, Refused
from veilmix.protocol.board.phases import MOVES, Phase, diagram, follow
from veilmix.protocol.wire.messages import Kind
from veilmix.protocol.wire.parties import Role

# Written down a second time, from DESIGN's words: announce, collect, mix, tally, publish.
TABLE = """
opening     key           shuffler analyst           board                      opening
opening     announcement  curator                    board                      announced
opening     burned        curator shuffler analyst   board                      burnt
announced   consent       shuffler analyst           board                      announced
announced   call          curator                    board                      collecting
announced   burned        curator shuffler analyst   board                      burnt
collecting  mint          curator analyst randomness board                      collecting
collecting  ask           user                       curator analyst board      collecting
collecting  grant         curator analyst            user                       collecting
collecting  granted       curator analyst            board                      collecting
announced   decision      curator                    board                      decided
collecting  query         user                       randomness                 collecting
collecting  evaluated     randomness                 user                       collecting
collecting  submission    user                       shuffler curator analyst  collecting
collecting  mixed         shuffler                   board                      mixing
collecting  burned        curator shuffler analyst   board                      burnt
collecting  share         curator shuffler analyst   board                      collecting
collecting  accepted      shuffler                   board                      collecting
collecting  coin          curator shuffler analyst   board                      collecting
mixing      traced        shuffler                   board                      mixing
mixing      toss          curator shuffler analyst   board                      mixing
mixing      opened        shuffler                   board                      mixing
mixing      heard         curator analyst            board                      challenged
challenged  shown         shuffler                   board                      challenged
challenged  issued        curator analyst            board                      challenged
challenged  roll          curator analyst            curator analyst            challenged
challenged  alarm         user curator shuffler analyst  board                 challenged
challenged  tally         curator analyst            board                      tallied
challenged  burned        curator shuffler analyst   board                      burnt
mixing      batch         shuffler                   shuffler curator analyst   mixing
mixing      mixed         shuffler                   board                      mixing
mixing      roll          curator analyst            curator analyst            mixing
collecting  roll          curator analyst            curator analyst            collecting
tallied     roll          curator analyst            curator analyst            tallied
decided     roll          curator analyst            curator analyst            decided
mixing      issued        curator analyst            board                      mixing
mixing      tally         curator analyst            board                      tallied
mixing      burned        curator shuffler analyst   board                      burnt
tallied     call          curator                    board                      collecting
tallied     decision      curator                    board                      decided
tallied     committed     curator                    board                      decided
tallied     certificate   curator                    board                      tallied
tallied     closed        curator                    board                      over
decided     call          curator                    board                      collecting
decided     closed        curator                    board                      over
tallied     burned        curator shuffler analyst   board                      burnt
decided     burned        curator shuffler analyst   board                      burnt
burnt       closed        curator                    board                      over
opening     registry      curator                    board                      opening
announced   alarm         user curator shuffler analyst  board                 announced
collecting  alarm         user curator shuffler analyst  board                 collecting
mixing      alarm         user curator shuffler analyst  board                 mixing
tallied     alarm         user curator shuffler analyst  board                 tallied
decided     alarm         user curator shuffler analyst  board                 decided
burnt       alarm         user curator shuffler analyst  board                 burnt
over        alarm         user curator shuffler analyst  board                 over
opening     roster        curator                    board                      opening
collecting  head          board                      board                      collecting
over        head          board                      board                      over
collecting  keys          shuffler curator analyst   board                      collecting
collecting  handed        shuffler curator analyst   board                      collecting
collecting  checked       shuffler curator analyst   board                      collecting
collecting  shuffled      shuffler                   board                      mixing
mixing      shuffled      shuffler                   board                      mixing
mixing      shared        shuffler curator analyst   board                      mixing
"""


def legal() -> dict[tuple[str, str, str, str], str]:
    moves = {}
    for line in TABLE.strip().splitlines():
        phase, kind, *between, then = line.split()
        many = {"submission": 1, "batch": 1, "ask": 1, "roll": 2}.get(kind, -1)
        speakers, hearers = between[:many], set(between[many:])
        for speaker, hearer in itertools.product(speakers, hearers):
            moves[phase, kind, speaker, hearer] = then
    return moves


LEGAL = legal()


@pytest.mark.parametrize("phase", Phase)
def test_only_what_the_table_lists_is_accepted(phase: Phase) -> None:
    hearers = [role.value for role in Role]
    for kind, speaker, hearer in itertools.product(Kind, Role, hearers):
        expected = LEGAL.get((phase.value, kind.name.lower(), speaker.value, hearer))
        try:
            next_phase = follow(phase, kind, speaker, hearer).value
        except Refused:
            next_phase = None
        assert next_phase == expected, f"{phase} {kind.name} {speaker} to {hearer}"


@pytest.mark.parametrize("phase", Phase)
def test_only_what_a_user_sends_after_the_collection_is_late(phase: Phase) -> None:
    before = (Phase.OPENING, Phase.ANNOUNCED, Phase.COLLECTING)
    for kind, speaker in itertools.product(Kind, Role):
        with pytest.raises(Refused) as caught:
            follow(phase, kind, speaker, "nobody")
        due = kind in (Kind.SUBMISSION, Kind.ASK)
        late = due and speaker is Role.USER and phase not in before
        assert caught.value.reason is (Reason.LATE if late else Reason.UNEXPECTED)


PEERS = {Kind.RELAY, Kind.FOUND, Kind.AGREED, Kind.ACCUSATION}


def test_every_phase_and_kind_is_in_the_table() -> None:
    assert set(MOVES) == set(Phase)
    central = set(Kind) - PEERS
    assert {kind for moves in MOVES.values() for kind in moves} == central
    assert {kind for _, kind, _, _ in LEGAL} == {kind.name.lower() for kind in central}


def reached(start: Phase) -> set[Phase]:
    phases, new = {start}, [start]
    while new:
        then = {move.then for move in MOVES[new.pop()].values()} - phases
        phases |= then
        new.extend(then)
    return phases


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_leads_to_the_end_and_only_the_end_is_one(phase: Phase) -> None:
    assert Phase.OVER in reached(phase)
    assert (set(MOVES[phase]) <= {Kind.ALARM, Kind.HEAD}) is (phase is Phase.OVER)


def test_every_phase_is_reached() -> None:
    assert reached(Phase.OPENING) == set(Phase)


def test_a_burnt_session_is_never_called_again() -> None:
    assert reached(Phase.BURNT) == {Phase.BURNT, Phase.OVER}


def test_the_diagram_has_each_move_once_and_no_more() -> None:
    lines = diagram().splitlines()
    assert lines[:2] == ["stateDiagram-v2", "    [*] --> opening"]
    assert lines[-1] == "    over --> [*]"
    drawn = set()
    for line in lines[2:-1]:
        arrow = re.fullmatch(r"    (\w+ --> \w+): ([\w, ]+) \((\w+)(?: to (\w+))?\)", line)
        assert arrow
        ends, names, senders, receivers = arrow.groups("B")
        moves = {(ends, name, senders, receivers) for name in names.split(", ")}
        assert not moves & drawn
        drawn |= moves
    assert drawn == {
        (
            f"{phase} --> {move.then}",
            kind.name.lower(),
            *map(initials, (move.speakers, move.hearers)),
        )
        for phase, moves in MOVES.items()
        for kind, move in moves.items()
    }


def initials(roles: Iterable[str]) -> str:
    return "".join(sorted(role[0].upper() for role in roles))
