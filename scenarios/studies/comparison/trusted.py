"""The comparators with a central curator that sees every row: full trust, and the best release.

trusted          releases the columns of largest weight with a TRUE exposure of at most
                 max_exposure
trusted-cells    releases every row with some suppressed values, so that it equals at least k - 1
                 other rows (analysis/suppression/k_anonymity.py). No person is exposed, and
                 max_exposure is not used
"""

from collections.abc import Iterator

from ....analysis.exposure import users_below
from ....analysis.scoring.release_utility import ReleasedRows, bits_of_release
from ....analysis.suppression.cell_patterns import BLANK
from ....analysis.suppression.k_anonymity import Suppressed, suppress_cells
from ....analysis.suppression.true_columns import best_columns
from ....analysis.trust import Received, received
from ....errors import RoundBurned
from ....protocol.ideal import PeopleTable, count_cells
from ....protocol.knowledge.run_record import CountsSeen
from ....protocol.knowledge.transcript import Transcript
from ....protocol.knowledge.view import View
from ....protocol.wire.crowd_limits import check_batch_size
from ....protocol.wire.parties import ANALYST, CURATOR
from ...programs.registry import fixed_columns
from ...programs.weights import column_weights
from .case import Case, RivalExpenses, timed
from .direct import paid
from .result import Compared, Privacy, ProgramCost, Trust
from .utility import empty_utility, released, utility

COLUMNS, CELLS = "trusted", "trusted-cells"
COALITIONS = ((), (ANALYST,), (CURATOR,), (ANALYST, CURATOR))


def trusted(case: Case) -> Iterator[Compared]:
    """Yield the result of a trusted curator that chooses columns by their true exposure."""
    try:
        check_batch_size(len(case.codes()), case.scenario.mix.min_batch)
    except RoundBurned as burned:
        yield _burned(case, COLUMNS, str(burned))
        return
    decided, kept_columns = timed(lambda: _released_columns(case))
    counts = (
        count_cells(PeopleTable(case.people.values, case.codes()), kept_columns)
        if kept_columns
        else None
    )
    release = released(case, counts, kept_columns)
    true = users_below(release.people, case.k) / release.n if kept_columns else 0.0
    counts_seen = () if counts is None else (CountsSeen(1, kept_columns, counts),)
    purse, price = _cost(case, decided)
    yield Compared(
        COLUMNS,
        "central",
        "columns chosen by their true exposure",
        None,
        dict(purse.refused),
        Trust.from_received(
            [received(_view(case, members, counts_seen), case.sizes) for members in COALITIONS]
        ),
        Privacy(true, true),
        utility(case, release),
        price,
    )


def cells(case: Case) -> Iterator[Compared]:
    """Yield the result of a trusted curator that releases every row with suppressed values."""
    try:
        check_batch_size(len(case.codes()), max(case.scenario.mix.min_batch, case.k))
    except RoundBurned as burned:
        yield _burned(case, CELLS, str(burned))
        return
    decided, suppressed = timed(lambda: suppress_cells(case.codes(), case.k))
    release = ReleasedRows.from_counts(suppressed.release, len(case.sizes))
    purse, price = _cost(case, decided)
    yield Compared(
        CELLS,
        "central",
        _suppression_text(suppressed),
        None,
        dict(purse.refused),
        Trust.from_received([_received(case, members, release) for members in COALITIONS]),
        Privacy(users_below(release.people, case.k) / release.n, 0.0),
        utility(case, release),
        price,
    )


def _released_columns(case: Case) -> tuple[int, ...]:
    """Return the columns that a curator with all rows releases by the scenario's policy.

    Exposure is then the true exposure, not a bound.
    """
    policy, schema = case.scenario.policy, case.people.schema
    fixed = fixed_columns(policy, schema)
    if fixed is not None:
        return tuple(sorted(schema.column(name) for name in fixed))
    required, forbidden = (
        [schema.column(name) for name in names] for names in (policy.required, policy.forbidden)
    )
    weights = column_weights(policy, schema.names)
    return best_columns(
        case.codes(), policy.k, policy.max_exposure, weights, required, forbidden
    ).kept_columns


def _suppression_text(suppressed: Suppressed) -> str:
    """Return in words the number of suppressed values, and how close it is to the minimum."""
    share = f"{suppressed.blanks:,} of {suppressed.n * suppressed.width:,} cells blank"
    if suppressed.optimal:
        proof = "the fewest possible"
    elif suppressed.lower is None:
        proof = "the fewest possible is not known"
    else:
        proof = f"at least {suppressed.lower:,} are needed"
    return f"{share}: {proof}; a greedy method blanks {suppressed.greedy:,}"


def _cost(case: Case, decided: float) -> tuple[RivalExpenses, ProgramCost]:
    """Send every row to the curator, or the rows of samples of people.

    Return sums over the messages (bytes, refusals), and the cost (CPU time, bytes, rounds).
    decided: seconds of CPU for the curator's choice.
    """
    widths = [feature.width for feature in case.people.schema.features]
    return paid(case, lambda part: [part.people.row(i) for i in range(part.n)], widths, decided)


def _view(case: Case, members: tuple[str, ...], counts_seen: tuple[CountsSeen, ...]) -> View:
    """Return the view of a coalition: the curator has all rows, and every party has the release.

    members: the names of the coalition's parties. counts_seen: the released counts.
    """
    whole = tuple(range(len(case.sizes))) if CURATOR in members else ()
    rows_of_all = {1: whole} if whole else {}
    counts_read = counts_seen
    if whole:
        table = PeopleTable(case.people.values, case.codes())
        counts_read = (CountsSeen(1, whole, count_cells(table, whole)),)
    transcript = Transcript(case.n, summary=True)
    return View(frozenset(members), case.n, True, {}, counts_read, {}, rows_of_all, transcript)


def _received(case: Case, members: tuple[str, ...], release: ReleasedRows) -> Received:
    """Return the leakage to a coalition by a release with suppressed values.

    members: the names of the coalition's parties.
    """
    if CURATOR in members:
        return received(_view(case, members, ()), case.sizes)
    sizes = case.sizes
    certain = sum(
        size == 1 or ((column != BLANK).all() and len(set(column.tolist())) == 1)
        for size, column in zip(sizes, release.rows.T, strict=True)
    )
    bits = bits_of_release(release, case.n, sizes)
    return Received(
        tuple(members), case.n, case.n * len(sizes), 0, int(certain) * case.n, bits, False, case.n
    )


def _burned(case: Case, program: str, reason: str) -> Compared:
    """Return the result of the comparator if it aborts because too few people answered.

    The curator has still seen their rows, so leakage is scored. program: the comparator's name.
    reason: the reason of the abort, in words.
    """
    purse, price = _cost(case, 0.0)
    trust = [received(_view(case, members, ()), case.sizes) for members in COALITIONS]
    return Compared(
        program,
        "central",
        "",
        reason,
        dict(purse.refused),
        Trust.from_received(trust),
        Privacy(0.0, None),
        empty_utility(case),
        price,
    )
