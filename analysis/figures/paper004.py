"""Figure 2 of paper 004 on other data: the error of incidence estimators.

Incidence counting estimates, from noisy bit vectors, the number of positions that are set in
exactly t of n vectors. The paper's data (Sapienza) are not available. Figure "2" uses vectors with
Zipf counts, but the paper's number of positions, failure probability and epsilons. Figure "2-wifi"
uses recorded Wi-Fi sessions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from ...deprecated import accepts_old
from ...errors import ParameterError
from ..incidence import METHODS, IncidenceEstimate, estimate, eta_of, lower_bound, sample, zipf
from ..incidence.sampling_law import as_incidence
from ..validation import brief, number, whole
from .paper004_drawings import draw, draw_sessions
from .paper004_errors import (
    BETA,
    BUDGETS,
    DEVICES,
    OWNERS,
    POSITIONS,
    SESSIONS,
    ErrorPanel,
    study,
    wifi,
)
from .parameters import Progress, positive_numbers, seed_of, stage_of, texts, whole_numbers
from .registry import Check, Material, Numbers, Redrawn, ResearchPaper

# lower bounds on the error, as the paper lists them in Section 6.1 for the epsilons in `BUDGETS`
PRINTED_LOWER = (1.3e-5, 8.7e-6, 5.3e-6, 3.2e-6, 1.9e-6, 1.2e-6, 7.1e-7)

QUICK = ("program", "minmax", "inverse", "likelihood", "analytic", "em")
WITH_POSTERIOR = (*QUICK, "bayes")
# number of noisy versions of each true vector from which a quantile of the error is computed; the
# paper has 1,000
RUNS = 20
# epsilon, in nats a bit, of the estimate that is drawn beside the errors on Wi-Fi sessions
SHOWN_EPSILON = 3.0
DEFAULT_TITLE = "7 sessions, 2023-08-26 to 2023-09-01"


def incidence_error_figure(
    *,
    owners: Sequence[int] = OWNERS,
    positions: int = POSITIONS,
    exponent: float = 1.0,
    methods: Sequence[str] = QUICK,
    epsilons: Sequence[float] = BUDGETS,
    beta: float = BETA,
    runs: int = RUNS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Redrawn:
    """Return the error of incidence estimators on Zipf vectors, against epsilon and n.

    Each of n owners flips the bits of a vector of m positions. Estimated is, for each t, the number
    of positions that are set in exactly t vectors. The error is the largest of the n + 1 absolute
    errors, as a share of m.

    Args:
        owners: numbers n of vectors, different, each >= 1; a panel each.
        positions: m, bits of a vector, more than each n.
        exponent: 0 to 50; the true count of t is proportional to (t + 1)^-exponent.
        methods: estimators, names out of `veilmix.analysis.incidence.METHODS`.
        epsilons: budgets in nats a bit, > 0.
        beta: the quantile of the errors is at 1 - beta, 0 < beta < 1.
        runs: noisy versions behind each quantile, >= 1; the paper has 1,000.
        seed: seed of the noise, a whole number >= 0.
        progress: called with a description of each stage.

    Returns:
        The frame "figure2": for each n and epsilon the quantile of each method's error, the upper
        bound of Theorem 4.4 and the paper's lower bound. Checks only for the defaults with any
        runs, seed.

    Raises:
        ParameterError: a name or a number is out of range.

    Source:
        Paper 004, Figure 2, on Zipf vectors, because the paper's data are not available.
    """
    sizes = whole_numbers(owners, "owners", 1)
    m, steep = whole(positions, "positions", max(sizes) + 1), _exponent(exponent)
    vectors = {f"n = {n}": zipf(n, m, steep) for n in sizes}
    options = (texts(methods, "methods", METHODS), positive_numbers(epsilons, "epsilons"))
    first_seed, stage = seed_of(seed) - 1, _stage(progress, "Zipf data, ")
    panels = _panels(vectors, options, (beta, runs), first_seed, stage)
    defaults = (tuple(OWNERS), POSITIONS, 1.0, QUICK, BUDGETS, BETA)
    redrawn = (sizes, m, steep, *options, beta) == defaults
    checks = _zipf_checks(panels) if redrawn else ()
    return Redrawn("figure2", (_numbers("figure2", panels),), checks, lambda: draw(panels))


@accepts_old(shown="shown_title")
def session_error_figure(
    sessions: Mapping[str, npt.ArrayLike] | None = None,
    *,
    shown_title: str | None = None,
    shown_epsilon: float = SHOWN_EPSILON,
    methods: Sequence[str] = WITH_POSTERIOR,
    epsilons: Sequence[float] = BUDGETS,
    beta: float = BETA,
    runs: int = RUNS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Redrawn:
    """Return the error of incidence estimators on recorded sessions, and estimates with limits.

    An estimator counts, from noisy bit vectors, the positions set in exactly t of n vectors. The
    error is the largest of the n + 1 absolute errors, as a share of the positions. The shown
    estimates, by "em" and "bayes", have 90 % limits for all counts at once.

    Args:
        sessions: by title the positions in exactly t = 0 .. n sets, shape (n + 1,); a panel each.
            None: recorded Wi-Fi sessions, with 4,426 devices as positions.
        shown_title: title of the sessions with shown estimates; None: 7 sessions of Wi-Fi, or
            the first title.
        shown_epsilon: budget of the shown estimates in nats a bit, > 0.
        methods: estimators, names out of `veilmix.analysis.incidence.METHODS`.
        epsilons: budgets in nats a bit, > 0.
        beta: the quantile of the errors is at 1 - beta, 0 < beta < 1.
        runs: noisy versions behind each quantile, >= 1.
        seed: seed of the noise, a whole number >= 0.
        progress: called with a description of each stage.

    Returns:
        The frames "figure2-wifi" (errors) and "figure2-wifi-estimates". Checks only for the
        defaults.

    Raises:
        ParameterError: counts, a name or a number are out of range.

    Source:
        Paper 004, Figure 2, on other data (docs/incidence.md).
    """
    vectors, usual = _vectors(sessions), sessions is None
    title = _estimates_title(shown_title, vectors, usual=usual)
    (level,) = positive_numbers([shown_epsilon], "shown_epsilon")
    options = (texts(methods, "methods", METHODS), positive_numbers(epsilons, "epsilons"))
    stage = _stage(progress, "Wi-Fi, " if usual else "")
    panels = _panels(vectors, options, (beta, runs), seed_of(seed), stage)
    week = panels[list(vectors).index(title)]
    drawn = _estimated(week.phi, level, seed)
    defaults = (DEFAULT_TITLE, SHOWN_EPSILON, WITH_POSTERIOR, BUDGETS, BETA)
    redrawn = usual and (title, level, *options, beta) == defaults
    checks = _wifi_checks(panels, week, drawn) if redrawn else ()
    draws = partial(draw_sessions, panels, week, drawn, level, usual=usual)
    return Redrawn("figure2-wifi", _wifi_numbers(panels, week, drawn), checks, draws)


def figure2(material: Material) -> Redrawn:
    """Redraw Figure 2: the error of incidence estimators on Zipf vectors, by epsilon and n.

    n is the number of bit vectors; an estimator counts the positions set in exactly t of them.
    """
    return incidence_error_figure(
        owners=OWNERS, positions=POSITIONS, runs=RUNS, seed=material.seed,
        progress=material.progress,
    )  # fmt: skip


def figure2_wifi(material: Material) -> Redrawn:
    """Redraw Figure 2 on Wi-Fi sessions: errors of incidence estimators, and estimates."""
    return session_error_figure(runs=RUNS, seed=material.seed, progress=material.progress)


def _exponent(value: float) -> float:
    """Return a checked exponent of Zipf's law, 0 to 50."""
    exponent = number(value, "exponent", "a number from 0 to 50")
    if not 0 <= exponent <= 50:
        raise ParameterError(f"exponent: found {value!r}; needs a number from 0 to 50")
    return exponent


