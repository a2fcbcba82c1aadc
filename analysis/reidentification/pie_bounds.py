"""Upper bounds of a randomizer on re-identification, valid for all populations: in four strengths.

They bound the personal information entropy, PIE = I(U; Y): the information in a report Y about its
sender U among n users with |X| possible values. All are in bits, each at least the next:

    general       paper 003, Proposition 4.1     min(eps, eps^2, log n, log |X|)
    printed       Theorems 4.2, 4.4              theta min(log n, log |X|)
    contraction   a data-processing inequality   eta min(log n, log |X|)
    exact         the capacity                   the supremum of I(U; Y) over all populations

`general` holds for any randomizer of budget eps. `printed` holds for GRR and local hashing, with
the paper's theta = (e^eps - 1) / (s + e^eps - 1) for s symbols or hash values. `contraction` uses
the least eta with I(U; Y) <= eta I(U; X), for GRR theta tanh(eps/2). At the setting of the paper's
Figure 4 (n = 1,370,637 users and 10,500,393 symbols) with GRR and eps = 0.1 the four are 0.0144,
2.04e-7, 1.02e-8 and 7.35e-10 bits. So the paper's remark that its bounds "cannot be improved much"
does not hold.

t reports of one person, even with correlated values, have at most t times the information (Theorems
4.3 and 4.5; the chain rule gives the same for all four bounds), and never more than log n.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log, log2
from typing import TYPE_CHECKING, Any, Literal

from ...errors import ParameterError
from ..randomizers import as_randomizer
from ..randomizers.numerical_capacity import MOST_INPUTS
from ..validation import open_unit, whole
from .channel_capacity import capacity
from .fano import budget_for, fano_bound, uniform_prior_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Strength = Literal["general", "printed", "contraction", "exact"]
STRENGTHS: tuple[Strength, ...] = ("general", "printed", "contraction", "exact")
# most halvings of the interval with the largest safe epsilon; beyond, its lower end is taken
HALVINGS = 200


@dataclass(frozen=True, slots=True)
class PieBound:
    """Upper bounds on the information in a user's reports about its identity (PIE), in bits.

    They bound I(U; Y), the information in the reports Y about the user U, for every joint
    distribution of the user and the value.

    Attributes:
        general: the bound by epsilon alone.
        printed: the bound by the paper's theorem; `general` if the paper has no theorem for the
            randomizer. At most `general`.
        contraction: the bound by the contraction coefficient; at most `printed`.
        exact: the bound by capacity; at most `contraction`.
        attained: whether `exact` is the supremum (else it is the least bound that is proved).
        users: number of users, n.
        reports: reports of one person, t.
        randomizer: name of the randomizer of the reports.
    """

    general: float
    printed: float
    contraction: float
    exact: float
    attained: bool
    users: int
    reports: int
    randomizer: str

    def error(self, strength: Strength = "exact") -> float:
        """Return the least error in naming the sender, 0 to 1, by Fano's inequality from the bound.

        For n equally likely users (paper 003, (12)).

        strength: the bound that is used, "general", "printed", "contraction" or "exact".
        """
        if strength not in STRENGTHS:
            raise ParameterError(f"strength: found {strength!r}; needs one of {STRENGTHS}")
        return fano_bound(getattr(self, strength), uniform_prior_error(self.users))

    def __str__(self) -> str:
        """Return a sentence for reports: four upper bounds, in bits, on the PIE.

        The PIE is the information in a user's reports about the user's identity. "printed" is the
        bound by the paper's theorem, "general" the bound by epsilon alone.
        """
        word = "exactly" if self.attained else "at most"
        return (
            f"{self.reports} report(s) of {self.randomizer}, {self.users:,} users: PIE {word} "
            f"{self.exact:.4g} bits about the user (looser bounds: by contraction "
            f"{self.contraction:.4g}, printed in the paper {self.printed:.4g}, by epsilon alone "
            f"{self.general:.4g})"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the four upper bounds as bars, log scale of bits, and return the axes.

        ax: the axes to draw on; new axes if not given.
        """
        if ax is None:
            from matplotlib import pyplot as plt

            ax = plt.subplots()[1]
        ax.bar(STRENGTHS, [getattr(self, strength) for strength in STRENGTHS])
        ax.set(yscale="log", ylabel="PIE at most (bits)")
        return ax


def pie_bound(randomizer: Any, users: int, reports: int = 1) -> PieBound:
    """Return four upper bounds, in bits, on the information in a user's reports about its identity.

    Args:
        randomizer: GRR, LocalHash, UnaryEncoding or BitFlip (any size), or any object with a
            `.matrix`.
        users: number of users n >= 2.
        reports: t >= 1 reports of one person, each randomized independently.
    """
    n, t = whole(users, "users", 2), whole(reports, "reports", 1)
    local = as_randomizer(randomizer)
    symbols, epsilon = local.inputs, local.epsilon
    trivial_bound = min(log2(n), log2(symbols))
    general = min(min(epsilon, epsilon**2) / log(2), trivial_bound)
    printed, contraction = general, general
    if local.loss_parameter is not None:
        printed = min(general, local.loss_parameter * trivial_bound)
    if local.any_size or symbols <= MOST_INPUTS:
        contraction = min(printed, local.contraction() * trivial_bound)
    best, attained = capacity(local, n)
    return PieBound(
        general=min(t * general, log2(n)),
        printed=min(t * printed, log2(n)),
        contraction=min(t * contraction, log2(n)),
        exact=min(t * min(best, contraction), log2(n)),
        attained=attained and t == 1 and best <= contraction * (1 + 1e-9),
        users=n,
        reports=t,
        randomizer=str(local) if local is randomizer else "a matrix",
    )


def epsilon_for_error(
    error: float,
    users: int,
    make: Callable[[float], Any],
    strength: Strength = "exact",
    largest: float = 60.0,
) -> float:
    """Return the largest epsilon (nats) that keeps the error in naming a sender high enough.

    Args:
        error: the least allowed probability of naming the wrong user among n equally likely users,
            strictly inside (0, 1); turned into bits by Fano's inequality (paper 003, (12)).
        users: number of users n >= 2.
        make: the randomizer with a given budget, such as `lambda eps: GRR(a, eps)`.
        strength: the bound on the information that is used: "general", "printed", "contraction" or
            "exact".
        largest: no epsilon above this is tried, nats.

    Returns:
        epsilon in nats (`largest` if even that is safe), found by halving.
    """
    bits_allowed = budget_for(open_unit(error, "error"), users)
    if strength not in STRENGTHS:
        raise ParameterError(f"strength: found {strength!r}; needs one of {STRENGTHS}")
    low, high = 0.0, float(largest)
    if getattr(pie_bound(make(high), users), strength) <= bits_allowed:
        return high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        safe = getattr(pie_bound(make(middle), users), strength) <= bits_allowed
        low, high = (middle, high) if safe else (low, middle)
    return low
