"""Figures 8 and 9 of paper 003: the meaning of epsilon for re-identification.

PIE is the information, in bits, that a report contains about its sender; PSE is the part of PIE
that an attack obtains. The paper used check-ins (Foursquare); here the traces of places are
generated, with Zipf popularity and Markov habits. Each person reports one randomized place; the
attacker is trained on older places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from ...errors import ParameterError
from ..randomizers import GRR, LocalHash
from ..reidentification import (
    bayes_error,
    fano_bound,
    hashed_risk,
    pie,
    pie_bound,
    smallest_error,
    uniform_prior_error,
)
from ..reidentification.attacks.error_tradeoff import people_within
from ..reidentification.attacks.markov import ReportAttack
from ..reidentification.attacks.matching import partial_knowledge
from ..reidentification.attacks.sequences import Sequences
from ..reidentification.attacks.synthetic_traces import markov_traces
from ..reidentification.attacks.system_entropy import finite_information
from ..reidentification.pie_bounds import STRENGTHS
from ..validation import brief, whole
from .paper003_pie_drawings import Row, draw8, draw9
from .paper003_places import hash_values_of
from .parameters import Progress, positive_numbers, seed_of, stage_of
from .registry import Check, Material, Numbers, Redrawn


@dataclass(frozen=True, slots=True)
class TracePeople:
    """Sizes of generated traces: sequences of places with Zipf popularity and Markov habits.

    Attributes:
        people: number of people, with a trace each, >= 2.
        places: different places, >= 2.
        events: places in each trace, >= 2.
    """

    people: int = 1000
    places: int = 5000
    events: int = 200

    def __post_init__(self) -> None:
        """Raise ParameterError if a size is below 2."""
        for name in ("people", "places", "events"):
            whole(getattr(self, name), name, 2)


GENERATED = TracePeople()
HASHES = 1 << 14
LARGEST = 30.0  # largest epsilon in nats; above, rounding errors exceed the probability of a lie
KEYS = 16  # hash keys drawn to average the information in a local-hashing report about its sender
BUDGETS = (1.0, 4.0, 7.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 16.0, 20.0)


@dataclass(frozen=True, slots=True)
class ReportStudy:
    """The parameters of Figures 8 and 9: people, and the randomizers of their reports.

    Attributes:
        traces: places of each person; None: generated.
        generated: sizes of generated traces.
        hash_values: g, the number of hash values of local hashing.
        keys: number of hash keys that are drawn to compute the information in a report about its
            sender.
        epsilons: local epsilons, nats.
        seed: seed of traces, reports and keys.
        stage: called with a description of each stage of the computation.
    """

    traces: Sequences | None
    generated: TracePeople
    hash_values: int
    keys: int
    epsilons: tuple[float, ...]
    seed: int
    stage: Progress = field(compare=False)

    @property
    def people(self) -> int:
        """The number of people, with one report each."""
        return self.generated.people if self.traces is None else self.traces.people

    @property
    def places(self) -> int:
        """The number of different places that a person can report."""
        return self.generated.places if self.traces is None else self.traces.symbols

    @property
    def is_default(self) -> bool:
        """Whether all parameters but the seed have their defaults, so that checks apply."""
        arguments = (self.traces, self.generated, self.hash_values, self.keys, self.epsilons)
        return arguments == (None, GENERATED, HASHES, KEYS, BUDGETS)

    @property
    def words(self) -> str:
        """The number of people as text for a title, such as "1,000 generated people"."""
        return f"{self.people:,} {'generated ' if self.traces is None else ''}people"

    def randomizer(self, name: str, eps: float) -> GRR | LocalHash:
        """Return the randomizer with a name at an epsilon: GRR for "GRR", else local hashing.

        eps: local epsilon in nats.
        """
        grr = name == "GRR"
        return GRR(self.places, eps) if grr else LocalHash(self.places, self.hash_values, eps)


def report_information_figure(
    traces: Sequences | None = None,
    *,
    generated: TracePeople = GENERATED,
    hash_values: int = HASHES,
    keys: int = KEYS,
    epsilons: Sequence[float] = BUDGETS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Redrawn:
    """Return the information in one noisy report about its sender, and its bounds, by epsilon.

    Each person reports one place of the newer half of a trace, by GRR or by local hashing. The
    attacker has trained Markov chains on the older halves. PIE is the information, in bits, in the
    report about its sender; PSE is the part of PIE that the attacker obtains.

    Args:
        traces: places of each person in order of time, two or more; None: generated.
        generated: sizes of the generated traces.
        hash_values: number g of hash values of local hashing, a power of two from 2 to 2^30.
        keys: number of keys of local hashing that are drawn to compute its PIE, >= 2.
        epsilons: local epsilons in nats, > 0 and at most 30.
        seed: seed of traces, reports and keys, a whole number >= 0.
        progress: called with a description of each stage.

    Returns:
        The frame "figure8": for each randomizer and epsilon four bounds on the PIE, the PIE of
        these people, the PSE of the attack and its standard error, in bits. Checks only for the
        defaults with any seed.

    Raises:
        ParameterError: traces, sizes or numbers are out of range.

    Source:
        Paper 003, Figure 8, with Propositions 3.3 and 4.1 and Theorems 4.2 and 4.4.
    """
    study = _study(traces, generated, hash_values, keys, epsilons, seed, progress)
    rows = _measured(study)
    names = ("randomizer", "epsilon", *STRENGTHS, "pie", "pse", "pse_error")
    numbers = Numbers("figure8", names, [row[: len(names)] for row in rows])
    checks = _checks8(rows) if study.is_default else ()
    kind = "generated traces" if traces is None else "traces"
    return Redrawn("figure8", (numbers,), checks, lambda: draw8(rows, kind))


def identification_error_figure(
    traces: Sequences | None = None,
    *,
    generated: TracePeople = GENERATED,
    hash_values: int = HASHES,
    keys: int = KEYS,
    epsilons: Sequence[float] = BUDGETS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Redrawn:
    """Return the share of senders that an attacker names wrongly, and its lower bounds, by epsilon.

    Each person reports one place of the newer half of a trace, by GRR or by local hashing. The
    attacker has trained Markov chains on the older halves.

    Args:
        traces: places of each person in order of time, two or more; None: generated.
        generated: sizes of the generated traces.
        hash_values: number g of hash values of local hashing, a power of two from 2 to 2^30.
        keys: number of keys of local hashing that are drawn to compute its Bayes error, >= 2.
        epsilons: local epsilons in nats, > 0 and at most 30.
        seed: seed of traces, reports and keys, a whole number >= 0.
        progress: called with a description of each stage.

    Returns:
        The frame "figure9": for each randomizer and epsilon the error of the attack, the Bayes
        error, Fano's lower bound from each bound on the PIE (information in a report about its
        sender), and the least error of any attacker on any people, 0 to 1. Checks only for the
        defaults with any seed.

    Raises:
        ParameterError: traces, sizes or numbers are out of range.

    Source:
        Paper 003, Figure 9, with (9), (10) and (12); its axis says correct for incorrect.
    """
    study = _study(traces, generated, hash_values, keys, epsilons, seed, progress)
    rows, n = _measured(study), study.people
    bounds = (f"{strength}_bound" for strength in STRENGTHS)
    names = ("randomizer", "epsilon", "attack_error", "bayes_error", *bounds, "least_error")
    table = [
        (
            *row[:2], row[9], row[10], *(_fano(row[j], n) for j in range(2, 6)),
            smallest_error(study.randomizer(*row[:2]), n)[0],
        )
        for row in rows
    ]  # fmt: skip
    checks = _checks9(rows, table, n) if study.is_default else ()
    numbers = (Numbers("figure9", names, table),)
    return Redrawn("figure9", numbers, checks, lambda: draw9(table, study.words))


def figure8(material: Material) -> Redrawn:
    """Redraw Figure 8: the information in a report about its sender, with bounds, by epsilon."""
    return report_information_figure(
        generated=GENERATED, hash_values=HASHES, keys=KEYS, seed=material.seed,
        progress=material.progress,
    )  # fmt: skip


def figure9(material: Material) -> Redrawn:
    """Redraw Figure 9: the attacker's share of wrongly named senders, with lower bounds."""
    return identification_error_figure(
        generated=GENERATED, hash_values=HASHES, keys=KEYS, seed=material.seed,
        progress=material.progress,
    )  # fmt: skip