def _vectors(sessions: Mapping[str, npt.ArrayLike] | None) -> dict[str, npt.NDArray[np.int64]]:
    """Return the true counts of each panel by its title: positions set in exactly t of n vectors.

    sessions: the counts by title; None: the recorded Wi-Fi sessions.
    """
    if sessions is None:
        return {title: wifi(session_counts, DEVICES) for title, session_counts in SESSIONS.items()}
    if not isinstance(sessions, Mapping) or not sessions:
        raise ParameterError(
            f"sessions: found {brief(sessions)}; needs a dictionary of counts by title, at least "
            "one"
        )
    return {
        str(title): as_incidence(counts, f"sessions[{title!r}]")
        for title, counts in sessions.items()
    }


def _estimates_title(shown_title: str | None, vectors: Mapping[str, object], *, usual: bool) -> str:
    """Return the title of the sessions with shown estimates; ParameterError if unknown.

    shown_title: the title that the caller gave; None: the default. vectors: the sessions by title.
    usual: whether the sessions are the recorded Wi-Fi sessions, which have a default title.
    """
    if shown_title is None:
        return DEFAULT_TITLE if usual else next(iter(vectors))
    if shown_title not in vectors:
        raise ParameterError(
            f"shown_title: found {brief(shown_title)}; needs one of {', '.join(vectors)}"
        )
    return shown_title


