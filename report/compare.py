"""The page of a comparison of release programs: trust, privacy, utility and cost."""

from collections.abc import Iterator
from dataclasses import replace

from ..number_text import percent, plural
from ..presentation.blocks import Alert, Block, Page, Section, VerdictAnswer, worst_first
from ..presentation.presenters.comparison import (
    evidence_grid,
    legends,
    remarks,
    trust_grid,
    utility_grid,
)
from ..presentation.text_blocks import Line
from ..scenarios.studies.comparison.result import Compared, Comparison
from .compare_figures import (
    bits,
    bits_text,
    frontier_figure,
    known_from_above,
    measures_figure,
    measures_numbers,
)

KNOWS = (
    "All programs ran on the same people; the truth beside each promise is the laboratory's. Made "
    "by veilmix from a saved comparison; nothing on this page is loaded from anywhere."
)


def page(comparison: Comparison) -> Page:
    """Make the page of a comparison of release programs."""
    about = (
        comparison.scenario,
        plural(comparison.users, "person", "people"),
        f"k = {comparison.k}",
        f"max_exposure {percent(comparison.max_exposure)}",
        plural(len(comparison.programs), "program"),
        "every message sent" if comparison.messages else "costs measured on samples",
        "system randomness" if comparison.seed is None else f"seed {comparison.seed}",
    )
    title = f"Programs compared: {comparison.title or comparison.scenario}"
    sections = tuple(_sections(comparison))
    return Page(
        title, about, worst_first(list(_alerts(comparison))), _verdict(comparison), sections, KNOWS
    )


def _alerts(comparison: Comparison) -> Iterator[Alert]:
    """Yield alerts: a broken bound, an aborted round, a single party that links people to rows."""
    for program in comparison.programs:
        if program.privacy.promised is not None and program.privacy.true > program.privacy.promised:
            yield Alert(
                "serious",
                "broken",
                f"The promise of {program.program} does not hold",
                f"{percent(program.privacy.true)} of people are exposed, "
                f"{percent(program.privacy.promised)} at most were promised.",
            )
        if program.burned:
            text = f"Nothing of it is released: {program.burned}."
            yield Alert("warning", "burned", f"{program.program} was burned", text)
    linking_programs = [program for program in comparison.programs if _links_alone(program)]
    if linking_programs:
        names = ", ".join(program.program for program in linking_programs)
        yield Alert(
            "warning",
            "alone",
            "A single party links people to their rows",
            f"In {names} one party needs nobody's help.",
            "A mix, or secret shares, needs several to work together.",
            len(linking_programs),
        )
    if comparison.skipped:
        skipped_text = "; ".join(f"{name}: {why}" for name, why in comparison.skipped.items())
        count = plural(len(comparison.skipped), "program was", "programs were")
        yield Alert("note", "skipped", f"{count} not compared", skipped_text)
    if comparison.seed is not None and comparison.messages:
        text = "Reproducible, and not secret: the keys follow from the seed."
        yield Alert("note", "seeded", f"Seeded with {comparison.seed}", text)


def _links_alone(program: Compared) -> bool:
    """Whether a single party links people to their true values, not only to noisy reports."""
    received = program.trust.largest_party_leakage
    return bool(received.linked) and not received.reports


def _verdict(comparison: Comparison) -> tuple[VerdictAnswer, ...]:
    """Return the answers at the top: least trust, best two-way tables, highest entropy kept.

    Each names the release program that is best by this measure. Entropy is compared among release
    programs without noise.
    """
    completed_programs = [program for program in comparison.programs if not program.burned]
    if not completed_programs:
        return ()
    bounded_programs = [program for program in completed_programs if known_from_above(program)]
    best = min(completed_programs, key=lambda program: program.utility.mean)
    exact = [program for program in completed_programs if program.privacy.epsilon is None]
    richest_program = max(exact, key=lambda program: program.utility.entropy) if exact else best
    return (
        _smallest_trust(
            bounded_programs,
            [program for program in completed_programs if not known_from_above(program)],
        ),
        VerdictAnswer(
            "Which answers two-way tables best?",
            best.program,
            f"Mean total variation distance {best.utility.mean:.3f} over {best.utility.pairs} "
            f"tables, of which {best.utility.answered} are answered.",
        ),
        VerdictAnswer(
            "Which releases most true counts?",
            richest_program.program,
            f"It keeps {richest_program.utility.entropy:.2f} of "
            f"{richest_program.utility.entropy_of_all:.2f} bits a "
            f"person; {percent(richest_program.privacy.true)} of people are exposed.",
        ),
    )


def _smallest_trust(bounded_programs: list[Compared], unknown: list[Compared]) -> VerdictAnswer:
    """Return the answer: the release program whose best-informed party gets fewest bits a person.

    bounded_programs: programs with an exact leakage or an upper bound of it, which are ranked.
    unknown: programs with only a lower bound, which cannot be ranked.
    """
    question = "Which asks for the least trust?"
    left_out = ", ".join(program.program for program in unknown)
    why = f" Not ranked, for only a lower bound is known: {left_out}." if unknown else ""
    if not bounded_programs:
        return VerdictAnswer(question, "not known", why.strip())
    best_program = min(bounded_programs, key=bits)
    text = f"The party that learns most receives {bits_text(best_program)} bits a person."
    return VerdictAnswer(question, best_program.program, text + why)


def _sections(comparison: Comparison) -> Iterator[Section]:
    """Yield the sections: measures side by side, trust against utility, and evidence."""
    lead = "Each program on the same people: trust and privacy, utility and cost."
    blocks: tuple[Block, ...] = (
        measures_figure(comparison),
        replace(trust_grid(comparison.programs), numbers=measures_numbers(comparison)),
        utility_grid(comparison.programs),
        *legends(comparison),
    )
    yield Section("measures", "Side by side", lead, blocks)
    lead = (
        "Down and to the left is better: less trust in any one party, and better answers. The "
        "shape says how a program works."
    )
    yield Section("frontier", "Trust against use", lead, (frontier_figure(comparison),))
    blocks = (
        evidence_grid(comparison.programs),
        *remarks(comparison),
        Line(f"Features: {', '.join(comparison.features)}."),
    )
    lead = (
        "The smallest coalitions that pin anything on anybody while they keep to the rules; those "
        "for which an attack of the catalogue read somebody's row, where veilmix compare "
        "--cheating has measured it; and what every program did."
    )
    yield Section("trust", "Who must collude", lead, blocks)
    seed = "" if comparison.seed is None else f" --seed {comparison.seed}"
    real = "--mode real" if comparison.messages else "--mode ideal"
    command_line = Line(
        f"veilmix compare {comparison.scenario}{seed} {real}; seconds differ from run to run."
    )
    yield Section(
        "repeat", "How to reproduce it", "The scenario is in the folder.", (command_line,)
    )
