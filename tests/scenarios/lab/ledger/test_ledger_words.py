"""The same column in other words is another release: an interval cut by another is a smaller one.

People who say "30 to 34" in one session and "32 to 36" in the next have said "32 to 34". So a
column that was made coarser is told again in the same words, or in coarser ones made of these.
"""

from collections.abc import Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import protocol_kit as KIT
import pytest
from hypothesis import given
from hypothesis import strategies as some
from ledger_kit import played
from veilmix.errors import DataError, RoundBurned
from veilmix.protocol.history.release_safety import implies
from veilmix.protocol.history.shuffler_history import History, hand_over
from veilmix.protocol.wire.coarsening import Bins, Fold, Merge, Part, Prefix, Rule, coarsened
from veilmix.protocol.wire.hiding_rules import Hiding, Mask, Redact, apply_rule
from veilmix.protocol.wire.messages import Call
from veilmix.protocol.wire.parties import Role, user
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.scenarios.lab.ledger.book import read
from veilmix.scenarios.lab.ledger.keep import check_suited
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import check
from veilmix.scenarios.schema.model import Scenario

COLUMNS = ("shoe", "sport", "town")
ALL = [
    (str(30 + i // 6), f"sport {i % 6}", "Ur" if i % 20 == 7 else f"town {i % 2}")
    for i in range(60)
]
WORDS = "made coarser by other rules"
FIVES: dict[str, Any] = {"name": "shoe", "bins": {"width": 5}}
SHIFTED: dict[str, Any] = {"name": "shoe", "bins": {"width": 5, "start": 2}}
EXACT: dict[str, Any] = {"name": "shoe"}


def scenario(source: Path | str, *features: dict[str, Any], **switches: Any) -> Scenario:
    """Release these features of a file's people; `population__users=6` is a key of [population]."""
    data: dict[str, Any] = {
        "scenario": {"name": "asked"},
        "population": {"source": str(source)},
        "policy": {"kind": "fixed", "k": 1, "max_exposure": 1.0},
        "feature": list(features),
    }
    data["policy"]["keep"] = [feature["name"] for feature in features]
    for key, value in switches.items():
        table, _, inner = key.partition("__")
        data.setdefault(table, {})[inner] = value
    made = msgspec.convert(data, Scenario)
    check(made)
    return made


def write(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    path.write_text("\n".join(",".join(row) for row in (COLUMNS, *rows)) + "\n")
    return path


def passes(book: Path, setting: Scenario) -> Outcome:
    outcome = played(book, setting)
    assert outcome.release is not None, outcome.burned
    return outcome


def refuses(book: Path, setting: Scenario, why: str) -> None:
    outcome = played(book, setting)
    assert outcome.release is None
    assert why in (outcome.burned or "")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "people.csv", ALL)


RARE: dict[str, Any] = {"name": "town", "merge_below": 10}
FINER = {
    "values after their intervals": (FIVES, EXACT),
    "intervals that begin elsewhere": (FIVES, SHIFTED),
    "smaller intervals": (FIVES, {"name": "shoe", "bins": {"width": 1, "start": 0.5}}),
    "rare values after (other)": (RARE, {"name": "town"}),
    "a column more, the first now exact": (FIVES, EXACT, {"name": "sport"}),
}


@pytest.mark.parametrize("name", FINER)
def test_finer_words_are_refused(name: str, book: Path, file: Path) -> None:
    first, *then = FINER[name]
    passes(book, scenario(file, first))
    refuses(book, scenario(file, *then), WORDS if len(then) == 1 else "1 columns more")


def test_the_same_and_coarser_words_pass(book: Path, file: Path) -> None:
    passes(book, scenario(file, EXACT, {"name": "town"}))
    passes(book, scenario(file, FIVES, {"name": "town"}))
    passes(book, scenario(file, SHIFTED))  # of what was said exactly, all follows
    other = write(file.parent / "other.csv", [(*row[:2], f"{row[2]} b") for row in ALL])
    both = scenario(other, FIVES, {"name": "town"})
    assert passes(book, both).release == passes(book, both).release
    named = {"name": "town", "merge": {"0 or 1": ["town 0 b", "town 1 b"]}}
    passes(book, scenario(other, FIVES, named))
    last = read(book)[-1].release
    assert last is not None
    assert [(coarsening.column, len(coarsening.rules)) for coarsening in last.coarser] == [
        ("shoe", 1),
        ("town", 1),
    ]
    assert "town" not in book.read_text().replace('"town"', "")  # no value of it


def test_blanks_among_coarser_values_are_not_named_by_finer_ones(book: Path, file: Path) -> None:
    less: dict[str, Any] = {"policy__kind": "local-suppression", "policy__k": 5, "policy__keep": []}
    passes(book, scenario(file, FIVES, {"name": "town"}, **less))
    refuses(book, scenario(file, {**FIVES, "merge": {"x": ["30", "31"]}}), WORDS)
    refuses(book, scenario(file, FIVES, {"name": "town", "fold": ["case"]}), "column town")


@pytest.mark.parametrize("finer", [EXACT, SHIFTED])
def test_published_counts_do_not_say_finer_values(
    finer: dict[str, Any], book: Path, file: Path
) -> None:
    passes(book, scenario(file, FIVES))
    shown: dict[str, Any] = {"policy__publish_marginals": True, "policy__keep": ["sport"]}
    sport = {"name": "sport"}
    refuses(book, scenario(file, finer, sport, **shown), "its counts would say finer values")


HOLES = [(*row[:2], "" if i in (5, 6, 7) else row[2]) for i, row in enumerate(ALL)]
TOWN = {"name": "town"}, {"name": "sport"}


def test_empty_cells_that_were_called_a_town_are_not_told_from_it(
    book: Path, tmp_path: Path
) -> None:
    """To read two cells as one value makes it coarser, as a rule does."""
    holes = write(tmp_path / "holes.csv", HOLES)
    passes(book, scenario(holes, *TOWN, population__missing="town 0"))
    refuses(book, scenario(holes, *TOWN), WORDS)
    refuses(book, scenario(holes, *TOWN, population__missing_texts=["Ur"]), WORDS)
    passes(book, scenario(holes, *TOWN, population__missing="town 0"))
    assert "Ur" not in book.read_text()


def test_what_is_read_apart_may_be_read_as_one_afterwards(book: Path, tmp_path: Path) -> None:
    holes = write(tmp_path / "holes.csv", HOLES)
    passes(book, scenario(holes, *TOWN))
    passes(book, scenario(holes, *TOWN, population__missing="nothing"))  # another word for it
    passes(book, scenario(holes, *TOWN, population__missing_texts=["Ur"]))


def test_a_policy_that_warns_bounds_both_and_claims_no_truth(book: Path, file: Path) -> None:
    """What both tell together is not in the table as it is said now."""
    passes(book, scenario(file, FIVES))
    account = played(book, scenario(file, EXACT, policy__ledger="warn")).ledger
    assert account is not None
    assert any(WORDS in line for line in account.warnings)
    assert account.union is not None
    assert account.union.true is None
    assert account.union.at_least <= account.union.at_most


def test_one_column_under_two_names_is_asked_for_once(file: Path) -> None:
    twice: dict[str, Any] = {"population__columns": {"low": "shoe", "high": "shoe"}}
    both = {**FIVES, "name": "low"}, {**SHIFTED, "name": "high"}
    with pytest.raises(DataError, match="low and high are one column of the source, shoe"):
        check_suited(scenario(file, *both, **twice), "real")
    check_suited(scenario(file, both[0], **twice), "real")


# Against all values: what is called told follows, value by value

DOMAIN = ("1", "2", "3", "4", "A", "a")
RULES: Sequence[tuple[Rule, ...]] = tuple(
    tuple(chain)
    for chain in (
        (),
        (Bins((2.0, 3.0)),),
        (Bins((3.0,)),),
        (Bins((2.0, 4.0)),),
        (Fold((Part.CASE,)),),
        (Fold((Part.CASE,)), Bins((3.0,))),
        (Fold((Part.CASE,)), Bins((3.0,)), Merge((("x", ("a", "below 3")),))),
        (Merge((("x", ("1", "A")),)),),
        (Merge((("x", ("1", "A")),)), Prefix(1)),
    )
)


def hidings(rules: Sequence[Rule]) -> list[Hiding | None]:
    """Every way to leave some of the coarser values unsaid, without coins."""
    said = sorted({coarsened(rules, value) for value in DOMAIN})
    half = tuple(said[: len(said) // 2]) or tuple(said)
    return [None, Mask(0, half), Redact(0, half, 0), Redact(0, (said[-1],), 0)]


def words(rules: Sequence[Rule], hiding: Hiding | None) -> list[str]:
    """What is said of every value of the domain."""
    coarse = [coarsened(rules, value) for value in DOMAIN]
    return coarse if hiding is None else [apply_rule(hiding, value, 1 << 31) for value in coarse]


def release(rules: Sequence[Rule], hiding: Hiding | None) -> Any:
    said = tuple(sorted({coarsened(rules, value) for value in DOMAIN}))
    schema = Schema((Feature("a", said, rules=tuple(rules)),))
    announced = KIT.session(1, schema=schema).announcement
    hidden = () if hiding is None else (hiding,)
    return hand_over(announced, Call(2, Role.ANALYST, ((0,),), hidden), ["p", "q"]).releases[0]


def test_what_counts_as_told_follows_value_by_value() -> None:
    """Of 36 x 36 pairs of words: wherever a release is let through, the earlier one tells it."""
    cases = [(rules, hiding) for rules in RULES for hiding in hidings(rules)]
    pairs = passed = 0
    for case, two in product(cases, repeat=2):
        pairs += 1
        if implies(release(*case), release(*two)):
            passed += 1
            follows = dict(zip(words(*case), words(*two), strict=True))
            assert [follows[said] for said in words(*case)] == words(*two), (case, two)
    assert pairs == 36**2
    assert passed > 100


@given(some.integers(0, 2**32 - 1))
def test_no_sequence_of_words_tells_finer_values(seed: int) -> None:
    """Of sessions of the same people, whatever passes: all together is no finer than one of them.

    Somebody who has it all knows of each person what it said each time.
    """
    rng, memory, heard = np.random.default_rng(seed), History(union=True), []
    for _ in range(6):
        rules = RULES[rng.integers(len(RULES))]
        said = tuple(sorted({coarsened(rules, value) for value in DOMAIN}))
        announced = KIT.session(1, schema=Schema((Feature("a", said, rules=rules),))).announcement
        call = partial(Call, asks=((0,),))
        people = set(map(user, range(4)))
        try:
            memory.hand_on(announced, call(1, Role.CURATOR), people, first=True)
            memory.hand_on(announced, call(2, Role.ANALYST), people, first=False)
        except RoundBurned:
            continue
        heard.append([coarsened(rules, value) for value in DOMAIN])
    together = len(set(zip(*heard, strict=True)))
    assert together == max(len(set(answers)) for answers in heard)
