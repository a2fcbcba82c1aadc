"""What the page says some eyes know is what Python says: every coalition, move by move."""

from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from typing import Any

import pytest
from veilmix.analysis.trust import cells_certain, received_reports, users_linked
from veilmix.protocol.board.board import replay
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.knowledge.view import View, ViewedRun, view
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.programs.capabilities import LocalNoise
from veilmix.scenarios.programs.registry import capability
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.explanation import why
from veilmix.scenarios.serialization.transcripts import ordered

ALL_AT_ONCE = """([coalitions, positions]) =>
    positions.map(at => coalitions.map(eyes => window.veilmix.knows(eyes, at)))"""


def prefix(transcript: Transcript, moves: Sequence[Mapping[str, Any]]) -> Transcript:
    """What has been recorded when these moves have been made."""
    what = [move["what"] for move in moves]
    told = {(move["person"], move["round"]) for move in moves if move.get("answers") is not None}
    counted = {(move["by"], move["round"]) for move in moves if move["what"] == "count"}
    return Transcript(
        transcript.users,
        transcript.summary,
        transcript.events[: sum(kind in ("post", "send", "batch") for kind in what)],
        sealed_answers=[
            made for made in transcript.sealed_answers if (made.user, made.round) in told
        ],
        reads=[read for read in transcript.reads if (read.reader, read.round) in counted],
        posts=transcript.posts[: what.count("post")],
    )


def plain(seen: View, outcome: Outcome) -> dict[str, Any]:
    """A view, as the page says it."""
    rows = {
        str(number): {str(who): dict(row) for who, row in people.items()}
        for number, people in seen.by_round.items()
    }
    if not capability(outcome.scenario, LocalNoise):
        certain = cells_certain(seen, outcome.sizes)
    else:
        certain = received_reports(seen, outcome.sizes, 0.0).cells_certain
    return {
        "linked": users_linked(seen),
        "certain": certain,
        "seen": len(seen.events),
        "pinned": {str(who): keyed(row) for who, row in seen.pinned.items()},
        "byRound": {
            number: {who: keyed(row) for who, row in people.items()}
            for number, people in rows.items()
        },
        "counted": [
            [
                count.round,
                list(count.columns),
                [[list(v), n] for v, n in sorted(count.counts.items())],
            ]
            for count in seen.counted
            if count.among is None  # crowds that audits tell apart: the page counts all together
        ],
        "opened": {str(number): list(some) for number, some in seen.opened.items()},
    }


def keyed(row: Mapping[int, str]) -> dict[str, str]:
    """A row as JSON has it."""
    return {str(column): value for column, value in row.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("classroom", "one-shuffler", "faulty", "statistical", "randomized", "sets"),
        "verified-once",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("audited", "audited-pairs", "verified", "verified-once-public")
        ),
    ],
)
def test_every_coalition_knows_what_the_view_says(name, shown, page_of, tab) -> None:
    run = shown(name)
    transcript, moves = ordered(run.outcome.transcript), run.data["moves"]
    parties = [*run.data["bill"]["parties"], "user-2", "user-7"]
    sizes = range(len(parties) + 1)
    coalitions = list(chain(*(combinations(parties, size) for size in sizes)))
    positions = sorted({*range(0, len(moves), 9), len(moves)})
    page = tab.open(page_of(name))
    rows = page.evaluate(ALL_AT_ONCE, [coalitions, positions])
    for position, row in zip(positions, rows, strict=True):
        until = prefix(transcript, moves[:position])
        for eyes, said in zip(coalitions, row, strict=True):
            right = plain(view(until, eyes), run.outcome)
            if not said.pop("sure"):  # then the page says `at least`
                assert said.pop("certain") <= right.pop("certain"), (position, eyes)
            assert said == right, (position, eyes)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["threshold", "threshold-whole"])