def _study(
    traces: Sequences | None,
    generated: TracePeople,
    hash_values: int,
    keys: int,
    epsilons: Sequence[float],
    seed: int,
    progress: Progress | None,
) -> ReportStudy:
    """Return the parameters of Figures 8 and 9, checked, as a `ReportStudy`."""
    if not isinstance(generated, TracePeople):
        raise ParameterError(f"generated: found {brief(generated)}; needs a TracePeople")
    if not (traces is None or isinstance(traces, Sequences)):
        raise ParameterError(f"traces: found {brief(traces)}; needs Sequences, or None")
    if traces is not None and min(traces.people, traces.symbols) < 2:
        raise ParameterError(
            f"traces: found {traces.people} people and {traces.symbols} places; needs at least two "
            "of both"
        )
    g, drawn = hash_values_of(hash_values), whole(keys, "keys", 2)
    levels = positive_numbers(epsilons, "epsilons", LARGEST)
    return ReportStudy(traces, generated, g, drawn, levels, seed_of(seed), stage_of(progress))


@lru_cache(maxsize=1)
def _measured(study: ReportStudy) -> list[Row]:
    """Return a row for each randomizer and epsilon, measured on the people of the study.

    A row holds: randomizer, epsilon, four bounds on PIE (the bits in a report about its sender),
    PIE, PSE (the part of PIE that the attack obtains), standard error of PSE, error of the attack,
    and Bayes error. Cached, because Figures 8 and 9 both use it.
    """
    rng, sizes = np.random.default_rng(study.seed), study.generated
    traces = study.traces or markov_traces(
        sizes.people, sizes.places, sizes.events, 12, 0.3, 0.4, rng=rng
    )
    training, newer = partial_knowledge(traces)
    joint = newer.visits()
    law = joint.multiply(1 / newer.lengths[:, None] / traces.people).tocsr()
    rows = []
    for name in ("GRR", "LocalHash"):
        for eps in study.epsilons:
            study.stage(f"figures 8, 9: {name}, eps = {eps:g}")
            randomizer = study.randomizer(name, eps)
            bound = pie_bound(randomizer, traces.people)
            rows.append(
                (
                    name, eps, *(getattr(bound, strength) for strength in STRENGTHS),
                    *_attacked(randomizer, law, (training, newer.starts), study.keys, rng),
                )
            )  # fmt: skip
    return rows