def _panels(
    vectors: Mapping[str, npt.NDArray[np.int64]],
    options: tuple[tuple[str, ...], tuple[float, ...]],
    quantile: tuple[float, int],
    first_seed: int,
    stage: Progress,
) -> list[ErrorPanel]:
    """Measure the chosen estimators at the chosen epsilons on noisy versions of each true vector.

    Args:
        vectors: by title, the numbers of positions set in exactly t = 0 .. n of n bit vectors.
        options: names of the estimators, and epsilons in nats a bit.
        quantile: beta, the errors' quantile being at 1 - beta; and noisy versions behind a
            quantile.
        first_seed: the seed of a vector is first_seed plus the vector's number of counts.
        stage: called with each title.
    """
    methods, budgets = options
    beta, runs = quantile
    panels = []
    for title, phi in vectors.items():
        stage(title)
        seed = first_seed + len(phi)
        panels.append(study(title, phi, methods, runs=runs, budgets=budgets, beta=beta, rng=seed))
    return panels


def _stage(progress: Progress | None, prefix: str) -> Progress:
    """Return a progress function that puts a prefix before each reported title."""
    report = stage_of(progress)
    return lambda title: report(f"{prefix}{title}")


def _estimated(phi: npt.NDArray[np.int64], epsilon: float, seed: int) -> list[IncidenceEstimate]:
    """Estimate true counts from one noisy version, by "em" and "bayes", with limits.

    phi: true numbers of positions set in exactly t of n bit vectors. epsilon: privacy budget in
    nats a bit. seed: seed of the noise.
    """
    rng = np.random.default_rng(seed)
    psi = sample(phi, eta_of(epsilon), rng=rng)
    return [estimate(psi, eta_of(epsilon), method=name, rng=rng) for name in ("em", "bayes")]


def _wifi_numbers(
    panels: list[ErrorPanel], week: ErrorPanel, estimates: list[IncidenceEstimate]
) -> tuple[Numbers, Numbers]:
    """Return the tables of the Wi-Fi figure: errors of all panels, and estimates for one panel.

    panels: errors of the estimators on each group of sessions. week: the panel with the true counts
    that `estimates` estimate. estimates: estimated counts with limits, by each method.
    """
    errors = _numbers("figure2-wifi", panels)
    return errors, _estimates("figure2-wifi-estimates", week, estimates)


def _zipf_checks(panels: list[ErrorPanel]) -> tuple[Check, ...]:
    """Return the comparisons of the Zipf figure with the statements of the paper."""
    return (_lower_list(), *_bound_checks("2", panels), _small_at_half(panels), _inside(panels))


def _wifi_checks(
    panels: list[ErrorPanel], week: ErrorPanel, estimates: list[IncidenceEstimate]
) -> tuple[Check, ...]:
    """Return the comparisons of the Wi-Fi figure with the statements of the paper.

    panels: errors of the estimators on each group of sessions. week: the panel with the true counts
    that `estimates` estimate. estimates: estimated counts with limits, by each method.
    """
    return (
        *_bound_checks("2-wifi", panels),
        _inside(panels, "2-wifi"),
        *_limit_checks(week, estimates),
    )


def _numbers(name: str, panels: list[ErrorPanel]) -> Numbers:
    """Return the table of the estimators' errors: a row for each panel and epsilon."""
    methods = tuple(panels[0].quantiles)
    headings = ("data", "n", "m", "epsilon", "beta", "runs", *methods, "bound", "lower")
    rows = [
        (
            *(panel.title, panel.n, panel.m, float(panel.budgets[i]), panel.beta, panel.runs),
            *(float(panel.quantiles[method][i]) for method in methods),
            *(float(panel.bound[i]), float(panel.lower[i])),
        )
        for panel in panels
        for i in range(len(panel.budgets))
    ]
    return Numbers(name, headings, rows)


