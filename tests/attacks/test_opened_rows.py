"""Rows that k people open: what reader and `randomness`, guessers and senders of junk achieve."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attack_kit as KIT
import pytest
from veilmix.crypto.threshold import Shape, spoiled
from veilmix.errors import ScenarioError
from veilmix.protocol.wire.hiding_rules import BLANK
from veilmix.roles.adversary_record import AdversaryRecord
from veilmix.scenarios.attacks.entries.guess_row import guesses
from veilmix.scenarios.attacks.faults import sharers
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.programs.threshold.score import OpenedRows
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify

HERE: Mapping[str, Any] = {"source": "titanic", "users": 60, "policy__kind": "threshold"}
K = 4


def attacked(*faults: KIT.Keys, prefixes: bool = True, k: int = K, **more: Any) -> Outcome:
    keys = {**HERE, "policy__k": k, "policy__max_exposure": 0.1, "policy__close": "none", **more}
    return KIT.attack(*faults, **keys, policy__prefixes=prefixes)


def closed_people(outcome: Outcome) -> int:
    assert outcome.release
    return sum(n for cell, n in outcome.release.items() if BLANK in cell)


@pytest.mark.parametrize("prefixes", [True, False])
def test_reader_and_randomness_read_every_row_that_stays_closed(prefixes: bool) -> None:
    outcome = attacked({"attack": "try-rows"}, prefixes=prefixes)
    assert closed_people(outcome) > 0
    assert KIT.effect(outcome).value == closed_people(outcome)
    assert KIT.effect(outcome).parties == ("analyst", "randomness")
    assert not outcome.alarms  # nobody can see it


@pytest.mark.parametrize("missing", ["analyst", "randomness"])
def test_one_of_them_alone_reads_none_of_these(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = AdversaryRecord.loot
    monkeypatch.setattr(
        AdversaryRecord,
        "loot",
        lambda adversary, board, who: whole(
            adversary, board, [party for party in who if party != missing]
        ),
    )
    assert KIT.effect(attacked({"attack": "try-rows"})).value == 0


@pytest.mark.parametrize("prefixes", [True, False])
def test_the_reader_sees_the_sizes_of_what_it_cannot_open(prefixes: bool) -> None:
    outcome = attacked({"attack": "count-closed"}, prefixes=prefixes)
    assert isinstance(outcome.findings, OpenedRows)
    assert KIT.effect(outcome).value == outcome.findings.closed_people == closed_people(outcome)


@pytest.mark.parametrize("guessing", [K - 1, 3 * (K - 1), 8 * (K - 1)])
def test_k_minus_1_copies_open_what_others_have_of_it(guessing: int) -> None:
    """Against arithmetic on the same rows: who is opened by guesses, and would not be without."""
    outcome = attacked({"attack": "guess-row", "users": guessing}, prefixes=False)
    assert outcome.transcript
    said = {sent.user: tuple(sent.answers[0][1]) for sent in outcome.transcript.sealed_answers}
    domains = [feature.values for feature in KIT.board_of(outcome).announcement.schema.features]  # type: ignore[union-attr]
    rows = list(guesses([values or () for values in domains]))[: guessing // (K - 1)]
    sent = Counter(said.values())
    mine = Counter(dict.fromkeys(rows, K - 1))
    others = sent - mine
    expected = sum(others[row] for row in rows if 0 < others[row] < K)
    assert KIT.effect(outcome).value == expected
    assert outcome.release
    for row in rows:
        assert (outcome.release.get(row, 0) > 0) == (others[row] > 0)


def test_too_few_copies_open_nothing() -> None:
    outcome = attacked({"attack": "guess-row", "users": K - 2}, prefixes=False)
    assert KIT.effect(outcome).value == 0


def test_junk_closes_nobodys_group_and_is_refused() -> None:
    outcome = attacked({"attack": "junk-share", "users": 12})
    assert KIT.effect(outcome).value == 0
    assert sum(outcome.refused.values()) == 12
    assert outcome.release
    assert sum(outcome.release.values()) == 60 - 12


def test_junk_would_close_groups_if_first_shares_were_trusted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the check of single shares a group whose first k do not fit stays closed."""
    from veilmix.crypto import threshold

    monkeypatch.setattr(threshold, "_right", lambda *_: [])
    assert KIT.effect(attacked({"attack": "junk-share", "users": 12})).value > 0


def broken(_shape: Shape, message: bytes) -> bytes:
    """A message of which nothing opens but the first level."""
    return message[:-1] + bytes([message[-1] ^ 1])


@pytest.mark.parametrize("prefixes", [True, False])
@pytest.mark.parametrize(("junk", "astray"), [(spoiled, 0), (broken, 12)])
def test_the_record_of_junk_says_what_its_reader_saw(
    prefixes: bool, junk: Any, astray: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A share of a group that stays closed is never held against anything, and counts."""
    monkeypatch.setattr(sharers, "spoiled", junk)
    outcome = attacked({"attack": "junk-share", "users": 12}, prefixes=prefixes)
    findings = outcome.findings
    assert isinstance(findings, OpenedRows)
    assert findings.astray == (astray if prefixes else 0)
    assert findings.closed_people + findings.astray == closed_people(outcome)
    assert [check for check in verify(read(save(outcome, tmp_path))) if check.ok is False] == []


@pytest.mark.parametrize("name", ["copy", "drop", "dictionary", "one-key"])
def test_attacks_on_other_programs_are_refused(name: str) -> None:
    with pytest.raises(ScenarioError, match=f"is not attacked by {name}.*guess-row"):
        KIT.scenario({"attack": name}, **HERE, policy__k=K, policy__max_exposure=0.1)


def test_attacks_on_opened_rows_are_refused_elsewhere() -> None:
    with pytest.raises(ScenarioError, match='kind = "threshold" has it'):
        KIT.scenario({"attack": "try-rows"})