def test_where_rows_open_eyes_have_what_the_view_has(name, shown, page_of, tab) -> None:
    """Who follows a message that stays closed has nothing of it; its reader all that it opened."""
    run = shown(name)
    parties = [*run.data["bill"]["parties"], "user-2", "user-7"]
    coalitions = list(chain(*(combinations(parties, size) for size in range(len(parties) + 1))))
    end = len(run.data["moves"])
    (told,) = tab.open(page_of(name)).evaluate(ALL_AT_ONCE, [coalitions, [end]])
    linked = set()
    for eyes, said in zip(coalitions, told, strict=True):
        right = plain(view(run.outcome.transcript, eyes), run.outcome)
        del said["seen"], right["seen"]  # what people ask `randomness` is no move of the page
        if not said.pop("sure"):
            assert said.pop("certain") <= right.pop("certain"), eyes
        assert said == right, eyes
        linked.add(said["linked"])
    people = run.outcome.users
    assert max(linked) == people if name == "threshold" else 2 < max(linked) < people


@pytest.mark.slow
def test_the_panel_says_who_is_known_by_exclusion(shown, page_of, tab) -> None:
    for name, k in (("threshold", 3), ("threshold-whole", 2)):
        said = tab.open(page_of(name), "#at=999").inner_text("#decision")
        people = shown(name).outcome.findings.excluded
        known = f"{people} people are" if people else "nobody is"
        assert f"Known by exclusion: {known} in a crowd smaller than" in said
        assert f"smaller than\u00a0{k}" in said or f"smaller than {k}" in said


def test_the_faults_of_a_run_are_all_told(shown) -> None:
    moves = shown("faulty").data["moves"]
    faults = {(move["by"], move["fault"]) for move in moves if move.get("fault")}
    assert faults == {
        *(("user-5", "altered"), ("user-7", "repeated"), ("user-9", "late")),
        *(("user-5", "uninvited"), ("user-9", "uninvited")),
    }
    silent = {(move["by"], move["round"]) for move in moves if move["what"] == "silent"}
    assert {("user-2", 1), ("user-9", 1)} <= silent
    refused = sum(move["number"] for move in moves if move["what"] == "refuse")
    assert refused == sum(shown("faulty").outcome.refused.values()) > 0
    sent = [move for move in moves if move["what"] == "send"]
    blamed = [sent[i] for move in moves if move["what"] == "refuse" for i in move["envelopes"]]
    assert {(move["by"], move["fault"]) for move in blamed} == faults


@pytest.mark.slow
@pytest.mark.parametrize("name", ["classroom", "one-shuffler", "statistical", "audited"])
def test_a_way_has_the_reasons_of_show_why(name, shown, page_of, tab, tmp_path) -> None:
    """Rules, missing keys and ending, for every coalition: those of the derivation."""
    made = shown(name)
    kept = read(save(made.outcome, tmp_path))
    page = tab.open(page_of(name))
    parties = [*made.data["bill"]["parties"], "user-2"]
    total = len(made.data["moves"])
    for size in range(len(parties) + 1):
        for eyes in combinations(parties, size):
            for person in (1, 4):
                told = page.evaluate(
                    "([eyes, at, who]) => window.veilmix.way(eyes, at, who)", [eyes, total, person]
                )
                right = why(kept, eyes, f"user-{person + 1}")
                assert told["ending"] == right.ending, (eyes, person)
                assert told["missing"] == list(right.missing), (eyes, person)
                assert set(told["rules"]) == {step.rule for step in right.steps}, (eyes, person)


@pytest.mark.slow
def test_where_audits_opened_layers_nobody_hides_among_all(shown, page_of, tab) -> None:
    """The panel names the smallest crowd that a reader can count by itself, for each coalition."""
    run = shown("audited")
    transcript = run.outcome.transcript
    seen = ViewedRun(transcript, replay(transcript.posts))
    people = run.data["bill"]["people"]
    for eyes in ([], ["curator"], ["network"], ["curator", "network"], ["shuffler-1"]):
        page = tab.open(page_of("audited"), f"#eyes={'+'.join(eyes) or 'nobody'}&at=999")
        smallest = min(
            len(block)
            for number, call in seen.calls.items()
            for ask in range(len(call.asks))
            for block in seen.crowds_of(number, ask, frozenset(eyes)).blocks
        )
        assert 0 < smallest < people
        told = page.inner_text("#who")
        assert f"the smallest is of {smallest} of {people} people, or fewer" in told, eyes


@pytest.mark.slow
def test_without_audits_everybody_hides_among_all(shown, page_of, tab) -> None:
    assert shown("classroom").data["bill"]["people"] == 12
    page = tab.open(page_of("classroom"), "#eyes=curator&at=999")
    assert page.inner_text("#who") == "Everybody hides in a crowd of 12."
