"""Certificates stay closed until the release of the same people; a false one burns the round."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.layer import seal_layer
from veilmix.crypto.padding import pad
from veilmix.crypto.suites import suite_by_code
from veilmix.protocol.board.board import Board
from veilmix.protocol.knowledge.run_record import RunRecord
from veilmix.protocol.knowledge.view import view
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Setting
from veilmix.protocol.wire.commitment import MIN_PLAINTEXT, SEALED_LABEL, commit
from veilmix.protocol.wire.messages import (
    Body,
    Call,
    CommittedDecision,
    Decision,
    Kind,
    OpenedCertificate,
)
from veilmix.protocol.wire.wire import Writer
from veilmix.roles.network.memory_network import Endpoint, Fault
from veilmix.roles.people import Row

ROWS = KIT.people(12)
Changed = Callable[[Board, CommittedDecision], CommittedDecision]


class Posting(Endpoint):
    """A curator that posts another commitment than it has made, or does not open it."""

    changed: Changed = staticmethod(lambda _board, said: said)
    silent = False

    async def post(self, body: Body) -> None:
        """Change what commits, leave out what opens."""
        if isinstance(body, CommittedDecision):
            body = self.changed(self.board, body)
        if isinstance(body, Call) and self.board.committed is not None:
            body = replace(body, asks=(self.board.committed.kept,))
        if not (self.silent and isinstance(body, OpenedCertificate)):
            await super().post(body)


def posting(changed: Changed | None = None, *, silent: bool = False) -> Fault:
    def seat(network: Any, party: str) -> Endpoint:
        place = Posting(network, party)
        place.silent = silent
        if changed is not None:
            place.changed = changed  # type: ignore[method-assign]
        return place

    return seat


def sealed_otherwise(board: Board, said: CommittedDecision) -> CommittedDecision:
    """A certificate that is not the one committed to, in the right place."""
    told = board.announcement
    assert told is not None
    public = Decision(said.kept, KIT.keep(0, 2)(told.schema, [[1]] * 3, said.n).certificate)
    _, opened = commit(told, board.session, public, SeededEntropy(9))
    out = Writer()
    opened.write(out)
    place = hashlib.sha256(SEALED_LABEL + board.session + said.digest).digest()
    padded, suite = pad(out.finish(), MIN_PLAINTEXT), suite_by_code(told.suite)
    return replace(said, sealed=seal_layer(suite, told.analyst, padded, place, SeededEntropy(8)))


def flipped(_: Board, said: CommittedDecision) -> CommittedDecision:
    return replace(said, sealed=said.sealed[:-1] + bytes([said.sealed[-1] ^ 1]))


FALSE: dict[str, tuple[Changed, str]] = {
    "nothing that opens": (flipped, "sealed no certificate that the analyst can read"),
    "another digest": (
        lambda _, said: replace(said, digest=bytes(32)),
        "sealed no certificate that the analyst can read",
    ),
    "another certificate": (sealed_otherwise, "committed to another certificate than it sealed"),
    "other columns": (
        lambda _, said: replace(said, kept=(0, 1)),
        "committed to another certificate than it sealed",
    ),
    "other people": (
        lambda _, said: replace(said, n=said.n + 1),
        f"is about {len(ROWS)} people and k = 2; posted and announced were {len(ROWS) + 1} people",
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_the_analyst_reads_nothing_of_a_false_commitment(name: str) -> None:
    changed, why = FALSE[name]
    run = KIT.run(ROWS, faults={"curator": posting(changed)})
    assert run.board.burned is not None
    assert why in run.board.burned
    assert len(run.board.tallies) == 1
    assert [read.reader for read in run.transcript.reads] == ["curator"]
    assert not run.board.opened


def test_a_certificate_that_promises_less_than_was_announced_is_refused() -> None:
    run = KIT.run(ROWS, policy=AnnouncedPolicy(2, 0.5, "coverage"))
    assert run.board.burned == (
        "curator's certificate lets 100 % of the people be exposed; at most 50 % was announced"
    )
    assert [read.reader for read in run.transcript.reads] == ["curator"]


# When it is opened


def opening(run: KIT.Run) -> list[Kind]:
    """The kinds of posts about the certificate."""
    about = (Kind.DECISION, Kind.COMMITTED, Kind.CERTIFICATE)
    return [entry.message.kind for entry in run.board.entries if entry.message.kind in about]


def test_it_is_opened_after_the_release_of_the_same_people() -> None:
    run = KIT.run(ROWS)
    assert opening(run) == [Kind.COMMITTED, Kind.CERTIFICATE]
    kinds = [entry.message.kind for entry in run.board.entries]
    assert kinds.index(Kind.CERTIFICATE) > len(kinds) - 1 - kinds[::-1].index(Kind.TALLY)
    assert run.board.decision == run.decision
    assert {seen.party for seen in run.transcript.certificates} == {"curator", "analyst"}
    assert len({seen.opened for seen in run.transcript.certificates}) == 1


CLOSED: dict[str, Mapping[str, Any]] = {
    "three people leave": {
        "faults": {f"user-{i}": KIT.fault("absent", [2]) for i in (1, 2, 3)},
    },
    "the session is burned": {"faults": {"user-1": KIT.fault("absent", [2])}},
    "the curator is silent": {"faults": {"curator": posting(silent=True)}},
    "other people answer round 2": {
        "policy": AnnouncedPolicy(2, 0.5, "fixed", setting=Setting.STATISTICAL, delta=0.1),
        "rounds": lambda index: (1 + index % 2,),
    },
}


@pytest.mark.parametrize("name", CLOSED)
def test_it_stays_closed(name: str) -> None:
    run = KIT.run(ROWS, **CLOSED[name])
    assert opening(run) == [Kind.COMMITTED]
    assert (run.board.burned is not None) == (name == "the session is burned")
    assert run.board.decision is not None
    assert run.board.decision.certificate.rule == "committed"
    assert run.decision is not None
    assert run.decision.certificate.rule == "fixed"


def test_where_counts_are_public_it_is_posted_with_the_decision() -> None:
    run = KIT.run(ROWS, policy=AnnouncedPolicy(2, 1.0, "fixed", publish_marginals=True))
    assert opening(run) == [Kind.DECISION]
    assert not run.transcript.certificates


def test_a_run_in_which_another_opening_was_recorded_has_the_public_decision() -> None:
    run = KIT.run(ROWS, **CLOSED["three people leave"])
    (seen,) = (seen for seen in run.transcript.certificates if seen.party == "curator")
    other = replace(seen, opened=replace(seen.opened, blind=bytes(32)))
    run.transcript.certificates[:] = [other]
    assert RunRecord(run.transcript, run.board).decision == run.board.decision


# What it tells


@pytest.mark.parametrize("rows", [ROWS, ROWS[:1] * len(ROWS)], ids=["rows", "all alike"])
def test_what_is_posted_of_a_burned_session_follows_from_the_columns(rows: Sequence[Row]) -> None:
    """Two sessions of other people, with other certificates, post the same but for random bytes."""
    said = []
    for share in (0.0, 0.25):
        gone = {"user-1": KIT.fault("absent", [2])}
        run = KIT.run(rows, decide=KIT.keep(0, 2, share=share), faults=gone)
        assert run.board.burned is not None
        assert run.board.committed is not None
        committed = run.board.committed
        said.append((replace(committed, digest=bytes(32), sealed=b""), len(committed.sealed)))
        assert run.board.decision is not None
        assert run.board.decision.certificate.people == len(rows)
    assert said[0] == said[1]


def test_only_curator_and_analyst_have_it() -> None:
    run = KIT.run(ROWS, **CLOSED["the session is burned"])
    for members in ((), ("network",), ("user-2",), ("shuffler-1",), ("shuffler-1", "user-2")):
        seen = view(run.transcript, members)
        assert seen.decision == run.board.decision
        assert not seen.certified
    for members in (("curator",), ("curator", "analyst"), ("shuffler-1", "curator")):
        seen = view(run.transcript, members)
        assert seen.decision == run.decision
        assert not seen.certified
    seen = view(run.transcript, ("analyst", "shuffler-1"))
    assert seen.decision == run.decision
    assert [counted.columns for counted in seen.certified] == [(0,), (2,)]
    assert [counted.people for counted in seen.certified] == [len(ROWS)] * 2
