"""Figures 5, 6 and 7 of paper 003 on generated people: the information about people in events.

The paper used check-ins (Foursquare) and ratings (MovieLens), which may not be redistributed. Here
people are generated: traces of places with Zipf popularity and Markov habits, and histories of
different items.

PSE is the information, in bits, that an attack's scores give about the person. The paper's PSE is
the divergence D between the scores of right and of wrong matches, for infinitely many people. The
figures also show the value for the given people, at most log2 of their number. (It may exceed D,
because D pools the scores of all released sequences, and the other value compares within each.) D
has an estimate and a certified lower bound. The bound is far below the estimate if the scores of
right matches lie beyond all further scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

from ...errors import ParameterError
from ..reidentification.attacks.error_tradeoff import Det, det_curve, genuine_impostor
from ..reidentification.attacks.markov import MarkovAttack
from ..reidentification.attacks.matching import (
    cosine_scores,
    maximum_knowledge,
    partial_knowledge,
    prefix_knowledge,
    tfidf_scores,
)
from ..reidentification.attacks.sequences import Sequences
from ..reidentification.attacks.synthetic_traces import markov_traces, rating_histories
from ..reidentification.attacks.system_entropy import SystemEntropy, system_entropy
from ..validation import brief, whole
from .paper003_attack_drawings import Row, draw5, draw6, draw7
from .parameters import Progress, seed_of, stage_of, whole_numbers
from .registry import Check, Material, Numbers, Redrawn


@dataclass(frozen=True, slots=True)
class GeneratedPeople:
    """Sizes of generated data, which stand for data that may not be redistributed.

    Traces are sequences of places with Zipf popularity and Markov habits; rating histories are
    sequences of different items.

    Attributes:
        people: number of people in the traces, and in the histories, >= 2.
        places: different places of the traces.
        events: places in each trace, >= 2.
        items: different items of the histories, at least `ratings`.
        ratings: items in each history.
    """

    people: int = 1000
    places: int = 20_000
    events: int = 200
    items: int = 5000
    ratings: int = 60

    def __post_init__(self) -> None:
        """Raise ParameterError if a size is below its minimum."""
        for name, minimum in (("people", 2), ("places", 1), ("events", 2), ("ratings", 1)):
            whole(getattr(self, name), name, minimum)
        whole(self.items, "items", self.ratings)


GENERATED = GeneratedPeople()
FIRST = (1, 2, 3, 4, 5)
TRAINED = (2, 5, 10, 20, 50, 100)
TRAINED_SHORT_LONG = (10, 100)
# false acceptance rates (shares of wrong pairs that are matched) in the table of Figure 7
LEVELS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
HEADINGS = (
    "data", "events", "D_estimate", "D_at_least", "D_beyond", "finite_bits", "finite_low",
    "finite_high", "found", "people",
)  # fmt: skip


def people(seed: int, sizes: GeneratedPeople) -> tuple[Sequences, Sequences]:
    """Generate traces of places, and histories of rated items, for random people.

    seed: seed of the random numbers. sizes: numbers of people, places, items and events.
    """
    rng, n = np.random.default_rng(seed), sizes.people
    traces = markov_traces(n, sizes.places, sizes.events, 12, 0.3, 0.4, rng=rng)
    return traces, rating_histories(n, sizes.items, sizes.ratings, rng=rng)


def attack(training: Sequences, released: Sequences) -> SystemEntropy:
    """Return the information in the scores of the Markov attacker of paper 003, Section 5.1.

    The attacker trains a Markov chain of each person on the events `training`, and scores each
    sequence of `released` against each person.
    """
    return system_entropy(MarkovAttack(training).scores(released))


def full_knowledge_figure(
    *,
    traces: Sequences | None = None,
    histories: Sequences | None = None,
    generated: GeneratedPeople = GENERATED,
    first: Sequence[int] = FIRST,
    seed: int = 0,
    progress: Progress | None = None,
) -> Redrawn:
    """Return the information about people in their released events, if the attacker knows all.

    The attacker has trained a Markov chain on the very events that are released: all, or the first
    few of each person. PSE = I(U; S) is the information in scores S about the person U, in bits.

    Args:
        traces: places of each person in order of time; None: generated.
        histories: rated items of each person in order; None: generated.
        generated: sizes of the generated data.
        first: numbers of first events that are released, each >= 1.
        seed: seed of the generated data, a whole number >= 0.
        progress: called with a description of each stage.

    Returns:
        The frame "figure5": for each data set and number of events an estimate and a lower bound of
        the divergence D between scores of right and of wrong matches (the paper's PSE, for
        infinitely many people), the PSE of the given people with limits, and the share of people
        found. Checks only for the defaults with any seed.

    Raises:
        ParameterError: sequences, sizes, numbers of events or the seed are out of range.

    Source:
        Paper 003, Figure 5 and Section 5.1; D is no lower bound for finitely many people.
    """
    numbers = whole_numbers(first, "first", 1)
    data = _data(traces, histories, generated, seed)
    rows = []
    for name, events in data.items():
        stage_of(progress)(f"figure 5: {name}")
        training, released_events = maximum_knowledge(events)
        rows.append(_row(name, "all", attack(training, released_events)))
        rows += [_row(name, m, attack(training, released_events.first(m))) for m in numbers]
    redrawn = _is_default(traces, histories, generated) and numbers == FIRST
    checks = _checks5(rows) if redrawn else ()
    tables = (Numbers("figure5", HEADINGS, rows),)
    return Redrawn("figure5", tables, checks, lambda: draw5(rows, _origins(traces, histories)))


def training_events_figure(
    *,
    traces: Sequences | None = None,
    histories: Sequences | None = None,
    generated: GeneratedPeople = GENERATED,
    trained: Sequence[int] = TRAINED,
    first: Sequence[int] = FIRST,
    seed: int = 0,
    progress: Progress | None = None,
) -> Redrawn:
    """Return the information about people in their released events, against the training events.

    The attacker knows the last events of the older half of each trace, while the newer half is
    released. Of each rating history the attacker knows the first events, while all are released.

    Args:
        traces: places of each person in order of time, two or more; None: generated.
        histories: rated items of each person in order; None: generated.
        generated: sizes of the generated data.
        trained: numbers of training events of traces, each >= 1.
        first: numbers of training events of histories, each >= 1.
        seed: seed of the generated data, a whole number >= 0.
        progress: called with a description of each stage.

    Returns:
        The frame "figure6", with the columns of "figure5" in `full_knowledge_figure`. Checks only
        for the defaults with any seed.

    Raises:
        ParameterError: sequences, sizes, numbers of events or the seed are out of range.

    Source:
        Paper 003, Figure 6 and Section 5.1.
    """
    event_counts = whole_numbers(trained, "trained", 1), whole_numbers(first, "first", 1)
    data = _data(traces, histories, generated, seed)
    rows = []
    for (name, events), numbers, divided in zip(
        data.items(), event_counts, (partial_knowledge, prefix_knowledge), strict=True
    ):
        for m in numbers:
            stage_of(progress)(f"figure 6: {name}, {m} training events")
            rows.append(_row(name, m, attack(*divided(events, m))))
    redrawn = _is_default(traces, histories, generated) and event_counts == (TRAINED, FIRST)
    checks = (_rising(rows, "traces"), _rising(rows, "ratings")) if redrawn else ()
    tables = (Numbers("figure6", HEADINGS, rows),)
    return Redrawn("figure6", tables, checks, lambda: draw6(rows, _origins(traces, histories)))


def detection_error_figure(
    *,
    traces: Sequences | None = None,
    histories: Sequences | None = None,
    generated: GeneratedPeople = GENERATED,
    trained: Sequence[int] = TRAINED_SHORT_LONG,
    seed: int = 0,
    progress: Progress | None = None,
) -> Redrawn:
    """Return the detection error trade-off of three matching algorithms.

    A threshold on the score decides whether a released sequence belongs to a person. FAR is the
    share of wrong pairs (sequence, person) above the threshold, FRR that of right pairs below it.
    For traces the algorithms are Markov chains, TF-IDF and cosine similarity: the attacker knows
    events of the older half, and the newer half is released. For histories it is Markov chains,
    with one known event.

    Args:
        traces: places of each person in order of time, two or more; None: generated.
        histories: rated items of each person in order; None: generated.
        generated: sizes of the generated data.
        trained: numbers of training events of traces, each >= 1.
        seed: seed of the generated data, a whole number >= 0.
        progress: called with a description of each stage.

    Returns:
        The frames "figure7" (the least FRR at a FAR of at most 1e-5 to 0.1) and
        "figure7_equal_error" (the rate at which both are equal). Checks only for the defaults with
        any seed.

    Raises:
        ParameterError: sequences, sizes, numbers of events or the seed are out of range.

    Source:
        Paper 003, Figure 7.
    """
    numbers = whole_numbers(trained, "trained", 1)
    data = _data(traces, histories, generated, seed)
    curves = _curves(data, numbers, stage_of(progress))
    rows = [(name, far, det.frr_at(far)) for name, det in curves for far in LEVELS]
    eer = [(name, det.equal_error_rate) for name, det in curves]
    redrawn = _is_default(traces, histories, generated) and numbers == TRAINED_SHORT_LONG
    checks = (_check7(eer[0][1], eer[3][1]),) if redrawn else ()
    tables = (
        Numbers("figure7", ("attack", "far", "frr"), rows),
        Numbers("figure7_equal_error", ("attack", "equal_error_rate"), eer),
    )
    n = " and ".join(f"{n:,}" for n in sorted({events.people for events in data.values()}))
    kind = "generated " if _is_default(traces, histories, generated) else ""
    title = f"{n} {kind}people, partial knowledge"
    return Redrawn("figure7", tables, checks, lambda: draw7(curves, title))


def figure5(material: Material) -> Redrawn:
    """Redraw Figure 5: an attacker's bits about a person, by the number of released events.

    The attacker knows all released events of each person.
    """
    return full_knowledge_figure(
        generated=GENERATED, first=FIRST, seed=material.seed, progress=material.progress
    )


def figure6(material: Material) -> Redrawn:
    """Redraw Figure 6: an attacker's bits about a person, by its number of training events."""
    return training_events_figure(
        generated=GENERATED, trained=TRAINED, seed=material.seed, progress=material.progress
    )


