"""What every party and coalition knows, against all labelled tables and all coins, one by one.

A few people play a scenario for real. `possibilities` then goes through everything that can have
been: every table of rows, every way their coins can have fallen, everybody who can have been away.
It keeps what agrees with what a coalition saw, and adds up. It shares no step with the inference.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations, product
from math import comb, fsum, log2, prod
from operator import contains
from pathlib import Path
from random import Random

import pytest
from veilmix.analysis.estimation.binomial_covers import cover
from veilmix.analysis.trust import inferred, received
from veilmix.analysis.trust.announced_rates import listed
from veilmix.protocol.knowledge.run_record import CountsSeen
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.knowledge.view import View
from veilmix.protocol.wire.hiding_rules import BLANK, Hiding, Redact, apply_rule
from veilmix.protocol.wire.messages import Decision, DecisionCertificate
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.programs.coalitions import coalitions
from veilmix.scenarios.programs.local_suppression.strategy import KIND
from veilmix.scenarios.records.run_folder import Run, read, save
from veilmix.scenarios.records.verification.views import record_of

Row = tuple[str, ...]
Table = tuple[Row, ...]
ALWAYS, NEVER = 0, (1 << 32) - 1  # draws of a person for a cover


@dataclass(frozen=True)
class State:
    """One person: its row, what it says in each round, how likely its coins were."""

    row: Row
    says: Mapping[int, Row]
    chance: float


@dataclass(frozen=True)
class Seen:
    """What a coalition saw, as facts that a possibility agrees with or not."""

    view: View
    domains: Sequence[Sequence[str]]
    rules: Mapping[int, Sequence[Hiding]]  # per round
    shares: Sequence[Mapping[str, float]] | None = None  # of values, where everybody knows them

    def before(self, row: Row) -> float:
        """How likely a row was before anything was seen."""
        if self.shares is None:
            return 1 / prod(len(domain) for domain in self.domains)
        return prod(law[text] for law, text in zip(self.shares, row, strict=True))

    def states(self) -> list[State]:
        """Everything that one person can hold, and how its coins can have fallen."""
        states = []
        for row in product(*self.domains):
            for coins in product((ALWAYS, NEVER), repeat=len(row)):
                chance, says = self.before(row), dict.fromkeys(self.rules, row)
                for number, rules in self.rules.items():
                    said = list(row)
                    for rule in rules:
                        rate = rule.rate if isinstance(rule, Redact) else 0.0
                        chance *= rate if coins[rule.column] == ALWAYS else 1 - rate
                        draw = coins[rule.column] if rate else NEVER
                        said[rule.column] = apply_rule(rule, row[rule.column], draw)
                    says[number] = tuple(said)
                used = {rule.column for rules in self.rules.values() for rule in rules}
                idle = any(coins[c] == ALWAYS for c in range(len(row)) if c not in used)
                if chance and not idle:
                    states.append(State(row, says, chance))
        return states

    def fits(self, person: int, state: State) -> bool:
        """Whether a person can be in a state, by what was pinned on it."""
        return all(
            state.says[number][column] == text
            for number, rows in self.view.by_round.items()
            for column, text in rows.get(person, {}).items()
        )

    def presences(self) -> list[tuple[frozenset[str], ...]]:
        """The ways in which people can have come: whom nobody saw may have come for each other."""
        view = self.view
        came = [
            frozenset(str(key) for key, some in view.respondents.items() if person in some)
            for person in range(view.users)
        ]
        told_apart = view.sees_who or not view.fixed
        pinned = {person for rows in view.by_round.values() for person in rows}
        free = [p for p in range(view.users) if not told_apart and p not in pinned]
        ways = set()
        for order in permutations(free):
            way = list(came)
            for place, person in zip(free, order, strict=True):
                way[place] = came[person]
            ways.add(tuple(way))
        return sorted(ways, key=str)

    def agrees(self, states: Sequence[State], came: Sequence[frozenset[str]]) -> bool:
        """Whether the counts come out, and the covers that were announced."""
        for seen in self.view.counted:
            key = str((seen.round, seen.columns))
            counted = Counter(
                tuple(state.says[seen.round][column] for column in seen.columns)
                for state, here in zip(states, came, strict=True)
                if key in here
            )
            if counted != Counter({cell: n for cell, n in seen.counts.items() if n}):
                return False
        return all(self._announced(rule, states, came) for rule in self._covers())

    def _covers(self) -> Iterator[Redact]:
        hidden = self.view.decision.hidden if self.view.decision else ()
        return (rule for rule in hidden if isinstance(rule, Redact) and rule.cover)

    def _announced(
        self, rule: Redact, states: Sequence[State], came: Sequence[frozenset[str]]
    ) -> bool:
        """Whether the curator would have announced this cover of a column."""
        assert self.view.decision is not None
        proof = self.view.decision.certificate
        key = str((1, (rule.column,)))
        listed = sum(
            state.row[rule.column] in rule.values and key in here
            for state, here in zip(states, came, strict=True)
        )
        delta = (proof.slack or 0) / len(self.domains) / 2
        return cover(listed, proof.n - listed, proof.k, delta) == rule.cover


def possibilities(seen: Seen) -> tuple[dict[Table, float], list[Counter[Row]]]:
    """The probability of every labelled table, and of every row of every person."""
    every = seen.states()
    choices = [
        [state for state in every if seen.fits(person, state)] for person in range(seen.view.users)
    ]
    tables: dict[Table, float] = defaultdict(float)
    for came in seen.presences():
        for states in product(*choices):
            if seen.agrees(states, came):
                chance = 1.0
                for state in states:
                    chance *= state.chance
                tables[tuple(state.row for state in states)] += chance
    whole = fsum(tables.values())
    shares = {table: chance / whole for table, chance in tables.items()}
    rows = [Counter[Row]() for _ in range(seen.view.users)]
    for table, share in shares.items():
        for person, row in enumerate(table):
            rows[person][row] += share
    return shares, rows


def with_certified(seen: Seen) -> Seen:
    """The same view, in which the counts behind the certificate have been read."""
    view = seen.view
    read = replace(view, counted=(*view.counted, *view.certified), certified=())
    return replace(seen, view=read)


def check(seen: Seen) -> None:
    """Compare all that is said of a coalition with all that can have been.

    Who holds a certificate alone is told as if it had the counts from which that follows.
    """
    sizes = [len(domain) for domain in seen.domains]
    told = received(seen.view, sizes, prior=seen.shares)
    if told.method == "at most":
        seen = with_certified(seen)
        read = received(seen.view, sizes, prior=seen.shares)
        assert told.bits >= read.bits
        told = replace(
            told, bits=read.bits, exact=read.exact, at_most=read.at_most, method=read.method
        )
        assert told == read
    view = seen.view
    tables, rows = possibilities(seen)
    known, posterior = inferred(view, sizes, prior=seen.shares)
    for person, held in enumerate(rows):
        crowd = next(i for i, people in enumerate(known.members) if person in people)
        for row, share in held.items():
            if told.method == "exact" and all(map(contains, known.codes, row)):
                coded = known.row(dict(enumerate(row)))
                assert posterior.probability(crowd, coded) == pytest.approx(share, abs=1e-9)
    cells = range(len(sizes))
    certain = sum(
        len({row[c] for row, p in held.items() if p}) == 1 for held in rows for c in cells
    )
    bits = fsum(p * log2(p / prod(map(seen.before, table))) for table, p in tables.items())
    guessed = fsum(max(held.values()) for held in rows)
    values = [
        max(fsum(p for row, p in held.items() if row[c] == text) for text in seen.domains[c])
        for held in rows
        for c in cells
    ]
    if told.method == "exact":
        assert told.cells_certain == certain
        assert told.rows_guessed == pytest.approx(guessed, abs=1e-9)
        assert told.cells_guessed == pytest.approx(fsum(values), abs=1e-9)
    else:
        assert told.cells_certain <= certain
        assert (told.rows_guessed or 0) <= guessed + 1e-9
        assert (told.cells_guessed or 0) <= fsum(values) + 1e-9
    match told.bits_are:
        case "exact":
            assert told.bits == pytest.approx(bits, abs=1e-9)
        case "at most":
            assert told.bits >= bits - 1e-9
        case "at least":
            assert told.bits <= bits + 1e-9


MIX = "shufflers = 1\nmin_batch = 2\n[defence]\nmin_dropout = 1\n"
AWAY = '[[fault]]\nattack = "absent"\nround = 2\nusers = {}\n'
OTHERS = (
    *(("network",), ("curator", "network"), ("analyst", "network"), ("user-1",)),
    *(("curator", "user-1"), ("analyst", "user-1"), ("analyst", "network", "user-2")),
    ("curator", "shuffler-1", "user-1"),
)
CASES = {  # name: policy, what follows it, line of [population], values a column, seeds
    "two rounds": ('kind = "exposure"', "", "", 2, range(4)),
    "marginals published": ('kind = "exposure"\npublish_marginals = true', "", "", 2, range(4)),
    "two left": ('kind = "exposure"', AWAY.format(2), "", 2, range(4)),
    "others in round 2": ('kind = "exposure"', "", 'setting = "statistical"', 2, range(4)),
    "covers": ('kind = "local-suppression"\ndelta = 0.3', "", "", 2, range(3)),
    "covers of three": ('kind = "local-suppression"\ndelta = 0.3\nk = 3', "", "", 2, range(4)),
    "covers and leavers": (
        'kind = "local-suppression"\ndelta = 0.3',
        AWAY.format(1),
        "",
        2,
        range(3),
    ),
    "masks": ('kind = "hierarchical"', "", "", 3, range(2)),
    "masks and leavers": ('kind = "hierarchical"', AWAY.format(1), "", 3, range(1)),
}


def shares(domain: Sequence[str]) -> dict[str, float]:
    """What everybody knows of a column: the first values are the commoner."""
    weights = dict(zip(domain, (6, 3, 1), strict=False))
    return {text: weight / sum(weights.values()) for text, weight in weights.items()}


def written(folder: Path, policy: str, mix: str, line: str, size: int, seed: int) -> Path:
    """Write a scenario of four people and two columns, the commoner values more often."""
    rng = Random(seed)
    domain = ("n", "y", "z")[:size]
    rows = [rng.choices(domain, (5, 2, 1)[:size], k=2) for _ in range(4)]
    table = folder / "people.csv"
    table.write_text("A,B\n" + "".join(",".join(row) + "\n" for row in rows), "utf-8")
    values = ", ".join(f'"{text}"' for text in domain)
    features = "".join(f'[[feature]]\nname = "{column}"\nvalues = [{values}]\n' for column in "AB")
    limits = "max_exposure = 1.0\n" + ("" if "k = " in policy else "k = 2\n")
    scenario = folder / "small.toml"
    scenario.write_text(
        f'[scenario]\nname = "small"\n[population]\nsource = "{table}"\n{line}\n'
        f"{features}[policy]\n{policy}\n{limits}[mix]\n{mix}",
        "utf-8",
    )
    return scenario


def played(folder: Path, name: str, seed: int) -> tuple[Run, Sequence[Sequence[str]]]:
    """Play one case for real."""
    policy, after, line, size, _ = CASES[name]
    scenario = written(folder, policy, MIX + after, line, size, seed)
    outcome = run(scenario, seed, worst_case_nodes=0)
    return read(save(outcome, folder / "runs")), [("n", "y", "z")[:size]] * 2


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_is_said_to_be_known_is_all_that_is_known(name: str, tmp_path: Path) -> None:
    for seed in CASES[name][-1]:
        played_, domains = played(tmp_path, name, seed)
        record = record_of(played_)
        rules = {call.round: call.hidden for call in record.board.calls}
        done = set()
        for members in (*coalitions(played_.scenario), *OTHERS):
            view = record.view(members)
            if view.knows not in done:
                done.add(view.knows)
                check(Seen(view, domains, rules))
                check(Seen(view, domains, rules, [shares(domain) for domain in domains]))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_an_ideal_run_knows_the_same(name: str, tmp_path: Path) -> None:
    """Where single people are not recorded, as much is worked out of the numbers alone."""
    for seed in CASES[name][-1]:
        real = played(tmp_path, name, seed)[0].result
        ideal = run(tmp_path / "small.toml", seed, "ideal", worst_case_nodes=0).result()
        for coalition, other in zip(real.coalitions, ideal["coalitions"], strict=True):
            assert list(coalition.parties) == other["parties"]
            for key in ("cells_certain", "bits_are", "method"):
                assert getattr(coalition, key) == other[key]
            for key in ("bits_per_person", "rows_guessed", "cells_guessed"):
                assert getattr(coalition, key) == pytest.approx(other[key], abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_peers_know_no_more_than_is_said(seed: int, tmp_path: Path) -> None:
    mix = "peers = true\npath = 2\ncover = 4\nmin_batch = 2"
    scenario = written(tmp_path, 'kind = "exposure"', mix, "", 2, seed)
    record = record_of(read(save(run(scenario, seed, worst_case_nodes=0), tmp_path / "runs")))
    for size in range(4):
        for members in combinations([f"peer-{number}" for number in range(1, 5)], size):
            check(Seen(record.view(members), [("n", "y")] * 2, {1: (), 2: ()}))


def six(*read: CountsSeen) -> View:
    """Six people, three with each A and one without Rh; everybody left Rh blank, as is announced.

    `read` is what was read beside the release.
    """
    parts = cover(1, 5, 6, 0.1 / 2 / 2)
    assert parts is not None
    rule = Redact(1, ("N",), parts)
    release = CountsSeen(2, (0, 1), {("N", BLANK): 3, ("Y", BLANK): 3}, (rule,))
    decision = Decision((0, 1), DecisionCertificate(KIND, 6, 6, 6, slack=0.1), (rule,))
    return View(
        *(frozenset(), 6, True, {}, (*read, release), {}, {}, Transcript(6, summary=True)),
        decision=decision,
    )


MARGINALS = (
    CountsSeen(1, (0,), {("N",): 3, ("Y",): 3}),
    CountsSeen(1, (1,), {("N",): 1, ("P",): 5}),
)


@pytest.mark.parametrize("read", [(), MARGINALS], ids=["the board", "the curator"])
def test_a_cover_says_how_many_are_covered(read: tuple[CountsSeen, ...]) -> None:
    """20 ways to have A three times each, 6 for who lacks Rh, out of 4^6: and no coin counts."""
    knowledge = received(six(*read), (2, 2))
    assert knowledge.bits_are == knowledge.method == "exact"
    assert knowledge.bits == pytest.approx(12 - log2(20 * 6))
    assert knowledge.bits_per_person == pytest.approx(0.849, abs=5e-4)
    assert knowledge.cells_guessed == pytest.approx(3 + 5)
    _, inferred_ = inferred(six(*read), (2, 2))
    assert inferred_.best_value(0, 1) == pytest.approx(5 / 6)


@pytest.mark.parametrize("k", [2, 5, 10])
@pytest.mark.parametrize("people", [12, 30, 1000])
def test_every_rate_is_that_of_one_number(k: int, people: int) -> None:
    for r in range(k):
        parts = cover(r, people - r, k, 0.0125)
        assert parts is not None
        assert listed(parts, people, k, 0.0125) == [r]
    assert listed(12345, people, k, 0.0125) == []


def test_one_of_a_thousand_is_covered_in_closed_form() -> None:
    """Exact bits of many people, between what the blanks say alone and that and every coin."""
    parts = cover(3, 997, 10, 0.0125)
    assert parts is not None
    rule = Redact(1, ("N",), parts)
    said = {("N", "P"): 490, ("Y", "P"): 495, ("N", BLANK): 9, ("Y", BLANK): 6}
    view = View(
        *(frozenset(), 1000, True, {}, (CountsSeen(2, (0, 1), said, (rule,)),), {}, {}),
        Transcript(1000, summary=True),
        decision=Decision((0, 1), DecisionCertificate(KIND, 10, 1000, 1000, slack=0.05), (rule,)),
    )
    knowledge = received(view, (2, 2))
    assert knowledge.bits_are == "exact"
    marginals = 2000 - log2(comb(1000, 499)) - log2(comb(1000, 3))
    assert marginals < knowledge.bits < marginals + log2(comb(15, 3))
    assert knowledge.worst_value is None
    _, posterior = inferred(view, (2, 2))
    assert posterior.values(0, 1)[0] == pytest.approx(0.003)
