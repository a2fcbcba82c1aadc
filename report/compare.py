"""The page of a comparison: every program on one scenario, by trust, privacy, utility and cost."""

from collections.abc import Iterator

from ..scenarios.comparison.result import Compared, Comparison, name_coalition
from ..scenarios.pages.pieces import (
    Alert,
    Answer,
    Grid,
    Page,
    Section,
    Words,
    worst_first,
)
from ..scenarios.studies.cheating_text import NOT_MEASURED, played, smallest_with_attacks
from ..scenarios.wording import many, percent
from .compare_figures import (
    FAMILIES,
    bits,
    bits_text,
    exposed,
    frontier_figure,
    known_from_above,
    measures_figure,
    measures_numbers,
)
from .wires import size

KNOWS = (
    "All programs ran on the same people; the truth beside each promise is the laboratory's. Made "
    "by veilmix from a saved comparison; nothing on this page is loaded from anywhere."
)


def page(found: Comparison) -> Page:
    """Make the page of a comparison."""
    about = (
        found.scenario,
        many(found.users, "person", "people"),
        f"k = {found.k}",
        f"max_exposure {percent(found.max_exposure)}",
        many(len(found.programs), "program"),
        "every message sent" if found.messages else "costs measured on samples",
        "system randomness" if found.seed is None else f"seed {found.seed}",
    )
    title = f"Programs compared: {found.title or found.scenario}"
    sections = tuple(_sections(found))
    return Page(title, about, worst_first(list(_alerts(found))), _verdict(found), sections, KNOWS)


def _alerts(found: Comparison) -> Iterator[Alert]:
    for one in found.programs:
        if one.privacy.promised is not None and one.privacy.true > one.privacy.promised:
            yield Alert(
                "serious",
                "broken",
                f"The promise of {one.program} does not hold",
                f"{percent(one.privacy.true)} of people are exposed, "
                f"{percent(one.privacy.promised)} at most were promised.",
            )
        if one.burned:
            text = f"Nothing of it is released: {one.burned}."
            yield Alert("warning", "burned", f"{one.program} was burned", text)
    alone = [one for one in found.programs if _alone(one)]
    if alone:
        names = ", ".join(one.program for one in alone)
        yield Alert(
            "warning",
            "alone",
            "A single party links people to their rows",
            f"In {names} one party needs nobody's help.",
            "A mix, or secret shares, needs several to work together.",
            len(alone),
        )
    if found.skipped:
        said = "; ".join(f"{name}: {why}" for name, why in found.skipped.items())
        count = many(len(found.skipped), "program was", "programs were")
        yield Alert("note", "skipped", f"{count} not compared", said)
    if found.seed is not None and found.messages:
        text = "Reproducible, and not secret: the keys follow from the seed."
        yield Alert("note", "seeded", f"Seeded with {found.seed}", text)


def _alone(one: Compared) -> bool:
    """Whether one party by itself pins true values, not noise, on people."""
    received = one.trust.most_trusted
    return bool(received.linked) and not received.reports


def _verdict(found: Comparison) -> tuple[Answer, ...]:
    done = [one for one in found.programs if not one.burned]
    if not done:
        return ()
    known = [one for one in done if known_from_above(one)]
    best = min(done, key=lambda one: one.utility.mean)
    exact = [one for one in done if one.privacy.epsilon is None]
    most = max(exact, key=lambda one: one.utility.entropy) if exact else best
    return (
        _least_trust(known, [one for one in done if not known_from_above(one)]),
        Answer(
            "Which answers two-way tables best?",
            best.program,
            f"Mean total variation distance {best.utility.mean:.3f} over {best.utility.pairs} "
            f"tables, of which {best.utility.answered} are answered.",
        ),
        Answer(
            "Which releases most true counts?",
            most.program,
            f"It keeps {most.utility.entropy:.2f} of {most.utility.entropy_of_all:.2f} bits a "
            f"person; {percent(most.privacy.true)} of people are exposed.",
        ),
    )


