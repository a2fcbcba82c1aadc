"""The page of a comparison: every program on one scenario, by trust, privacy, utility and cost."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..analysis.figures.labels import Box, beside
from ..analysis.trust.fiber import Side
from ..scenarios.comparison.result import Compared, Comparison, together
from ..scenarios.pages.pieces import (
    Alert,
    Answer,
    Cell,
    Figure,
    Grid,
    Numbers,
    Page,
    Section,
    Words,
    worst_first,
)
from ..scenarios.pages.svg import Drawing, Plot, plot, shorten
from ..scenarios.wording import many, percent
from .wires import size

ROW = 24
NAMES = 150
PANEL = 112  # units of the picture for each measure
ARROW = 26  # units of a sign for a value that is only bounded from below
LABEL = 14  # units: the height of a name beside its point
LETTER = 7.2  # units: the width of a letter there, at most
LEGEND = 2  # lines
SHAPES = {"mix": "circle", "central": "square", "shares": "triangle", "local": "diamond"}
FAMILIES = {
    "mix": "through the mix",
    "central": "one curator sees everything",
    "shares": "two parties add secret shares",
    "local": "everybody adds noise, no mix",
}
KNOWS = (
    "All programs ran on the same people; the truth beside each promise is the laboratory's. Made "
    "by veilmix from a saved comparison; nothing on this page is loaded from anywhere."
)


@dataclass(frozen=True, slots=True)
class Measure:
    """What a program is measured by.

    text: as it is read; limits: of a 95 % interval, or None; known: whether the value is known from
    above, and may be drawn as a bar.
    """

    title: str
    value: Callable[[Compared], float]
    text: Callable[[Compared], str]
    limits: Callable[[Compared], tuple[float, float] | None]
    known: Callable[[Compared], bool] = lambda _: True


def _bits(one: Compared) -> float:
    return one.trust.most_trusted.bits_per_person


def _known(one: Compared) -> bool:
    """Whether bits are known from above; of a lower bound alone nobody knows how far it is."""
    return one.trust.most_trusted.bits_are is not Side.AT_LEAST


def _bits_text(one: Compared) -> str:
    return f"{one.trust.most_trusted.bits_are.mark}{_bits(one):.2f}"


def _exposed(one: Compared) -> str:
    if one.privacy.epsilon is not None:
        return f"e = {one.privacy.epsilon:g}"
    return percent(one.privacy.true)


MEASURES = (
    Measure("bits, one party", _bits, _bits_text, lambda _: None, _known),
    Measure("exposed", lambda one: one.privacy.true, _exposed, lambda _: None),
    Measure(
        "table error",
        lambda one: one.utility.mean,
        lambda one: f"{one.utility.mean:.3f}",
        lambda one: one.utility.mean_limits,
    ),
    Measure(
        "CPU seconds",
        lambda one: one.cost.cpu,
        lambda one: f"{one.cost.cpu:.3g}",
        lambda one: one.cost.cpu_limits,
    ),
    Measure(
        "bytes sent",
        lambda one: one.cost.bytes,
        lambda one: f"{one.cost.bytes:,.0f}",
        lambda _: None,
    ),
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
    known = [one for one in done if _known(one)]
    best = min(done, key=lambda one: one.utility.mean)
    exact = [one for one in done if one.privacy.epsilon is None]
    most = max(exact, key=lambda one: one.utility.entropy) if exact else best
    return (
        _least_trust(known, [one for one in done if not _known(one)]),
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
    least = min(known, key=_bits)
    text = f"The party that learns most receives {_bits_text(least)} bits a person."
    return Answer(question, least.program, text + why)


def _sections(found: Comparison) -> Iterator[Section]:
    lead = (
        "Bits to one party: what the single party that receives most has learnt of who has which "
        "row, per person. Exposed: people in a crowd smaller than k as released; e is epsilon, "
        "nats, where people add noise instead. Error: total variation distance of all two-way "
        "tables, 0 to 1, a column that is not released being guessed uniform."
    )
    yield Section("measures", "Side by side", lead, (_figure(found), _trust(found), _use(found)))
    lead = (
        "Down and to the left is better: less trust in any one party, and better answers. The "
        "shape says how a program works."
    )
    yield Section("frontier", "Trust against use", lead, (_frontier(found),))
    lead = "The smallest coalitions that pin anything on anybody, and what every program did."
    rows = [
        (
            one.program,
            FAMILIES.get(one.family, one.family),
            " or ".join(together(parties) for parties in one.trust.smallest) or "nobody",
            one.note,
        )
        for one in found.programs
    ]
    headings = ("program", "how", "links somebody", "note")
    blocks = (
        Grid("Every program", headings, rows),
        Words(f"Features: {', '.join(found.features)}."),
    )
    yield Section("trust", "Who must collude", lead, blocks)
    seed = "" if found.seed is None else f" --seed {found.seed}"
    real = "--mode real" if found.messages else "--mode ideal"
    told = Words(f"veilmix compare {found.scenario}{seed} {real}; seconds differ from run to run.")
    yield Section("repeat", "How to reproduce it", "The scenario is in the folder.", (told,))


def _figure(found: Comparison) -> Figure:
    """A row a program, a bar a measure."""
    height = 34 + ROW * len(found.programs)
    about = "; ".join(f"{one.program}: {_bits_text(one)} bits" for one in found.programs)
    drawing = Drawing("measures", "Programs side by side", about, NAMES + 5 * (PANEL + 6), height)
    for place, measure in enumerate(MEASURES):
        x = NAMES + place * (PANEL + 6)
        drawing.text(x, 16, shorten(measure.title, 21), "label")
        ends = [measure.limits(one) or (0.0, 0.0) for one in found.programs]
        high = max(*(measure.value(one) for one in found.programs), *(b for _, b in ends), 1e-12)
        scale = (PANEL - 48) / high
        for row, one in enumerate(found.programs):
            y = 28 + ROW * row
            value = measure.value(one)
            end = value
            if measure.known(one):
                drawing.box(x, y + 3, value * scale, 13, "bar")
            else:
                _arrow(drawing, x + value * scale, y + 9.5)
                end += ARROW / scale
            if limits := measure.limits(one):
                drawing.line(
                    (x + limits[0] * scale, y + 9.5), (x + limits[1] * scale, y + 9.5), "link"
                )
                end = max(end, limits[1])
            drawing.text(x + end * scale + 4, y + 14, measure.text(one))
    for row, one in enumerate(found.programs):
        drawing.text(0, 42 + ROW * row, shorten(one.program, 22))
    caption = "Every measure from 0; a line is a 95 % interval. An arrow: at least so much."
    return Figure(drawing.svg(), caption, _numbers(found))


def _arrow(drawing: Drawing, x: float, y: float) -> None:
    """From the least value to the right: how far it goes is not known."""
    drawing.line((x, y - 5), (x, y + 5), "link")
    drawing.line((x, y), (x + ARROW - 4, y), "link")
    for side in (-4, 4):
        drawing.line((x + ARROW - 9, y + side), (x + ARROW - 4, y), "link")


def _numbers(found: Comparison) -> Numbers:
    headings = (
        *("program", "family", "most_trusted", "bits_per_person", "bits_are", "linked_people"),
        *("true_exposure", "promised_exposure", "epsilon_nats", "columns", "cells_share"),
        *("entropy_bits", "error_mean", "error_low_95", "error_high_95", "error_largest"),
        *("cpu_seconds", "bytes_per_person", "rounds"),
    )
    rows: list[tuple[Cell | None, ...]] = []
    for one in found.programs:
        best, worth = one.trust.most_trusted, one.utility
        low, high = worth.mean_limits or (None, None)
        rows.append(
            (
                *(one.program, one.family, "+".join(best.parties), best.bits_per_person),
                *(
                    best.bits_are.value,
                    best.linked,
                    one.privacy.true,
                    one.privacy.promised,
                    one.privacy.epsilon,
                ),
                *(" x ".join(worth.columns), worth.cells, worth.entropy, worth.mean, low, high),
                *(worth.largest, one.cost.cpu, one.cost.bytes, one.cost.rounds),
            )
        )
    return Numbers("programs", headings, rows)


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
                _exposed(one),
                "-" if promised is None else percent(promised),
            )
        )
    headings = (
        *("program", "receives most", "bits a person", "links"),
        *("exposed, in truth", "promised"),
    )
    return Grid("Trust and privacy", headings, rows, (2, 3, 4, 5), _numbers(found))


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


def _frontier(found: Comparison) -> Figure:
    """Error against bits: a mark for each program, its name beside it."""
    right = max(*(_bits(one) for one in found.programs), 0.1)
    high = max(*(one.utility.mean for one in found.programs), 0.05)
    picture = plot(
        "frontier",
        "Trust against use",
        "; ".join(
            f"{one.program}: {_bits_text(one)} bits, error {one.utility.mean:.3f}"
            for one in found.programs
        ),
        (0.0, right * 1.3, False),
        (-0.08 * high, high * 1.15, False),
        height=470,
        head=22 * LEGEND,
    )
    picture.axes(
        "bits a person received by the party that receives most",
        "mean error of two-way tables (0 to 1)",
    )
    _named(picture, found.programs)
    x, y = picture.x.start, 14.0
    for family in dict.fromkeys(one.family for one in found.programs):
        label = FAMILIES.get(family, family)
        width = 15 + len(label) * 6.8 + 14
        if x + width > picture.drawing.width:
            x, y = picture.x.start, y + 20
        picture.drawing.mark((x + 6, y - 4), SHAPES.get(family, "circle"), "promise", 4.5)
        picture.drawing.text(x + 15, y, label)
        x += width
    caption = (
        "Filled: exact counts. Open: people add noise, and e is their epsilon in nats. An arrow: "
        "at least so many bits; how many more is not known."
    )
    return Figure(picture.drawing.svg(), caption, _numbers(found))


def _named(picture: Plot, programs: Sequence[Compared]) -> None:
    """A mark for each program, with an arrow where bits are a lower bound, and its name beside.

    Programs at one place share a name, as `two-round, shares`.
    """
    groups: dict[tuple[float, float, bool], list[Compared]] = {}
    for one in programs:
        place_of = (round(picture.x(_bits(one))), round(picture.y(one.utility.mean)), _known(one))
        groups.setdefault(place_of, []).append(one)
    taken: list[Box] = []
    for (x, y, known), members in groups.items():
        for one in members:
            kind = "promise" if one.privacy.epsilon is not None else "truth"
            picture.drawing.mark((x, y), SHAPES.get(one.family, "circle"), kind, 5)
        if not known:
            _arrow(picture.drawing, x, y)
        taken.append(Box(x - 7, y - 7, x + (7 if known else ARROW), y + 7))
    names = [", ".join(one.program for one in members) for members in groups.values()]
    room = Box(picture.x.start + 3, picture.y.end, picture.x.end, picture.y.start - 3)
    places = beside(
        [(x, y) for x, y, _ in groups],
        [(len(name) * LETTER, LABEL) for name in names],
        room,
        taken,
        9,
    )
    for (x, y, _), name, put in zip(groups, names, places, strict=True):
        box = put.box
        if put.far:
            nearest = (min(max(x, box.left), box.right), min(max(y, box.low), box.high))
            picture.drawing.line((x, y), nearest, "grid")
        picture.drawing.text(box.left, box.high - 3.5, name, "name")
