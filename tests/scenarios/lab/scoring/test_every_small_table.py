"""What is said to be known, for every kind of policy, against Bayes' rule written out by hand.

Four people, two yes-or-no columns: 35 tables but for the order of their people, 256 of who has
which row. Nobody, one or two leave before round 2. From what is said and counted alone, without a
step of the inference: how likely every one of the 256 makes what a party saw, and so how likely it
is itself. `VEILMIX_TABLES=1` goes through every table; of 10,625 views none was told otherwise, and
in 2,774, where covers are drawn, bits are an upper bound.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, combinations_with_replacement, islice, product
from math import fsum, log2, prod
from pathlib import Path
from typing import Any

import msgspec
import pytest
from veilmix.analysis.estimation.binomial_covers import cover
from veilmix.analysis.trust import Received
from veilmix.protocol.wire.hiding_rules import BLANK, OTHER_VALUE, Hiding, Mask, Redact
from veilmix.protocol.wire.parties import Role
from veilmix.scenarios.lab.play import run as playing
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import check
from veilmix.scenarios.programs.interface import Played
from veilmix.scenarios.schema.model import Scenario

STEP = int(os.environ.get("VEILMIX_TABLES", "11"))  # every so many of the tables
N, VALUES = 4, ("n", "y")
ROWS = list(product(VALUES, repeat=2))
TABLES = list(product(ROWS, repeat=N))
Row = tuple[str, ...]
POLICIES: dict[str, dict[str, Any]] = {
    "exposure": {"kind": "exposure"},
    "marginals published": {"kind": "exposure", "publish_marginals": True},
    "all": {"kind": "all"},
    "fixed": {"kind": "fixed", "keep": ["B"]},
    "pairs": {"kind": "pairs"},
    "informative": {"kind": "informative"},
    "hierarchical": {"kind": "hierarchical"},
    "hierarchical, limited": {"kind": "hierarchical", "curator_exposure": 0.5},
    "hierarchical, published": {"kind": "hierarchical", "publish_marginals": True},
    "local-suppression": {"kind": "local-suppression", "delta": 0.3},
    "local-suppression, k = 3": {"kind": "local-suppression", "delta": 0.3, "k": 3},
    "local-suppression, published": {
        "kind": "local-suppression",
        "delta": 0.3,
        "publish_marginals": True,
    },
}
GONE = ((), (1,), (0, 3))  # who stays away in round 2
COALITIONS = (
    *(("analyst",), ("curator",), ("network",), ("shuffler-1",)),
    *(("curator", "shuffler-1"), ("analyst", "network")),
)


def scenario(file: Path, rows: Sequence[Row], gone: Sequence[int], policy: Any) -> Scenario:
    file.write_text("A,B\n" + "".join(",".join(row) + "\n" for row in rows))
    data = {
        "scenario": {"name": "small"},
        "population": {"source": str(file)},
        "feature": [{"name": name, "values": list(VALUES)} for name in "AB"],
        "policy": {"k": 2, "max_exposure": 1.0, **policy},
        "mix": {"shufflers": 2, "min_batch": 2},
        "defence": {"min_dropout": 1},
        "fault": [{"attack": "absent", "by": f"user-{i + 1}", "round": 2} for i in gone],
        "coalition": [{"name": "-".join(some), "parties": list(some)} for some in COALITIONS],
    }
    made = msgspec.convert(data, Scenario)
    check(made)
    return made


def said(rule: Hiding | None, value: str) -> list[tuple[str, float]]:
    """What is said instead of a value, and how likely that is."""
    match rule:
        case Mask(named_values=named) if value not in named:
            return [(OTHER_VALUE, 1.0)]
        case Redact(values=blank) if value in blank:
            return [(BLANK, 1.0)]
        case Redact(cover=parts) if parts:
            return [(BLANK, rule.rate), (value, 1 - rule.rate)]
    return [(value, 1.0)]


@cache
def likely(
    rows: tuple[Row, ...],
    asked: tuple[int, ...],
    hidden: tuple[Hiding, ...],
    counts: tuple[tuple[Row, int], ...],
) -> float:
    """How likely these people make these counts: person by person, over all coins."""
    rules = {rule.column: rule for rule in hidden}
    cells = [cell for cell, people in counts if people]
    made = {tuple(0 for _ in cells): 1.0}
    for row in rows:
        more: Counter[tuple[int, ...]] = Counter()
        for pairs in product(*(said(rules.get(column), row[column]) for column in asked)):
            cell = tuple(text for text, _ in pairs)
            if cell in cells:
                place, chance = cells.index(cell), prod(share for _, share in pairs)
                for so_far, before in made.items():
                    now = (*so_far[:place], so_far[place] + 1, *so_far[place + 1 :])
                    more[now] += before * chance  # type: ignore[assignment]
        made = dict(more)
    return made.get(tuple(people for _, people in counts if people), 0.0)


@dataclass(frozen=True)
class Seen:
    """What was counted, and what a coalition saw of it.

    Attributes:
        certified: it is taken to have the counts from which its certificate follows.
    """

    played: Played
    gone: Sequence[int]
    members: Sequence[str]
    published: bool
    certified: bool = False

    @property
    def curious(self) -> bool:
        """Whether it has what the curator counts."""
        return self.published or "curator" in self.members

    @property
    def released(self) -> set[int]:
        """The columns that a certificate is about."""
        return set(self.played.decision.kept) if self.played.decision else set()

    def chance(self, table: Sequence[Row]) -> float:
        """How likely a table makes it; whoever was seen by nobody may have left for another."""
        if not self.announced(table):
            return 0.0
        watching = not {"network", "shuffler-1"}.isdisjoint(self.members)
        stayed = [tuple(i for i in range(N) if i not in self.gone)]
        if not watching:
            stayed = list(combinations(range(N), N - len(self.gone)))
        return fsum(self.counted([table[i] for i in here], table) for here in stayed) / len(stayed)

    def counted(self, here: Sequence[Row], table: Sequence[Row]) -> float:
        likelihood, kept = 1.0, self.released
        for call, tallies in zip(self.played.calls, self.played.tallies, strict=False):
            unread = call.reader is Role.CURATOR and not self.curious
            told = tuple(sorted(table if call.round == 1 else here))  # whoever says what
            for asked, counts in zip(call.asks, tallies, strict=True):
                if unread and not (self.certified and kept.issuperset(asked)):
                    continue
                likelihood *= likely(told, tuple(asked), tuple(call.hidden), tuple(counts.items()))
        return likelihood

    def announced(self, table: Sequence[Row]) -> bool:
        """Whether its covers would have been announced: each is that of one number of people."""
        decision = self.played.decision
        for rule in decision.hidden if decision else ():
            if isinstance(rule, Redact) and rule.cover and decision:
                proof = decision.certificate
                listed = sum(row[rule.column] in rule.values for row in table)
                delta = (proof.slack or 0) / 2 / 2
                if cover(listed, proof.n - listed, proof.k, delta) != rule.cover:
                    return False
        return True


def judge(seen: Seen, told: Received) -> None:
    """Compare what is told of a coalition with the posterior of all tables.

    Who holds a certificate alone is told as if it had the counts from which that follows.
    """
    assert told.method in ("exact", "at most")
    if told.method == "at most":
        assert "analyst" in seen.members
        assert not seen.curious
        seen = replace(seen, certified=True)
    weights = {table: chance for table in TABLES if (chance := seen.chance(table))}
    whole = fsum(weights.values())
    shares = {table: chance / whole for table, chance in weights.items()}
    rows: list[Counter[Row]] = [Counter() for _ in range(N)]
    for table, share in shares.items():
        for person, row in enumerate(table):
            rows[person][row] += share  # type: ignore[assignment]
    cells = [
        [fsum(share for row, share in held.items() if row[c] == text) for text in VALUES]
        for held in rows
        for c in range(2)
    ]
    bits = fsum(share * log2(share * len(TABLES)) for share in shares.values())
    if told.bits_are == "exact":
        assert told.bits == pytest.approx(bits, abs=1e-6)
    else:
        assert told.bits_are == "at most"
        assert told.bits >= bits - 1e-9
    assert told.rows_guessed == pytest.approx(sum(max(held.values()) for held in rows))
    assert told.cells_guessed == pytest.approx(sum(map(max, cells)))
    assert told.cells_certain == sum(0.0 in cell for cell in cells)


def cases(name: str) -> Iterator[tuple[int, Sequence[int], Sequence[Row]]]:
    """Every table and everybody who leaves, or some of them."""
    every = product(GONE, combinations_with_replacement(ROWS, N))
    for number, (gone, rows) in enumerate(islice(every, len(name) % STEP, None, STEP)):
        yield number, gone, rows


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
def test_nobody_knows_more_or_less_than_is_said(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Played] = []
    scored = playing.outcome_of

    def noting(session: Any, *more: Any) -> Outcome:
        kept.append(session.played)
        return scored(session, *more)

    monkeypatch.setattr(playing, "outcome_of", noting)
    views = 0
    for number, gone, rows in cases(name):
        asked = scenario(tmp_path / "people.csv", rows, gone, POLICIES[name])
        outcome = playing.run(asked, number, "ideal", worst_case_nodes=0)
        for told in outcome.coalitions:
            if not told.linked:
                published = asked.policy.publish_marginals
                judge(Seen(kept[-1], gone, told.parties, published), told)
                views += 1
    assert views > 20