def _least_trust(known: list[Compared], unknown: list[Compared]) -> Answer:
    """The program whose most trusted party receives least, among those of which that is known."""
    question = "Which asks for the least trust?"
    left_out = ", ".join(one.program for one in unknown)
    why = f" Not ranked, for only a lower bound is known: {left_out}." if unknown else ""
    if not known:
        return Answer(question, "not known", why.strip())
    least = min(known, key=bits)
    text = f"The party that learns most receives {bits_text(least)} bits a person."
    return Answer(question, least.program, text + why)


def _sections(found: Comparison) -> Iterator[Section]:
    lead = (
        "Bits to one party: what the single party that receives most has learnt of who has which "
        "row, per person. Exposed: people in a crowd smaller than k as released; e is epsilon, "
        "nats, where people add noise instead. Error: total variation distance of all two-way "
        "tables, 0 to 1, a column that is not released being guessed uniform."
    )
    yield Section(
        "measures", "Side by side", lead, (measures_figure(found), _trust(found), _use(found))
    )
    lead = (
        "Down and to the left is better: less trust in any one party, and better answers. The "
        "shape says how a program works."
    )
    yield Section("frontier", "Trust against use", lead, (frontier_figure(found),))
    lead = (
        "The smallest coalitions that pin anything on anybody while they keep to the rules; those "
        "that learn somebody's row by a known attack, where veilmix compare --cheating has "
        "measured it; and what every program did."
    )
    rows = [
        (
            one.program,
            FAMILIES.get(one.family, one.family),
            " or ".join(name_coalition(parties) for parties in one.trust.smallest) or "nobody",
            _cheating(one),
            one.note,
        )
        for one in found.programs
    ]
    headings = ("program", "how", "links somebody, watching", "learns a row, cheating", "note")
    blocks = (
        Grid("Every program", headings, rows),
        Words(f"Features: {', '.join(found.features)}."),
    )
    yield Section("trust", "Who must collude", lead, blocks)
    seed = "" if found.seed is None else f" --seed {found.seed}"
    real = "--mode real" if found.messages else "--mode ideal"
    told = Words(f"veilmix compare {found.scenario}{seed} {real}; seconds differ from run to run.")
    yield Section("repeat", "How to reproduce it", "The scenario is in the folder.", (told,))


def _cheating(one: Compared) -> str:
    found = one.trust.cheating
    return NOT_MEASURED if found is None else f"{smallest_with_attacks(found)}; {played(found)}"


def _trust(found: Comparison) -> Grid:
    rows = []
    for one in found.programs:
        best, promised = one.trust.most_trusted, one.privacy.promised
        rows.append(
            (
                one.program,
                " + ".join(best.parties),
                best.bits_are.mark + f"{best.bits_per_person:.2f}",
                f"{best.linked:,} {'reports' if best.reports else 'people'}",
                exposed(one),
                "-" if promised is None else percent(promised),
            )
        )
    headings = (
        *("program", "receives most", "bits a person", "links"),
        *("exposed, in truth", "promised"),
    )
    return Grid("Trust and privacy", headings, rows, (2, 3, 4, 5), measures_numbers(found))


def _use(found: Comparison) -> Grid:
    rows = [
        (
            one.program,
            f"{len(one.utility.columns)} ({percent(one.utility.cells)})",
            f"{one.utility.entropy:.2f} of {one.utility.entropy_of_all:.2f}",
            _error(one),
            f"{one.utility.largest:.3f}",
            f"{one.cost.cpu:.3g} s",
            size(one.cost.bytes),
            str(one.cost.rounds),
        )
        for one in found.programs
    ]
    headings = (
        *("program", "columns (cells)", "bits a person kept", "table error, mean", "worst"),
        *("CPU", "a person sends", "rounds"),
    )
    return Grid("Utility and cost", headings, rows, tuple(range(1, 8)))


def _error(one: Compared) -> str:
    limits = one.utility.mean_limits
    spread = f" +- {(limits[1] - limits[0]) / 2:.2g}" if limits else ""
    return f"{one.utility.mean:.3f}{spread}"