def _estimates(name: str, week: ErrorPanel, estimates: list[IncidenceEstimate]) -> Numbers:
    """Return the table of estimated and true counts: a row for each method and each t.

    The count of t is the number of positions set in exactly t of n bit vectors; an estimate has a
    lower and an upper limit.

    name: name of the table. week: the panel of the true counts. estimates: an estimate by each
    method.
    """
    rows = [
        (
            fitted.method,
            t,
            int(week.phi[t]),
            *(float(a[t]) for a in (fitted.phi, fitted.low, fitted.high)),
        )
        for fitted in estimates
        for t in range(week.n + 1)
    ]
    return Numbers(name, ("method", "t", "true", "estimate", "low", "high"), rows)


def _lower_list() -> Check:
    """Compare lower bounds on the error with the list in the paper's Section 6.1."""
    ours = [float(f"{lower_bound(POSITIONS, epsilon, 0.1):.1e}") for epsilon in BUDGETS]
    return Check(
        "2",
        "lower bounds, constant 1",
        "Section 6.1",
        ", ".join(f"{value:.2g}" for value in PRINTED_LOWER),
        ", ".join(f"{value:.2g}" for value in ours),
        tuple(ours) == PRINTED_LOWER,
    )


def _bound_checks(figure: str, panels: list[ErrorPanel]) -> list[Check]:
    """Check that the error is below Theorem 4.4's bound, and how close the bound is.

    The paper calls the bound very close to the error. figure: the name of the figure. panels: the
    errors of the estimators, with the bound at each epsilon.
    """
    ratios = np.concatenate([panel.quantiles["program"] / panel.bound for panel in panels])
    useful = np.concatenate([panel.bound < 1 for panel in panels])
    source = "Section 6.1"
    return [
        Check(figure, "paper's program within the rigorous bound", "Theorem 4.4", "always",
              f"at most {ratios.max():.2f} of it", bool(ratios.max() <= 1)),
        Check(figure, "how close the bound is", source, "very close to the error",
              f"error/bound from {ratios.min():.1e} to {ratios.max():.2f}; bound below 1 in "
              f"{useful.mean():.0%} of the cases", bool(ratios.min() > 0.5)),
    ]  # fmt: skip


def _small_at_half(panels: list[ErrorPanel]) -> Check:
    """Check the paper's statement that its program's error is very small at epsilon = 0.5."""
    errors = [float(p.quantiles["program"][BUDGETS.index(0.5)]) for p in panels]
    error_text = ", ".join(f"{e:.3f} at n = {p.n}" for e, p in zip(errors, panels, strict=True))
    return Check(
        "2", "error of the paper's program at epsilon = 0.5", "Section 6.1", "very small",
        error_text,
        max(errors) < 0.05,
    )  # fmt: skip


def _inside(panels: list[ErrorPanel], figure: str = "2") -> Check:
    """Check that an estimate in the interior of the set of solutions beats one at a vertex.

    The set is the polytope of counts that fit the noisy counts; the paper's Section 4.1 prefers its
    interior.
    """
    pairs = [(panel.quantiles["analytic"], panel.quantiles["program"]) for panel in panels]
    better = np.concatenate([inside < corner for inside, corner in pairs])
    return Check(
        figure, "a point inside beats SciPy's vertex", "Section 4.1", "always better",
        f"better in {better.mean():.0%} of the cases", bool(better.all()),
    )  # fmt: skip


def _limit_checks(week: ErrorPanel, estimates: list[IncidenceEstimate]) -> list[Check]:
    """Check that the limits of estimates contain the true counts.

    Confidence limits must contain them. The credible band of "bayes" need not, unless the truth is
    typical of its prior.
    """
    checks = []
    for fitted in estimates:
        missed = np.flatnonzero((fitted.low > week.phi) | (week.phi > fitted.high))
        credible = fitted.method == "bayes"
        checks.append(
            Check(
                "2-wifi",
                f"limits around the estimate by {fitted.method}, epsilon = {SHOWN_EPSILON:g}",
                "its prior, all vectors alike" if credible else "confidence 0.9, all t at once",
                "hold every count",
                f"missed t = {', '.join(map(str, missed))}" if missed.size else "all held",
                None if credible else not missed.size,
            )
        )
    return checks


PAPER = ResearchPaper(
    "Non-interactive (t, n)-incidence counting from differentially private indicator vectors",
    {
        "2": ("Zipf data: error of incidence estimators against epsilon and n", figure2),
        "2-wifi": ("the same on Wi-Fi sessions, and estimates with limits", figure2_wifi),
    },
)
