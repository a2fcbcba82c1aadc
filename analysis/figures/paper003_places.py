"""People that report their places with noise, and the errors of estimated shares (paper 003)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..randomizers import GRR, LocalHash
from ..randomizers.estimation_loss import grr_loss, hash_loss, hash_loss_at
from ..randomizers.large_domain import LargeDomain, large_domain
from ..reidentification import epsilon_for_error, pie_bound
from ..reidentification.attacks.synthetic_traces import zipf_shares
from ..validation import Floats, as_counts, whole

Row = tuple[Any, ...]

# limit of the number of people, and of the number of places; beyond, ParameterError is raised
MAX_SIZE = 20_000_000
MOST_HASHES = 1 << 30
NAMES = (
    "randomizer", "epsilon", "g", "top", "expected_emp", "emp", "emp_normal", "emp_exact",
    "invented_normal", "invented_exact", "error_printed", "error_exact",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlaceNumbers:
    """The sizes of a study of places that titles of its drawings name.

    Attributes:
        users: number of people.
        symbols: number of places.
        top: number of most frequent places; their squared errors are also summed alone.
        has_counts: whether counts were given instead of drawn places.
    """

    users: int
    symbols: int
    top: int
    has_counts: bool


@dataclass(frozen=True, slots=True, eq=False)
class PlacesOfPeople:
    """The data of a study of places: one place of each person.

    Attributes:
        user_places: the place of each person, shape (users,).
        truth: share of the people at each place, shape (symbols,).
        top: number of most frequent places; their squared errors are also summed alone.
        has_counts: whether counts were given instead of drawn places.
    """

    user_places: npt.NDArray[np.int64]
    truth: Floats
    top: int
    has_counts: bool

    @property
    def users(self) -> int:
        """Number of people."""
        return len(self.user_places)

    @property
    def symbols(self) -> int:
        """Number of places."""
        return len(self.truth)

    @property
    def sums(self) -> PlaceNumbers:
        """The numbers of people and places that titles of a drawing name."""
        return PlaceNumbers(self.users, self.symbols, self.top, self.has_counts)


def places_of(
    counts: npt.ArrayLike | None,
    users: int,
    symbols: int,
    top: int,
    rng: np.random.Generator,
    top_name: str = "top",
) -> PlacesOfPeople:
    """Return people at given places, from counts, or at Zipf places drawn at random.

    counts: people at each place; None: `users` people are drawn at `symbols` places. top: number of
    most frequent places that are studied alone, fewer than all places. top_name: name of `top` in
    messages.
    """
    top_count = whole(top, top_name, 1)
    if counts is None:
        size = (_limited(users, "users", 2), _limited(symbols, "symbols", 2))
        name, place_count = "symbols", size[1]
    else:
        people = as_counts(counts)
        size = (_limited(int(people.sum()), "counts", 2), _limited(len(people), "counts", 2))
        name, place_count = "counts", len(people)
    if place_count <= top_count:
        raise ParameterError(
            f"{name}: found {place_count} places; needs more than {top_name} = {top_count} places"
        )
    if counts is None:
        user_places, truth = places(*size, rng)
        return PlacesOfPeople(user_places, truth, top_count, has_counts=False)
    user_places = np.repeat(np.arange(size[1]), people)
    return PlacesOfPeople(user_places, people / size[0], top_count, has_counts=True)


def _limited(value: int, name: str, minimum: int) -> int:
    """Return a checked number of people or places, from `minimum` to `MAX_SIZE`.

    name: name of the parameter in messages.
    """
    size = whole(value, name, minimum)
    if size > MAX_SIZE:
        raise ParameterError(
            f"{name}: found {size:,}; needs at most {MAX_SIZE:,} people and places"
        )
    return size


def hash_values_of(value: int) -> int:
    """Return a checked number of hash values: a power of two from 2 to 2^30."""
    g = whole(value, "hash_values", 2)
    if g & (g - 1) or g > MOST_HASHES:
        raise ParameterError(f"hash_values: found {g:,}; needs a power of two from 2 to 2^30")
    return g


def places(
    users: int, symbols: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Draw a Zipf place for each person; return the places, and each place's share of people.

    users: number of people. symbols: number of places.
    """
    cumulated = np.cumsum(zipf_shares(symbols))
    user_places = np.minimum(np.searchsorted(cumulated, rng.random(users)), symbols - 1)
    return user_places, np.bincount(user_places, minlength=symbols) / users