def figure7(material: Material) -> Redrawn:
    """Redraw Figure 7: false rejections against false acceptances of three matching algorithms."""
    return detection_error_figure(
        generated=GENERATED, seed=material.seed, progress=material.progress
    )


def _data(
    traces: Sequences | None, histories: Sequences | None, generated: GeneratedPeople, seed: int
) -> dict[str, Sequences]:
    """Return checked traces and rating histories, by name; None is replaced by generated data."""
    if not isinstance(generated, GeneratedPeople):
        raise ParameterError(f"generated: found {brief(generated)}; needs a GeneratedPeople")
    checked_seed = seed_of(seed)
    for name, sequences in (("traces", traces), ("histories", histories)):
        if not (sequences is None or isinstance(sequences, Sequences)):
            raise ParameterError(f"{name}: found {brief(sequences)}; needs Sequences, or None")
        if sequences is not None and sequences.people < 2:
            raise ParameterError(f"{name}: found one person; needs the events of at least two")
    if traces is None or histories is None:
        ours, rated = people(checked_seed, generated)
        return {"traces": traces or ours, "ratings": histories or rated}
    return {"traces": traces, "ratings": histories}


def _is_default(
    traces: Sequences | None, histories: Sequences | None, generated: GeneratedPeople
) -> bool:
    """Whether traces and histories are the default generated data, so that checks apply."""
    return traces is None and histories is None and generated == GENERATED


