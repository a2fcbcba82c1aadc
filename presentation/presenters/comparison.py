"""The presenter of a comparison: release programs run on the same people.

Its tables compare trust, privacy, utility and cost of the programs.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...number_text import percent, plural, sentence
from ...scenarios.studies.cheating.cheating_result import NO_SUCCESS, name_members
from ...scenarios.studies.comparison.result import (
    Compared,
    Comparison,
    Learnt,
    name_coalition,
)
from ..text_blocks import Grid, Line
from ..wording import OUTSIDE_CATALOGUE
from .cheating import NOT_MEASURED, played, successes_with_attacks

if TYPE_CHECKING:
    from ..blocks import Block

LEGEND = (
    "bits: what the single party that receives most has learnt of who has which row, per person.\n"
    "linked: people it can pin a row on, or a report. watching: the smallest coalition that can;\n"
    "both of parties that keep to the rules. cheating: the smallest for which an attack of the\n"
    "catalogue read somebody's row, measured with --cheating; fewer may do, by other attacks.\n"
    "guessed: people whose whole row its best guess gets right, in expectation.\n"
    "exposure: people in a crowd smaller than k, as released and as promised; e: epsilon in nats.\n"
    "by exclusion: people of whom nothing is released, in a small crowd that is known since they\n"
    "have none of the open values; they count in exposure. reader: how many it knows so.\n"
    "entropy: bits a person that the release keeps; of noise, what a report tells of its row.\n"
    "two-way: tables of two columns that are answered. error: total variation distance over all\n"
    "of them, mean and worst; a column that is not released is guessed to be uniform. +-: 95 %."
)
NOISE = (
    "joint: one noisy report of the whole row. features and histogram: one a feature, two-way\n"
    "tables as if features were independent; histogram sends them through the mix."
)

PEERS = (
    "peer: the first peers who keep to the protocol, in coalitions of some sizes. linked counts\n"
    "others; bits, guesses and cells count a peer's own row. Counts of single columns are public.\n"
    "CPU leaves out that everybody reads all that is said."
)
PROOF = (
    "by proof: a coalition of all these, also if it cheats, learns the answers to each question\n"
    "and who takes part, and no more: a proof sketch, not machine-checked (docs/verified.md). It\n"
    "lacks friends, people kept away and stopping. in all: bytes of all parties for each person."
)
ROLES = ("curator", "analyst", "shuffler", "aggregator", "peer")


def terminal(comparison: Comparison) -> Iterator["Block"]:
    """Yield a comparison of programs for a terminal: tables, legends, and remarks."""
    # A legend is printed only if a program of this comparison has the figures that it explains.
    # Otherwise a reader would search the tables for figures that are not there.
    programs = comparison.programs
    how = (
        "all messages sent" if comparison.messages else "counts without messages, cost from samples"
    )
    seed = "system randomness" if comparison.seed is None else f"seed {comparison.seed}"
    yield Line(
        f"{comparison.scenario}  {plural(comparison.users, 'person', 'people')}, "
        f"{plural(len(comparison.features), 'feature')}, k = {comparison.k}, {seed}; {how}\n"
    )
    proved = any(program.trust.proof for program in programs)
    for title, grid in (
        ("trust and privacy", trust_grid(programs)),
        ("what each received: bits a person, cells known for certain", _roles(programs)),
        ("utility and cost", utility_grid(programs)),
        *([("who must collude, and how that is shown", evidence_grid(programs))] if proved else []),
    ):
        yield from (Line(title, "bold"), grid, Line())
    yield from legends(comparison)
    yield from remarks(comparison)


def legends(comparison: Comparison) -> Iterator["Block"]:
    """Yield the meaning of the figures in the tables.

    Legends on noise, peers and proofs are yielded only if a program has such figures.
    """
    programs = comparison.programs
    yield Line(LEGEND)
    if any(program.trust.proof for program in programs):
        yield Line(PROOF)
    every = [program.privacy for program in programs]
    if noisy := [privacy for privacy in every if privacy.epsilon is not None]:
        neighbours = noisy[0].adjacency or "not recorded"
        yield Line(f"e: local, of a person's whole answer; adjacency: {neighbours}.")
        yield Line(NOISE)
    if any(program.program == "peers" for program in programs):
        yield Line(PEERS)


def remarks(comparison: Comparison) -> Iterator["Block"]:
    """Yield lines on measured attacks, on single programs, and on programs not compared."""
    yield from map(Line, _cheaters(comparison))
    for program in comparison.programs:
        if program.burned:
            yield Line(f"{program.program}: nothing released: {program.burned}")
        elif program.note and program.privacy.epsilon is None:
            yield Line(f"{program.program}: {program.note}")
        if program.refused:
            counted = ", ".join(f"{count} {reason}" for reason, count in program.refused.items())
            yield Line(f"{program.program}: refused {counted}")
    for name, why in comparison.skipped.items():
        yield Line(f"{name}: not compared: {why}", "yellow")


def trust_grid(programs: Sequence[Compared]) -> Grid:
    """Return the table of trust and privacy of each program.

    It has the single party that learns most, smallest harmful coalitions, and exposure or epsilon.
    """
    rows = [
        (
            program.program,
            program.trust.largest_party_leakage.parties[0],
            bits_text(program.trust.largest_party_leakage),
            _linked(program.trust.largest_party_leakage),
            _share(program.trust.largest_party_leakage.rows_guessed),
            _smallest(program),
            _cheating(program),
            percent(program.privacy.true) if program.privacy.epsilon is None else "no rows",
            _share(program.privacy.promised)
            if program.privacy.epsilon is None
            else f"e = {program.privacy.epsilon:g}",
            program.privacy.exclusion,
        )
        for program in programs
    ]
    headings = (
        *("program", "most trusted", "bits", "linked", "guessed", "watching", "cheating"),
        *("exposure", "promised", "by exclusion"),
    )
    return Grid(headings, rows, (2, 3, 4, 7, 8, 9), "Trust and privacy")


def bits_text(party: Learnt) -> str:
    """Return the leakage to parties in bits per person, with <= or >= if it is a bound."""
    return f"{party.bits_are.mark}{party.bits_per_person:.2f}"


def _linked(party: Learnt) -> str:
    """Return the number of people that a party links to a value, or to a report with noise.

    In the second case the text says `reports`.
    """
    return f"{party.linked:,}" + (" reports" if party.reports and party.linked else "")


def _share(share: float | None) -> str:
    """Return a share as a percentage, or a dash for a missing share."""
    return "-" if share is None else percent(share)


def evidence_grid(programs: Sequence[Compared]) -> Grid:
    """Return the table of the harmful coalitions of each release program, by kind of evidence.

    The kinds: all minimal coalitions that link people by following the protocol; a smallest
    coalition for which an attack of the catalogue read a row; and the largest malicious coalition
    that, by a proof sketch, learns no more than it should.
    """
    rows = [
        (
            program.program,
            " or ".join(map(name_coalition, program.trust.smallest)) or "nobody",
            _cheating(program),
            program.trust.proof or "no proof",
        )
        for program in programs
    ]
    return Grid(("program", "by watching", "by attacks", "by proof: learn no more"), rows)


def _roles(programs: Sequence[Compared]) -> Grid:
    """Return the table of the leakage to each role (such as shuffler), and to all parties together.

    Each cell has two figures: bits of leakage per person, and the number of cells of people's rows
    known with certainty. If several parties have a role, the figures are of the party that learns
    most.
    """
    roles = [role for role in ROLES if any(_worst_party(program, role) for program in programs)]
    rows = [
        (
            program.program,
            *(_received(_worst_party(program, role)) for role in roles),
            _received(max(program.trust.coalitions, key=lambda knowledge: len(knowledge.parties))),
        )
        for program in programs
    ]
    headings = ("program", *roles, "all together")
    return Grid(headings, rows, tuple(range(1, len(headings))))


def _worst_party(program: Compared, role: str) -> Learnt | None:
    """Return the single party of a role that learns most bits; None without such a party.

    role: such as shuffler.
    """
    parties = [
        party
        for party in program.trust.coalitions
        if len(party.parties) == 1 and party.parties[0].partition("-")[0] == role
    ]
    return max(parties, key=lambda party: party.bits_per_person, default=None)


def _received(party: Learnt | None) -> str:
    """Return two figures of a party: bits of leakage per person, and cells known with certainty.

    A cell is one value in a person's row. None gives a dash.
    """
    return "-" if party is None else f"{bits_text(party)}, {party.cells_certain:,}"


def _smallest(program: Compared) -> str:
    """Return a smallest coalition that links people to values by following the protocol.

    The number of other minimal coalitions follows in brackets.
    """
    smallest = program.trust.smallest
    if not smallest:
        return "nobody"
    return name_coalition(min(smallest, key=len)) + _other_count(len(smallest))


def _cheating(program: Compared) -> str:
    """Return a smallest coalition for which an attack of the catalogue read a person's row.

    The number of other minimal coalitions follows in brackets.
    """
    study = program.trust.cheating
    if study is None:
        return NOT_MEASURED
    if not study.smallest:
        return NO_SUCCESS
    first = study.smallest[0]
    return name_members((first.parties, first.friends)) + _other_count(len(study.smallest))


def _other_count(coalitions: int) -> str:
    """Return the number of further coalitions in brackets; "" if there is a single coalition.

    coalitions: number of all coalitions.
    """
    return f" (or {coalitions - 1} other)" if coalitions > 1 else ""


def _cheaters(comparison: Comparison) -> Iterator[str]:
    """Yield a line for each release program with measured attacks.

    A line names the smallest coalitions for which an attack read a person's row. It has the share
    of runs in which the attack did, and the numbers of attacks and runs that were played.
    """
    measured = [program for program in comparison.programs if program.trust.cheating is not None]
    for program in measured:
        if study := program.trust.cheating:
            where = "" if study.users == comparison.users else f"of a sample of {study.users:,}: "
            yield (
                f"{program.program}, cheating: {where}{successes_with_attacks(study)}; "
                f"{played(study)}"
            )
    if measured:
        yield sentence(OUTSIDE_CATALOGUE)


def utility_grid(programs: Sequence[Compared]) -> Grid:
    """Return the table of utility and cost: released columns, errors, CPU time and bytes."""
    rows = [
        (
            program.program,
            len(program.utility.columns),
            percent(program.utility.cells),
            f"{program.utility.entropy:.2f} of {program.utility.entropy_of_all:.2f}",
            f"{program.utility.answered} of {program.utility.pairs}",
            f"{program.utility.mean:.3f}{_spread(program.utility.mean_limits, 3)}",
            f"{program.utility.largest:.3f}",
            f"{program.cost.cpu:.2f}{_spread(program.cost.cpu_limits, 2)}",
            f"{program.cost.bytes:,.0f}",
            "-" if program.cost.total is None else f"{program.cost.total:,.0f}",
            program.cost.rounds,
        )
        for program in programs
    ]
    headings = (
        *("program", "columns", "cells", "entropy", "two-way", "error", "worst", "CPU seconds"),
        *("bytes/person", "in all", "rounds"),
    )
    return Grid(headings, rows, tuple(range(1, len(headings))), "Utility and cost")


def _spread(limits: tuple[float, float] | None, digits: int) -> str:
    """Return half of the width of a 95 % interval as text, after +-; "" without an interval.

    limits: the ends of the interval. digits: decimal places.
    """
    return "" if limits is None else f" +- {(limits[1] - limits[0]) / 2:.{digits}f}"
