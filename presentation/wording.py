"""The words and number formats of output for people: shares, numbers, lines, tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isclose

TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
SIZES = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB", "ZB")  # each a thousand of the one before
ROUNDING = 1e-12  # an error below is of the floats alone

# Said wherever it is told what coalitions learn, or could.
TWO_KINDS = (
    "a run tells what coalitions learn that watch; veilmix leak RUN --cheating what attacks of\n"
    "          the catalogue achieve for those that cheat"
)
WATCHING = (
    "coalitions here keep to the rules and pool what they saw; those that cheat learn more: "
    "veilmix leak RUN --cheating measures the attacks of the catalogue, and others are known"
)
# The limit of every figure on malicious parties that is of the catalogue.
OUTSIDE_CATALOGUE = (
    "attacks outside the catalogue are known, and veilmix leak RUN --search finds some: where a "
    "curator decides, malicious parties read whole rows with every countermeasure on "
    "(docs/attacks.md, Known attacks that the catalogue does not play)"
)
# What is claimed of a verified mix, wherever it is told what coalitions learn.
PROVED = (
    "the mix is verified: against a coalition that cheats, without one of the shufflers, stands a "
    "proof sketch, not machine-checked, that it learns the multiset of answers to each question "
    "and who takes part, and no more "
    "(one session alone, coalition fixed beforehand; DDH, random oracle, unforgeable signatures). "
    "All shufflers together link each answer of a public round: of the release, and of round 1 if "
    "publish_marginals is set. "
    "What is opened is what the listed ballots hold, whoever cheats; counts that a reader keeps "
    "secret are its word. Not covered: friends, people kept away, stopping (docs/verified.md)"
)

CHECKED_ONCE = (
    "Each proof was checked once for all keyholders of one process; the work of keyholders that "
    "check for themselves is counted by veilmix check"
)

AUDITED = (
    "audits open half of what each shuffler of a pair has done: with a reader, one of every pair "
    "is enough to link those whom the others had to open"
)
UNRECORDED = f"{AUDITED}; these figures lack that, for no single messages were sent or recorded"


def audited(*, audit: bool, recorded: bool) -> tuple[str, ...]:
    """Return the remark on coalitions if pairs of shufflers are audited; () without audit.

    recorded: whether single messages are recorded, so that the figures include the audit.
    """
    return (AUDITED if recorded else UNRECORDED,) if audit else ()


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text.

    Attributes:
        text: without its end.
        style: how a terminal shows it, such as `dim` or `bold red`.
    """

    text: str = ""
    style: str | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: a heading a column, rows of text or numbers. `right`: columns flush right.

    Attributes:
        headings: of the columns.
        rows: as many cells as there are headings.
        right: numbers of the columns.
    """

    headings: tuple[str, ...]
    rows: Sequence[Sequence[object]]
    right: tuple[int, ...] = ()


Block = Line | Grid


def sentence(clause: str) -> str:
    """Begin a clause with a capital letter, and end it."""
    return f"{clause[:1].upper()}{clause[1:]}."


def escaped(text: str) -> str:
    r"""Write characters that would control a screen as escapes: `\x1b`, `\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def forbidden(sign: str) -> bool:
    """Whether a character controls a page: a control character, or a change of direction."""
    return sign in TURNING or (sign < " " and sign not in "\t\n\r") or "\x7f" <= sign <= "\x9f"


def visible(page: str, slash: str = "\\") -> str:
    r"""Return a page with each character that would control it as an escape (`\u202e`).

    slash: how the page's own language writes a backslash.
    """
    odd = {sign for sign in set(page) if forbidden(sign)}
    return page.translate({ord(sign): ascii(sign)[1:-1].replace("\\", slash) for sign in odd})


def percent(share: float) -> str:
    """Write a share; 0 only if it is 0, and 100 only if it is 1."""
    digits = 1
    while share not in (0, 1) and digits < 6 and round(100 * share, digits) in (0, 100):
        digits += 1
    return f"{100 * share:.{digits}f} %"


def size(count: float) -> str:
    """Write a number of bytes: three digits and a unit."""
    for unit in SIZES:
        if count < 999.5:
            whole = unit == "bytes" or count >= 99.5
            return f"{count:.0f} {unit}" if whole else f"{count:.3g} {unit}"
        count /= 1000
    return f"{1000 * count:,.0f} {SIZES[-1]}"


def joined(names: Iterable[str]) -> str:
    """Write `a, b and c`."""
    *first_names, last = list(names) or ["nothing"]
    return f"{', '.join(first_names)} and {last}" if first_names else last


def plural(number: int, noun: str, plural: str | None = None) -> str:
    """Write a number with its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def noun_of(mix: str, mode: str) -> str:
    """Return the noun of an answer's carrier: an onion, a ballot, or in an ideal run the answer.

    mix: its kind. mode: of the run.
    """
    if mode == "ideal":
        return "answer"
    return "ballot" if mix == "verified" else "onion"


def seeds(first: int, runs: int) -> str:
    """The seeds of consecutive runs: `seed 7`, `seeds 7 to 11`."""
    return f"seed {first}" if runs == 1 else f"seeds {first} to {first + runs - 1}"


def interval(mean: float, low: float, high: float, unit: str) -> str:
    """Write a mean with its interval, a share as percent; both ends where they differ in width."""
    share = unit.startswith("share")
    if low == high:
        return percent(mean) if share else f"{mean:,.4g}"
    scale, sign = (100, " %") if share else (1, "")
    middle, left, right = scale * mean, scale * (mean - low), scale * (high - mean)
    if isclose(left, right, rel_tol=1e-6):
        return f"{middle:,.4g} +- {right:.2g}{sign}"
    return f"{middle:,.4g}{sign} ({scale * low:.3g} to {scale * high:.3g})"


def give_or_take(error: float | None, digits: int) -> str:
    """Write the error of an estimate after it; empty if it is a rounding error."""
    return f" +- {error:.{digits}g}" if error and error > ROUNDING else ""