def _attacked(
    randomizer: GRR | LocalHash,
    law: object,
    attacked: tuple[Sequences, np.ndarray],
    keys: int,
    rng: np.random.Generator,
) -> tuple[float, ...]:
    """Return the information in reports about their senders, the part an attack gets, and errors.

    Args:
        randomizer: the randomizer of the reports.
        law: joint law of people and places, as a sparse matrix.
        attacked: events of training, and the reported place of each person.
        keys: number of keys of local hashing that are drawn.
        rng: draws reports and keys.

    Returns:
        PIE, the bits in a report about its sender; PSE, the bits that the attack obtains; the
        standard error of PSE; the share of senders that the attack names wrongly; and the Bayes
        error, the least such share of any attack.
    """
    training, values = attacked
    if randomizer.hash_family is None:
        truth, error = pie(law, randomizer), bayes_error(law, randomizer)
    else:
        risk = hashed_risk(law, randomizer, keys=keys, rng=rng)
        truth, error = risk.pie, risk.bayes_error
    scores = ReportAttack(training, randomizer).scores(randomizer.sample(values, rng))
    bits, spread = finite_information(scores)
    return truth, bits, spread, 1 - float(people_within(scores).mean()), error


def _checks8(rows: list[Row]) -> tuple[Check, ...]:
    """Return the comparisons of Figure 8's rows with the theorems.

    The order of the bounds is checked, and that the attack's information is below the report's.
    """
    below = all(row[6] <= row[5] * (1 + 1e-9) <= row[4] * (1 + 1e-9) <= row[3] for row in rows)
    is_below_pie = all(row[7] - 4 * row[8] <= row[6] + 1e-9 for row in rows)
    return (
        Check(
            "8",
            "PIE <= exact <= contraction <= printed",
            "theorems",
            "always",
            _always(below),
            below,
        ),
        Check(
            "8",
            "PSE <= PIE, within 4 errors",
            "Proposition 3.3",
            "always",
            _always(is_below_pie),
            is_below_pie,
        ),
        _loose(rows),
    )


def _checks9(rows: list[Row], table: list[Row], n: int) -> tuple[Check, ...]:
    """Return the comparisons of Figure 9's rows with the theorems and the paper.

    rows: rows of `_measured`. table: rows of the figure's table. n: number of people.
    """
    is_above_fano = all(row[10] >= _fano(row[6], n) - 1e-9 for row in rows)
    is_above_least = all(row[3] >= row[8] - 1e-9 for row in table)
    near = all(row[9] >= row[10] - 0.05 for row in rows)
    return (
        Check("9", "Bayes error >= Fano bound of its PIE", "(10)", "always",
              _always(is_above_fano), is_above_fano),
        Check(
            "9", "Bayes error >= exact least error", "least_error", "always",
            _always(is_above_least), is_above_least
        ),
        Check("9", "attack's error >= Bayes error - 0.05", "theory", "always", _always(near), near),
        Check(
            "9", "error rate is the proportion of", "paper", "correct results",
            "incorrect results", False,
        ),
    )  # fmt: skip


def _loose(rows: list[Row]) -> Check:
    """Return how far Theorem 4.2's bound exceeds the PIE, where the paper says "fairly tight".

    PIE is the information, in bits, in a report about its sender.
    """
    row = next(row for row in rows if row[0] == "GRR" and row[1] == 10.0)
    text = f"{row[3] / row[6]:.3g} times the PIE at eps = 10"
    return Check("8", "Theorem 4.2 on generated traces", "paper", "fairly tight", text, None)


def _fano(bits: float, n: int) -> float:
    """Return Fano's lower bound on the probability of naming the wrong person.

    bits: information about the person, in bits. n: number of people, all equally likely at first.
    """
    return fano_bound(bits, uniform_prior_error(n))


def _always(is_satisfied: bool) -> str:  # noqa: FBT001
    """Return "always" if the checked statement is satisfied, else "not always"."""
    return "always" if is_satisfied else "not always"
