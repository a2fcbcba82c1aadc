"""The board takes what is legal and right, and stays as it was after anything else."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from itertools import permutations
from typing import Any

import protocol_kit as KIT
import pytest
from veilmix.crypto.entropy import SeededEntropy
from veilmix.errors import ParameterError, Reason, Refused
from veilmix.protocol.board.board import Board, replay
from veilmix.protocol.board.phases import Phase
from veilmix.protocol.rounds.registered_users import registry_root
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Announcement, Program, Setting
from veilmix.protocol.wire.commitment import commit
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.hiding_rules import Redact
from veilmix.protocol.wire.messages import (
    Alarm,
    Body,
    Burned,
    Call,
    Cause,
    Closed,
    Consent,
    Counts,
    Decision,
    DecisionCertificate,
    Key,
    Mixed,
    OpenedCertificate,
    Registry,
    Tally,
)
from veilmix.protocol.wire.parties import Role

HELD = KIT.session(2)
TOLD = HELD.announcement
SESSION = TOLD.digest()
NONE = bytes(32)

Post = tuple[str, bytes]
Step = tuple[int, str, Body]

MARGINALS: tuple[Counts, ...] = ({("red",): 3}, {("x",): 3}, {("no",): 3})
RELEASE: tuple[Counts, ...] = ({("red", "no"): 3},)
KEPT = Decision((0, 2), DecisionCertificate("fixed", 2, 3, 0))
COMMITTED, OPENING = commit(TOLD, SESSION, KEPT, SeededEntropy(1))


def said(author: str, number: int, body: Body, session: bytes = SESSION) -> Post:
    return author, Message(session, number, body).encode()


def key(party: str) -> Post:
    return said(party, 0, Key(HELD.keys[party].public), NONE)


def mixed(number: int, hop: int) -> Post:
    return said(f"shuffler-{hop}", number, Mixed(hop, 3, 3, 9, {}, bytes(32)))


STEPS: dict[str, Post] = {
    "key-1": key("shuffler-1"),
    "key-2": key("shuffler-2"),
    "key-a": key("analyst"),
    "announcement": said("curator", 0, TOLD, NONE),
    "consent-1": said("shuffler-1", 0, Consent(SESSION)),
    "consent-2": said("shuffler-2", 0, Consent(SESSION)),
    "consent-a": said("analyst", 0, Consent(SESSION)),
    "call-1": said("curator", 1, KIT.SINGLES),
    "mixed-1-1": mixed(1, 1),
    "mixed-1-2": mixed(1, 2),
    "tally-1": said("curator", 1, Tally((3, 3, 3), {})),
    "committed": said("curator", 1, COMMITTED),
    "call-2": said("curator", 2, KIT.JOINT),
    "mixed-2-1": mixed(2, 1),
    "mixed-2-2": mixed(2, 2),
    "tally-2": said("analyst", 2, Tally((3,), {}, RELEASE)),
    "certificate": said("curator", 2, OPENING),
    "closed": said("curator", 2, Closed()),
}


def before(step: str, steps: dict[str, Post] = STEPS) -> Board:
    """Give the board as it stands when a step is due."""
    return replay([post for name, post in steps.items()][: list(steps).index(step)])


def test_a_whole_session_is_accepted() -> None:
    board = replay(list(STEPS.values()))
    assert board.phase is Phase.OVER
    assert board.announcement == TOLD
    assert board.session == SESSION
    assert board.calls == [KIT.SINGLES, KIT.JOINT]
    assert [account.hop for account in board.mixed] == [1, 2, 1, 2]
    assert (board.decision, board.committed, board.opened) == (KEPT, COMMITTED, True)
    assert board.tallies[1].counts == RELEASE
    assert board.consents == set(board.keys) == {"shuffler-1", "shuffler-2", "analyst"}
    assert len({entry.head for entry in board.entries}) == len(STEPS)


WRONG: dict[str, tuple[str, Post]] = {
    "key-twice": ("key-2", key("shuffler-1")),
    "key-in-a-session": (
        "key-2",
        said("shuffler-2", 0, Key(HELD.keys["shuffler-2"].public), SESSION),
    ),
    "key-in-a-round": ("key-2", said("shuffler-2", 1, Key(HELD.keys["shuffler-2"].public), NONE)),
    "key-of-a-user": ("key-2", said("user-1", 0, Key(HELD.keys["shuffler-2"].public), NONE)),
    "announcement-by-a-shuffler": ("announcement", said("shuffler-1", 0, TOLD, NONE)),
    "announcement-too-early": ("key-a", said("curator", 0, TOLD, NONE)),
    "announcement-with-another-key-for-a-shuffler": (
        "announcement",
        said(
            "curator",
            0,
            replace(TOLD, shufflers=(TOLD.shufflers[0], KIT.pair("mine").public)),
            NONE,
        ),
    ),
    "announcement-with-another-key-for-the-analyst": (
        "announcement",
        said("curator", 0, replace(TOLD, analyst=KIT.pair("mine").public), NONE),
    ),
    "announcement-without-a-shuffler": (
        "announcement",
        said("curator", 0, replace(TOLD, shufflers=TOLD.shufflers[:1]), NONE),
    ),
    "announcement-with-shufflers-exchanged": (
        "announcement",
        said("curator", 0, replace(TOLD, shufflers=TOLD.shufflers[::-1]), NONE),
    ),
    "consent-to-another-session": ("consent-1", said("shuffler-1", 0, Consent(NONE))),
    "consent-to-a-session-that-begins-otherwise": (
        "consent-1",
        said("shuffler-1", 0, Consent(bytes([SESSION[0] ^ 1]) + SESSION[1:])),
    ),
    "consent-to-a-session-that-ends-otherwise": (
        "consent-1",
        said("shuffler-1", 0, Consent(SESSION[:-1] + bytes([SESSION[-1] ^ 1]))),
    ),
    "consent-of-nobody-known": ("consent-1", said("shuffler-3", 0, Consent(SESSION))),
    "call-without-all-consents": ("consent-a", said("curator", 1, KIT.SINGLES)),
    "call-of-round-2-first": ("call-1", said("curator", 2, KIT.JOINT)),
    "call-framed-as-another-round": ("call-1", said("curator", 2, KIT.SINGLES)),
    "call-for-a-column-that-is-not-there": (
        "call-1",
        said("curator", 1, Call(1, Role.CURATOR, ((0,), (3,)))),
    ),
    "call-for-fewer-columns": ("call-1", said("curator", 1, Call(1, Role.CURATOR, ((0,), (1,))))),
    "call-for-the-joint-of-all": (
        "call-1",
        said("curator", 1, Call(1, Role.CURATOR, ((0, 1, 2),))),
    ),
    "call-for-a-joint-beside-the-singles": (
        "call-1",
        said("curator", 1, Call(1, Role.CURATOR, (*KIT.SINGLES.asks, (0, 1)))),
    ),
    "release-before-the-decision": ("call-1", said("curator", 1, replace(KIT.JOINT, round=1))),
    "release-of-more-than-was-decided": (
        "call-2",
        said("curator", 2, replace(KIT.JOINT, asks=((0, 1, 2),))),
    ),
    "release-beside-another": (
        "call-2",
        said("curator", 2, replace(KIT.JOINT, asks=((0, 2), (1, 2)))),
    ),
    "release-for-the-curator": (
        "call-2",
        said("curator", 2, replace(KIT.JOINT, reader=Role.CURATOR)),
    ),
    "singles-again": ("call-2", said("curator", 2, replace(KIT.SINGLES, round=2))),
    "call-by-the-analyst": ("call-1", said("analyst", 1, KIT.SINGLES)),
    "mixed-by-the-second-first": ("mixed-1-1", mixed(1, 2)),
    "mixed-twice": ("mixed-1-2", mixed(1, 1)),
    "mixed-of-the-next-hop": (
        "mixed-1-1",
        said("shuffler-1", 1, Mixed(2, 3, 3, 9, {}, bytes(32))),
    ),
    "mixed-for-another": ("mixed-1-1", ("shuffler-2", mixed(1, 1)[1])),
    "mixed-by-the-first-in-place-of-the-second": ("mixed-1-2", ("shuffler-1", mixed(1, 2)[1])),
    "mixed-of-the-round-before": ("mixed-2-1", mixed(1, 1)),
    "mixed-by-a-third-of-two": ("tally-1", mixed(1, 3)),
    "mixed-in-another-round": ("mixed-1-1", mixed(2, 1)),
    "tally-by-the-analyst": ("tally-1", said("analyst", 1, Tally((3, 3, 3), {}))),
    "tally-before-all-have-mixed": ("mixed-1-2", STEPS["tally-1"]),
    "tally-of-fewer-questions": ("tally-1", said("curator", 1, Tally((3, 3), {}))),
    "tally-of-more-questions": ("tally-1", said("curator", 1, Tally((3, 3, 3, 3), {}))),
    "tally-with-counts-that-were-to-be-kept": (
        "tally-1",
        said("curator", 1, Tally((3, 3, 3), {}, MARGINALS)),
    ),
    "release-without-counts": ("tally-2", said("analyst", 2, Tally((3,), {}))),
    "release-of-other-columns": (
        "tally-2",
        said("analyst", 2, Tally((3,), {}, ({("red",): 3},))),
    ),
    "release-of-more-columns": (
        "tally-2",
        said("analyst", 2, Tally((3,), {}, ({("red", "x", "no"): 3},))),
    ),
    "release-by-the-curator": ("tally-2", ("curator", STEPS["tally-2"][1])),
    "decision-for-a-column-that-is-not-there": (
        "committed",
        said("curator", 1, replace(COMMITTED, kept=(0, 3))),
    ),
    "decision-by-the-analyst": ("committed", said("analyst", 1, COMMITTED)),
    "certificate-posted-though-counts-are-secret": ("committed", said("curator", 1, KEPT)),
    "sealed-opening-cut": (
        "committed",
        said("curator", 1, replace(COMMITTED, sealed=COMMITTED.sealed[:-1])),
    ),
    "sealed-opening-of-no-bytes": (
        "committed",
        said("curator", 1, replace(COMMITTED, sealed=b"")),
    ),
    "sealed-opening-as-long-as-what-it-holds": (
        "committed",
        said("curator", 1, replace(COMMITTED, sealed=COMMITTED.sealed + bytes(1000))),
    ),
    "certificate-before-round-2": ("call-2", said("curator", 1, OPENING)),
    "certificate-before-the-release": ("tally-2", said("curator", 2, OPENING)),
    "certificate-by-the-analyst": ("certificate", said("analyst", 2, OPENING)),
    "certificate-of-more-people": (
        "certificate",
        said("curator", 2, replace(OPENING, certificate=replace(KEPT.certificate, people=1))),
    ),
    "certificate-with-another-blind": (
        "certificate",
        said("curator", 2, replace(OPENING, blind=bytes(32))),
    ),
    "call-of-round-1-again": ("call-2", said("curator", 1, KIT.SINGLES)),
    "call-of-round-3": ("call-2", said("curator", 3, replace(KIT.JOINT, round=3))),
    "burned-by-a-user": ("mixed-1-1", said("user-1", 1, Burned("no"))),
    "burned-by-nobody-known": ("mixed-1-1", said("shuffler-3", 1, Burned("no"))),
    "closed-before-it-begins": ("call-1", said("curator", 0, Closed())),
    "closed-by-a-shuffler": ("closed", said("shuffler-1", 2, Closed())),
    "alarm-of-the-round-to-come": (
        "mixed-1-1",
        said("shuffler-1", 1, Alarm(2, Cause.BALANCE)),
    ),
    "malformed": ("tally-1", ("curator", b"vm\x01")),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_post_is_refused_and_nothing_changes(name: str) -> None:
    step, (author, data) = WRONG[name]
    board = before(step)
    as_it_was = deepcopy(board)
    with pytest.raises(Refused) as caught:
        board.post(author, data)
    expected = Reason.MALFORMED if name == "malformed" else Reason.UNEXPECTED
    assert caught.value.reason is expected
    assert board == as_it_was
    board.post(*STEPS[step])  # and what is due is still accepted


@pytest.mark.parametrize("step", list(STEPS)[4:])
def test_a_post_of_another_session_or_round_is_refused(step: str) -> None:
    author, data = STEPS[step]
    for changed in (
        data[:4] + bytes(32) + data[36:],
        data[:4] + bytes([data[4] ^ 1]) + data[5:],
        data[:35] + bytes([data[35] ^ 1]) + data[36:],
        data[:36] + bytes([data[36] + 1]) + data[37:],
    ):
        with pytest.raises(Refused):
            before(step).post(author, changed)


@pytest.mark.parametrize("step", list(STEPS))
def test_no_post_is_accepted_twice(step: str) -> None:
    """A keyholder has one key and one consent; everything else moves the session on."""
    board = before(step)
    board.post(*STEPS[step])
    if step.startswith("consent"):
        board.post(*STEPS[step])  # saying yes twice changes nothing
        assert len(board.consents) == int("12a".index(step[-1])) + 1
        return
    with pytest.raises(Refused):
        board.post(*STEPS[step])


def test_a_certificate_may_be_opened_after_the_release_and_at_no_other_time() -> None:
    """Never after a burn: so a curator that burns a release keeps its certificate to itself."""
    may = [step for step in STEPS if before(step).may_open]
    assert may == ["certificate"]
    board = before("certificate")
    board.post(*said("analyst", 2, Burned("the sums differ")))
    assert not board.may_open


@pytest.mark.parametrize("step", list(STEPS)[:10])
def test_a_keyholder_may_burn_until_there_is_a_tally(step: str) -> None:
    board = before(step)
    number = board.calls[-1].round if board.calls else 0
    board.post(*said("curator", number, Burned("too few"), board.session))
    assert board.phase is Phase.BURNT
    assert board.burned == "too few"
    board.post(*said("curator", number, Closed(), board.session))
    assert board.phase is Phase.OVER


def test_published_marginals_are_what_was_announced() -> None:
    told = replace(TOLD, policy=AnnouncedPolicy(2, 0.5, publish_marginals=True))
    session = told.digest()
    steps = {
        name: (author, data[:4] + session + data[36:])
        for name, (author, data) in STEPS.items()
        if name in ("call-1", "mixed-1-1", "mixed-1-2")
    }
    names = ("shuffler-1", "shuffler-2", "analyst")
    posts = [STEPS["key-1"], STEPS["key-2"], STEPS["key-a"], said("curator", 0, told, NONE)]
    posts += [said(name, 0, Consent(session), session) for name in names]
    board = replay([*posts, *steps.values()])
    withheld = deepcopy(board)
    for at in range(3):  # the counts of one question are of two columns
        wrong = tuple({("red", "x"): 3} if place == at else MARGINALS[place] for place in range(3))
        with pytest.raises(Refused, match="unexpected"):
            board.post(*said("curator", 1, Tally((3, 3, 3), {}, wrong), session))
    board.post(*said("curator", 1, Tally((3, 3, 3), {}, MARGINALS), session))
    assert board.tallies[0].counts == MARGINALS
    with pytest.raises(Refused):
        withheld.post(*said("curator", 1, Tally((3, 3, 3), {}), session))


def flipped(data: bytes, at: int) -> bytes:
    """Turn over a bit of one byte."""
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


# Sessions with a registry, and in which the curator asks more than once

KEYS = Registry((bytes(32), b"\1" * 32))


def opened(told: Any, *steps: tuple[int, str, Body]) -> list[Post]:
    """The posts of a session up to its consents, then these: round, author, what is said."""
    session = told.digest()
    names = ("shuffler-1", "shuffler-2", "analyst")
    posts = [STEPS["key-1"], STEPS["key-2"], STEPS["key-a"]]
    posts += [said("curator", 0, KEYS, NONE)] if told.registry else []
    posts += [said("curator", 0, told, NONE)]
    posts += [said(name, 0, Consent(session), session) for name in names]
    return [*posts, *(said(who, number, body, session) for number, who, body in steps)]


LISTED = replace(TOLD, registry=registry_root(KEYS))
DEEP = replace(TOLD, program=Program.HIERARCHICAL, policy=AnnouncedPolicy(2, 0.5, "hierarchical"))
MIXED = [(1, f"shuffler-{hop}", Mixed(hop, 3, 3, 9, {}, bytes(32))) for hop in (1, 2)]
COUNTED = (1, "curator", Tally((3, 3, 3), {}))
PAIRS = Call(2, Role.CURATOR, ((0, 1),))
HEARD = [(1, "curator", KIT.SINGLES), *MIXED, COUNTED, (2, "curator", PAIRS)]
AGAIN = [(2, f"shuffler-{hop}", Mixed(hop, 3, 3, 3, {}, bytes(32))) for hop in (1, 2)]
DEEPLY, DEEP_OPENING = commit(DEEP, DEEP.digest(), KEPT, SeededEntropy(2))
LAST = [*HEARD, *AGAIN, (2, "curator", Tally((3,), {})), (2, "curator", DEEPLY)]
CALLED = (1, "curator", KIT.SINGLES)
FINAL = (3, "curator", replace(KIT.JOINT, round=3))
LATER = [(3, f"shuffler-{hop}", Mixed(hop, 3, 3, 3, {}, bytes(32))) for hop in (1, 2)]
RELEASED = (3, "analyst", Tally((3,), {}, RELEASE))

FEWER: tuple[Counts, ...] = ({("red", "no"): 2},)
PUBLIC = replace(TOLD, policy=AnnouncedPolicy(2, 0.5, publish_marginals=True))


def released(told: Announcement, decision: Decision) -> tuple[list[Step], OpenedCertificate]:
    """A decision, the round and the release that follow it, and what would open it."""
    committed, opening = commit(told, told.digest(), decision, SeededEntropy(3))
    call = replace(KIT.JOINT, hidden=decision.hidden)
    mixes = [(2, f"shuffler-{hop}", Mixed(hop, 3, 3, 3, {}, bytes(32))) for hop in (1, 2)]
    last = (2, "analyst", Tally((3,), {}, RELEASE))
    return [(1, "curator", committed), (2, "curator", call), *mixes, last], opening


BLANKS = replace(TOLD, program=Program.LOCAL_SUPPRESSION)
BLANKED = replace(KEPT, hidden=(Redact(0, ("blue",), 0),))
COVERED, BLANK_OPENING = released(BLANKS, BLANKED)
OTHERS = replace(TOLD, policy=AnnouncedPolicy(2, 0.5, setting=Setting.STATISTICAL, delta=0.1))
ASKED_OTHERS, OTHERS_OPENING = released(OTHERS, KEPT)

# what is wrong -> all posts that are right, and the one that must not come after them
REFUSED: dict[str, tuple[list[Post], Post]] = {
    "announcement-that-cites-another-registry": (
        [*opened(LISTED)[:4]],
        said("curator", 0, replace(LISTED, registry=bytes(32)), NONE),
    ),
    "announcement-that-cites-a-registry-that-begins-otherwise": (
        [*opened(LISTED)[:4]],
        said("curator", 0, replace(LISTED, registry=flipped(LISTED.registry, 0)), NONE),
    ),
    "announcement-that-cites-a-registry-that-ends-otherwise": (
        [*opened(LISTED)[:4]],
        said("curator", 0, replace(LISTED, registry=flipped(LISTED.registry, 31)), NONE),
    ),
    "announcement-that-cites-no-registry": ([*opened(LISTED)[:4]], said("curator", 0, TOLD, NONE)),
    "announcement-of-a-registry-nobody-posted": (
        [*opened(TOLD)[:3]],
        said("curator", 0, LISTED, NONE),
    ),
    "registry-twice": ([*opened(LISTED)[:4]], said("curator", 0, KEYS, NONE)),
    "decision-after-the-release": (
        opened(DEEP, *LAST, FINAL, *LATER, RELEASED),
        said("curator", 3, DEEPLY, DEEP.digest()),
    ),
    "certificate-of-fewer-people-than-were-counted": (
        opened(DEEP, *LAST, FINAL, *LATER, (3, "analyst", Tally((2,), {}, FEWER))),
        said("curator", 3, DEEP_OPENING, DEEP.digest()),
    ),
    "certificate-after-a-burn": (
        opened(DEEP, *LAST, FINAL, *LATER, RELEASED, (3, "curator", Burned("the sums differ"))),
        said("curator", 3, DEEP_OPENING, DEEP.digest()),
    ),
    "certificate-of-a-release-with-blanks": (
        opened(BLANKS, CALLED, *MIXED, COUNTED, *COVERED),
        said("curator", 2, BLANK_OPENING, BLANKS.digest()),
    ),
    "certificate-about-other-people": (
        opened(OTHERS, CALLED, *MIXED, COUNTED, *ASKED_OTHERS),
        said("curator", 2, OTHERS_OPENING, OTHERS.digest()),
    ),
    "decision-for-a-column-that-is-not-there-though-counts-are-public": (
        opened(PUBLIC, CALLED, *MIXED, (1, "curator", Tally((3, 3, 3), {}, MARGINALS))),
        said("curator", 1, replace(KEPT, kept=(0, 3)), PUBLIC.digest()),
    ),
    "commitment-though-counts-are-public": (
        opened(PUBLIC, CALLED, *MIXED, (1, "curator", Tally((3, 3, 3), {}, MARGINALS))),
        said("curator", 1, COMMITTED, PUBLIC.digest()),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_post_that_does_not_fit_what_stands_there_is_refused(name: str) -> None:
    right, (author, data) = REFUSED[name]
    board = replay(right)
    as_it_was = deepcopy(board)
    with pytest.raises(Refused, match="unexpected"):
        board.post(author, data)
    assert board == as_it_was


@pytest.mark.parametrize("told", [LISTED, DEEP], ids=["registry", "deep"])
def test_what_fits_is_accepted(told: Any) -> None:
    """Or the table above would refuse for another reason than it says."""
    whole = {
        LISTED: [CALLED, *MIXED, COUNTED],
        DEEP: [
            *(*LAST, FINAL, *LATER, RELEASED),
            *((3, "curator", DEEP_OPENING), (3, "curator", Closed())),
        ],
    }
    assert len(replay(opened(told, *whole[told])).tallies) == (3 if told is DEEP else 1)


def test_the_digest_does_not_depend_on_who_was_faster() -> None:
    order: Callable[..., Any] = lambda names: [STEPS[name] for name in names]  # noqa: E731
    boards = [
        replay([*order(keys), STEPS["announcement"], *order(consents)])
        for keys in permutations(("key-1", "key-2", "key-a"))
        for consents in permutations(("consent-1", "consent-2", "consent-a"))
    ]
    assert len({board.digest() for board in boards}) == 1
    assert len({board.head for board in boards}) == len(boards)


def test_the_digest_depends_on_everything_said() -> None:
    whole = replay(list(STEPS.values()))
    boards = [whole, *(before(step) for step in STEPS)]
    other = dict(STEPS) | {"tally-1": said("curator", 1, Tally((3, 3, 2), {}))}
    del other["certificate"]  # it is not opened where people left
    boards.append(replay(list(other.values())))
    assert len({board.digest() for board in boards}) == len(boards)
    assert len({board.head for board in boards}) == len(boards)


def test_a_replayed_board_is_the_same_board() -> None:
    board = replay(list(STEPS.values()))
    again = replay([(entry.author, entry.data) for entry in board.entries])
    assert again == board


def test_a_replay_stops_at_the_first_post_that_was_not_legal() -> None:
    posts = list(STEPS.values())
    with pytest.raises(Refused):
        replay([*posts[:8], *posts[9:]])


@pytest.mark.parametrize("name", ["", "boards", "user-0", "user-01", "shuffler-", "Curator", "x-1"])
def test_nobody_else_is_a_party(name: str) -> None:
    with pytest.raises(ParameterError, match="no party can be called"):
        Board().post(name, STEPS["key-1"][1])
