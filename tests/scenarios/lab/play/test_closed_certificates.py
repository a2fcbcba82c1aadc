"""What a decision tells is the columns kept, until the release of the same people says the rest."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from veilmix.analysis.trust import received
from veilmix.analysis.trust.best_guesses import Method
from veilmix.protocol.knowledge.view import View, view
from veilmix.protocol.wire.messages import CommittedDecision, Decision, OpenedCertificate
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.records.run_folder import Run, read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Scenario

# 40 people; the coverage bound of these counts has the thresholds 12 and 20.
PEOPLE = [("a", "x")] * 12 + [("b", "x")] * 8 + [("b", "y")] * 20
RARE = [("a" if i < 3 else "b", b) for i, (_, b) in enumerate(PEOPLE)]  # a value of three people
TEN = [{"attack": "absent", "by": f"user-{i}", "round": 2} for i in range(1, 11)]
ONE = TEN[:1]
PARTIES = ("shuffler-1", "shuffler-2", "analyst", "curator")


def scenario(
    folder: Path, rows: Sequence[tuple[str, ...]] = PEOPLE, *faults: Any, policy: str = ""
) -> Scenario:
    """People with two columns, decided by the coverage bound; faults: who is absent."""
    text = "A,B\n" + "".join(",".join(row) + "\n" for row in rows)
    (folder / "people.csv").write_text(text, "utf-8")
    policy = policy or 'kind = "exposure"\nrule = "coverage"\nk = 5\nmax_exposure = 0.6'
    return loads(
        f'[scenario]\nname = "closed"\nseed = 3\n[population]\nsource = "people.csv"\n'
        f'[[feature]]\nname = "A"\nvalues = ["a", "b"]\n[[feature]]\nname = "B"\n'
        f'values = ["x", "y"]\n[policy]\n{policy}\n[defence]\nmin_dropout = 10\n'
        + "".join(
            f'[[fault]]\nattack = "{fault["attack"]}"\nby = "{fault["by"]}"\nround = 2\n'
            for fault in faults
        ),
        base=folder,
    )


def real(folder: Path, *faults: Any, rows: Any = PEOPLE, policy: str = "") -> Outcome:
    return run(scenario(folder, rows, *faults, policy=policy), worst_case_nodes=0)


def seen(outcome: Outcome, *members: str) -> View:
    assert outcome.transcript is not None
    return view(outcome.transcript, members)


def posted(outcome: Outcome) -> list[type]:
    """What the board says of the decision."""
    from veilmix.protocol.board.board import replay

    assert outcome.transcript is not None
    about = (Decision, CommittedDecision, OpenedCertificate)
    entries = replay(outcome.transcript.posts).entries
    return [type(entry.message.body) for entry in entries if isinstance(entry.message.body, about)]


def test_ten_people_who_left_are_not_told_by_thresholds(tmp_path: Path) -> None:
    """Before, they told the first shuffler, who sees who left, the values of all ten."""
    outcome = real(tmp_path, *TEN)
    assert outcome.decision is not None
    assert outcome.decision.certificate.thresholds == (12.0, 20.0)
    assert outcome.released
    assert posted(outcome) == [CommittedDecision]
    first = outcome.coalition("shuffler-1")
    assert first.cells_certain == 0
    assert seen(outcome, "shuffler-1").decision.certificate.thresholds == ()  # type: ignore[union-attr]
    told = outcome.coalition("analyst", "shuffler-1")
    assert told.bits > first.bits
    assert (told.method, told.at_most) == (Method.AT_MOST, True)


def test_a_session_that_is_burned_after_its_decision_tells_the_columns_alone(
    tmp_path: Path,
) -> None:
    """Anybody can cause it: one person stays away."""
    outcome = real(tmp_path, *ONE)
    assert outcome.burned is not None
    assert posted(outcome) == [CommittedDecision]
    for members in ((), ("shuffler-1",), ("shuffler-1", "shuffler-2", "network")):
        assert received(seen(outcome, *members), (2, 2)).bits == 0
    assert received(seen(outcome, "curator"), (2, 2)).bits > 0
    told = received(seen(outcome, "analyst"), (2, 2))
    assert (told.method, told.bits) == (
        Method.AT_MOST,
        pytest.approx(received(seen(outcome, "curator"), (2, 2)).bits),
    )


# What every program posts


CLOSED, OPENED = [CommittedDecision], [CommittedDecision, OpenedCertificate]
POSTS: dict[str, tuple[str, list[type]]] = {
    "exposure": ('kind = "exposure"\nk = 5\nmax_exposure = 0.6', OPENED),
    "nothing safe": ('kind = "exposure"\nk = 40\nmax_exposure = 0.0', CLOSED),
    "all": ('kind = "all"\nk = 5', OPENED),
    "fixed": ('kind = "fixed"\nk = 5\nkeep = ["B"]', OPENED),
    "pairs": ('kind = "pairs"\nk = 5\nmax_exposure = 0.6', OPENED),
    "informative": ('kind = "informative"\nk = 5\nmax_exposure = 0.6', OPENED),
    "hierarchical": ('kind = "hierarchical"\nk = 5\nmax_exposure = 0.6', OPENED),
    "hierarchical, best": (
        'kind = "hierarchical"\nask = "best"\nk = 5\nmax_exposure = 0.6',
        OPENED,
    ),
    "without blanks": ('kind = "local-suppression"\nk = 5\nmax_exposure = 0.6', OPENED),
    "with blanks": ('kind = "local-suppression"\nk = 5\nmax_exposure = 0.6\ndelta = 0.1', CLOSED),
    "threshold": ('kind = "threshold"\nk = 5', [Decision]),
    "published": (
        'kind = "exposure"\nk = 5\nmax_exposure = 0.6\npublish_marginals = true',
        [Decision],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", POSTS)
def test_programs_post_the_columns_and_open_the_rest_with_the_release(
    name: str, tmp_path: Path
) -> None:
    policy, kinds = POSTS[name]
    rows = RARE if name == "with blanks" else PEOPLE
    outcome = real(tmp_path, rows=rows, policy=policy)
    assert outcome.burned is None
    assert posted(outcome) == kinds
    checks = verify(read(save(outcome, tmp_path / "kept")), wants_replay=False)
    assert [check for check in checks if check.ok is False] == []
    again = real(tmp_path, rows=rows, policy=policy)
    assert again.digest == outcome.digest


# What verify says


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("closed")
    return save(real(place), place / "kept")


def judged(kept: Run) -> str:
    (check,) = (check for check in verify(kept, wants_replay=False) if check.name == "decision")
    return "" if check.ok else check.detail


def otherwise(party: str) -> Callable[[Run], None]:
    def change(kept: Run) -> None:
        assert kept.transcript is not None
        seen = kept.transcript.certificates
        at = [each.party for each in seen].index(party)
        other = replace(seen[at].opened, blind=bytes(32))
        seen[at] = replace(seen[at], opened=other)

    return change


def without(*parties: str) -> Callable[[Run], None]:
    def change(kept: Run) -> None:
        assert kept.transcript is not None
        seen = kept.transcript.certificates
        seen[:] = [each for each in seen if each.party not in parties]

    return change


def renamed(kept: Run) -> None:
    assert kept.transcript is not None
    seen = kept.transcript.certificates
    seen[:] = [
        replace(each, party="shuffler-1") if each.party == "analyst" else each for each in seen
    ]


LIES: dict[str, tuple[Callable[[Run], None], str]] = {
    "an opening of the curator": (otherwise("curator"), "curator has another certificate"),
    "an opening of the analyst": (
        otherwise("analyst"),
        "analyst has a certificate that does not",
    ),
    "no opening": (without("analyst", "curator"), "must hold the certificate"),
    "no opening of the curator": (without("curator"), "must hold the certificate"),
    "no opening of the analyst, who released": (without("analyst"), "must hold the certificate"),
    "an opening of another party": (renamed, "must hold the certificate"),
}


@pytest.mark.parametrize("name", LIES)
def test_verify_finds_an_opening_that_is_not_what_was_committed_to(name: str, folder: Path) -> None:
    change, why = LIES[name]
    kept = read(folder)
    assert judged(kept) == ""
    change(kept)
    assert why in judged(kept)