def _origins(traces: Sequences | None, histories: Sequences | None) -> dict[str, str]:
    """Return the adjective of each data set in titles: "generated ", or "" for given data."""
    data = {"traces": traces, "ratings": histories}
    return {name: "generated " if sequences is None else "" for name, sequences in data.items()}


def _curves(
    data: Mapping[str, Sequences], trained: Sequence[int], stage: Progress
) -> list[tuple[str, Det]]:
    """Return the detection error trade-off, with a name, of each attack on traces and histories.

    data: traces of places and rating histories. trained: numbers of training events of traces.
    stage: called with a description of each stage.
    """
    curves: list[tuple[str, Det]] = []
    for m in trained:
        training, released = partial_knowledge(data["traces"], m)
        stage(f"figure 7: traces, {m} training events")
        for name, scores in (
            ("Markov", MarkovAttack(training).scores(released)),
            ("TF-IDF", tfidf_scores(training, released)),
            ("cosine", cosine_scores(training, released)),
        ):
            curves.append((f"traces, {m} events, {name}", det_curve(*genuine_impostor(scores))))
    training, released = prefix_knowledge(data["ratings"], 1)
    scores = MarkovAttack(training).scores(released)
    curves.append(("ratings, 1 event, Markov", det_curve(*genuine_impostor(scores))))
    return curves