def losses(
    randomizer: GRR | LocalHash, data: PlacesOfPeople, rng: np.random.Generator
) -> list[Row]:
    """Return the squared errors of a randomizer's estimates, as two rows of the table `NAMES`.

    The first row sums the errors of the most frequent places, the second the errors of all places.
    """
    truth, users = data.truth, data.users
    estimated = large_domain(randomizer, randomizer.sample(data.user_places, rng))
    g = 0 if randomizer.hash_family is None else randomizer.reported_values
    law = grr_loss(truth, data.symbols, randomizer.epsilon, users)
    if g:
        law = hash_loss(truth, g, randomizer.epsilon, users)
    bound = pie_bound(randomizer, users)
    popular = np.argpartition(-truth, data.top)[: data.top]
    invented = [_invented(estimated, truth, rule) for rule in ("normal", "exact")]
    return [
        (
            "LocalHash" if g else "GRR", randomizer.epsilon, g, top or data.symbols,
            float(law.sum() if top is None else law[popular].sum()),
            estimated.loss(truth, top=top),
            estimated.loss(truth, top=top, level=0.05, rule="normal"),
            estimated.loss(truth, top=top, level=0.05, rule="exact"),
            *invented, bound.error("printed"), bound.error("exact"),
        )
        for top in (data.top, None)
    ]  # fmt: skip


def _invented(estimated: LargeDomain, truth: Floats, rule: str) -> int:
    """Return the number of places without people that a significance test of the estimates accepts.

    truth: share of people at each place. rule: "normal" or "exact" distribution of the test.
    """
    present, _ = estimated.significant(rule=rule)  # type: ignore[arg-type]
    return int(np.count_nonzero(truth[present] == 0))


def expected_losses(data: PlacesOfPeople, g: int, theta: float) -> tuple[float, float]:
    """Return the expected sums of squared errors of shares of places estimated by local hashing.

    The first sum is over the most frequent places (`data.top`), the second over all.

    g: number of hash values. theta: loss parameter (e^epsilon - 1) / (g + e^epsilon - 1), in (0,
    1).
    """
    law = hash_loss_at(data.truth, g, theta, data.users)
    return float(law[np.argpartition(-data.truth, data.top)[: data.top]].sum()), float(law.sum())


def promises(data: PlacesOfPeople, epsilon: float, error: float) -> list[tuple[str, float]]:
    """Return three privacy guarantees for reports by GRR: in words, with the epsilon of each.

    The first is the given epsilon. The other two guarantee that an attacker errs in naming the
    sender of a report with more than the probability `error`, by the printed and by the exact
    bound.
    """

    def make(eps: float) -> GRR:
        """Return GRR (generalized randomized response) over the places at an epsilon."""
        return GRR(data.symbols, eps)

    guarantees = [(f"ε = {epsilon:g}", epsilon)]
    for strength, source in (("printed", "Theorem 4.2"), ("exact", "the exact supremum")):
        eps = epsilon_for_error(error, data.users, make, strength)  # type: ignore[arg-type]
        guarantees.append((f"error > {error:g} by {source}, ε = {eps:.2f}", eps))
    return guarantees


def estimates(
    randomizer: GRR, data: PlacesOfPeople, top: npt.NDArray[np.intp], rng: np.random.Generator
) -> Floats:
    """Return estimated shares of people at the `top` places from noisy reports.

    The share is 0 if the estimate is not significantly above 0, by a normal approximation.

    randomizer: the randomizer of the reports. data: the place of each person. top: indices of the
    places. rng: draws the reports.
    """
    reports = randomizer.sample(data.user_places, rng)
    present, values = large_domain(randomizer, reports).significant(rule="normal")
    estimate = dict(zip(present.tolist(), values.tolist(), strict=True))
    return np.array([estimate.get(x, 0.0) for x in top.tolist()])
