"""The tables of a comparison: trust and privacy, knowledge of each role, utility and cost."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .layout import Grid, PipeConsole, clean, lay_out, percent, plural, say

if TYPE_CHECKING:
    from ...scenarios.studies.comparison.result import (
        Compared,
        Comparison,
        Learnt,
        Privacy,
        ProgramCost,
        Utility,
    )


def print_comparison(console: PipeConsole, comparison: "Comparison") -> None:
    """Print the tables of a comparison, and notes on refused and skipped programs."""
    # A legend is printed only if a program of this comparison has the figures that it explains:
    # otherwise a reader would search the tables for them.
    how = (
        "all messages sent" if comparison.messages else "counts without messages, cost from samples"
    )
    seed = "system randomness" if comparison.seed is None else f"seed {comparison.seed}"
    say(
        console,
        f"{clean(comparison.scenario)}  {plural(comparison.users, 'person', 'people')}, "
        f"{plural(len(comparison.features), 'feature')}, k = {comparison.k}, {seed}; {how}\n",
    )
    say(console, "trust and privacy", style="bold")
    lay_out(console, _trust(comparison.programs))
    say(console)
    say(console, "what each received: bits a person, cells known for certain", style="bold")
    lay_out(console, _roles(comparison.programs))
    say(console)
    say(console, "utility and cost", style="bold")
    lay_out(console, _utility(comparison.programs))
    say(console)
    if any(program.trust.proof for program in comparison.programs):
        say(console, "who must collude, and how that is shown", style="bold")
        lay_out(console, _evidence(comparison.programs))
        say(console)
    say(console, LEGEND)
    if any(program.trust.proof for program in comparison.programs):
        say(console, PROOF)
    every = [program.privacy for program in comparison.programs]
    if noisy := [privacy for privacy in every if privacy.epsilon is not None]:
        neighbours = noisy[0].adjacency or "not recorded"
        say(console, f"e: local, of a person's whole answer; adjacency: {neighbours}.")
        say(console, NOISE)
    if any(program.program == "peers" for program in comparison.programs):
        say(console, PEERS)
    for line in _cheaters(comparison):
        say(console, line)
    for program in comparison.programs:
        if program.burned:
            say(console, f"{program.program}: nothing released: {clean(program.burned)}")
        elif program.note and program.privacy.epsilon is None:
            say(console, f"{program.program}: {clean(program.note)}")
        if program.refused:
            counted = ", ".join(f"{count} {reason}" for reason, count in program.refused.items())
            say(console, f"{program.program}: refused {counted}")
    for name, why in comparison.skipped.items():
        say(console, f"{name}: not compared: {clean(why)}", style="yellow")


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


def _trust(programs: "Sequence[Compared]") -> Grid:
    rows = []
    for program in programs:
        trusted_party = program.trust.most_trusted
        rows.append(
            (
                program.program,
                trusted_party.parties[0],
                trusted_party.bits_are.mark + f"{trusted_party.bits_per_person:.2f}",
                f"{trusted_party.linked:,}"
                + (" reports" if trusted_party.reports and trusted_party.linked else ""),
                "-" if trusted_party.rows_guessed is None else percent(trusted_party.rows_guessed),
                _smallest_coalition(program),
                _cheating(program),
                percent(program.privacy.true) if program.privacy.epsilon is None else "no rows",
                _promise(program.privacy),
                program.privacy.exclusion,
            )
        )
    headings = (
        "program", "most trusted", "bits", "linked", "guessed", "watching", "cheating", "exposure",
        "promised", "by exclusion",
    )  # fmt: skip
    return Grid(headings, rows, (2, 3, 4, 7, 8, 9))


PROOF = (
    "by proof: a coalition of all these, also if it cheats, learns the answers to each question\n"
    "and who takes part, and no more: a proof sketch, not machine-checked (docs/verified.md). It\n"
    "lacks friends, people kept away and stopping. in all: bytes of all parties for each person."
)


def _evidence(programs: "Sequence[Compared]") -> Grid:
    """Return a table: the coalitions of each program by watching, by the catalogue, by proof."""
    rows = [
        (
            program.program,
            _smallest_coalition(program),
            _cheating(program),
            program.trust.proof or "no proof",
        )
        for program in programs
    ]
    return Grid(("program", "by watching", "by attacks", "by proof: learn no more"), rows)


ROLES = ("curator", "analyst", "shuffler", "aggregator", "peer")


def _roles(programs: "Sequence[Compared]") -> Grid:
    """Return a table: knowledge of single parties of each role, and of all parties together."""
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


def _worst_party(program: "Compared", role: str) -> "Learnt | None":
    """Return the party of a role that learned most; None if the program has no such party."""
    single_parties = [
        single_party for single_party in program.trust.coalitions if len(single_party.parties) == 1
    ]
    named = [
        single_party
        for single_party in single_parties
        if single_party.parties[0].partition("-")[0] == role
    ]
    return max(named, key=lambda partial_knowledge: partial_knowledge.bits_per_person, default=None)


def _received(knowledge: "Learnt | None") -> str:
    if knowledge is None:
        return "-"
    return f"{knowledge.bits_are.mark}{knowledge.bits_per_person:.2f}, {knowledge.cells_certain:,}"


def _smallest_coalition(program: "Compared") -> str:
    """Return the smallest linking coalition, and the number of other minimal coalitions."""
    if not program.trust.smallest:
        return "nobody"
    from ...scenarios.studies.comparison.result import name_coalition

    fewest = min(program.trust.smallest, key=len)
    more = len(program.trust.smallest) - 1
    return name_coalition(fewest) + (f" (or {more} other)" if more else "")


def _cheating(program: "Compared") -> str:
    """The smallest coalition for which an attack of the catalogue read a row, if measured."""
    from ...scenarios.studies.cheating.cheating_result import name_members
    from ...scenarios.studies.cheating.cheating_text import NO_SUCCESS, NOT_MEASURED

    study = program.trust.cheating
    if study is None:
        return NOT_MEASURED
    if not study.smallest:
        return NO_SUCCESS
    first, more = study.smallest[0], len(study.smallest) - 1
    return name_members((first.parties, first.friends)) + (f" (or {more} other)" if more else "")


def _cheaters(comparison: "Comparison") -> Iterator[str]:
    """Yield a line for each program with measured attacks: successes, and runs played."""
    from ...presentation.wording import OUTSIDE_CATALOGUE, sentence
    from ...scenarios.studies.cheating.cheating_text import played, successes_with_attacks

    for program in comparison.programs:
        if program.trust.cheating is not None:
            success_text, people = (
                successes_with_attacks(program.trust.cheating),
                program.trust.cheating.users,
            )
            where = "" if people == comparison.users else f"of a sample of {people:,}: "
            yield (
                f"{program.program}, cheating: {where}{success_text}; "
                f"{played(program.trust.cheating)}"
            )
    if any(program.trust.cheating is not None for program in comparison.programs):
        yield sentence(OUTSIDE_CATALOGUE)


def _promise(privacy: "Privacy") -> str:
    if privacy.epsilon is not None:
        return f"e = {privacy.epsilon:g}"
    return "-" if privacy.promised is None else percent(privacy.promised)


def _utility(programs: "Sequence[Compared]") -> Grid:
    rows = [
        (
            program.program,
            len(program.utility.columns),
            percent(program.utility.cells),
            f"{program.utility.entropy:.2f} of {program.utility.entropy_of_all:.2f}",
            f"{program.utility.answered} of {program.utility.pairs}",
            _error(program.utility),
            f"{program.utility.largest:.3f}",
            _seconds(program.cost),
            f"{program.cost.bytes:,.0f}",
            "-" if program.cost.total is None else f"{program.cost.total:,.0f}",
            program.cost.rounds,
        )
        for program in programs
    ]
    headings = (
        "program", "columns", "cells", "entropy", "two-way", "error", "worst", "CPU seconds",
        "bytes/person", "in all", "rounds",
    )  # fmt: skip
    return Grid(headings, rows, tuple(range(1, len(headings))))


def _error(worth: "Utility") -> str:
    if worth.mean_limits is None:
        return f"{worth.mean:.3f}"
    low, high = worth.mean_limits
    return f"{worth.mean:.3f} +- {(high - low) / 2:.3f}"


def _seconds(price: "ProgramCost") -> str:
    if price.cpu_limits is None:
        return f"{price.cpu:.2f}"
    low, high = price.cpu_limits
    return f"{price.cpu:.2f} +- {(high - low) / 2:.2f}"