def _checks5(rows: list[Row]) -> tuple[Check, ...]:
    """Return the comparisons of Figure 5's rows with the paper's statements.

    D is the divergence between scores of right and of wrong matches, for infinitely many people.
    The information about a person among n people is at most log2 n bits, so a larger D is no lower
    bound on it.
    """
    max_bits, ceiling = max(row[2] for row in rows), log2(rows[0][9])
    over = f"{max_bits:.1f} bits, log2 n = {ceiling:.1f}"
    is_bounded = all(row[5] <= ceiling + 1e-9 for row in rows)
    return (
        Check(
            "5",
            "D is a lower bound on the PIE of n people",
            "paper",
            "yes",
            over,
            max_bits <= ceiling,
        ),
        Check(
            "5",
            "the value for n people is at most log2 n",
            "definition",
            "yes",
            str(is_bounded),
            is_bounded,
        ),
    )


def _check7(error_at_few: float, error_at_many: float) -> Check:
    """Check that the equal error rate falls with more training events, as the paper says.

    At this rate, 0 to 1, the shares of false acceptances and of false rejections are equal.

    error_at_few, error_at_many: equal error rate with few and with many training events.
    """
    return Check(
        "7", "more training events, fewer errors (Markov)", "paper", "yes",
        f"equal error {error_at_few:.3f} to {error_at_many:.3f}", error_at_many < error_at_few,
    )  # fmt: skip


def _row(name: str, events: int | str, e: SystemEntropy) -> Row:
    """Return a row of the table `HEADINGS`: the information of an attack on one data set.

    name: the data set. events: number of events, or "all". e: the attack's information.
    """
    d = e.divergence
    return (
        name, events, d.estimate, d.at_least, d.beyond, e.finite, e.finite_low, e.finite_high,
        e.rate, e.people,
    )  # fmt: skip


def _rising(rows: list[Row], name: str) -> Check:
    """Check that the attack's information rises with its training events, as the paper says.

    The information about a person (PSE) is in bits. rows: rows of the figure's table. name: the
    data set.
    """
    bits = [row[5] for row in rows if row[0] == name]
    rises = bits[-1] > bits[0]
    text = f"{bits[0]:.2f} to {bits[-1]:.2f} bits"
    return Check("6", f"{name}: PSE rises with training events", "paper", "yes", text, rises)
