"""Formulas that stand several times on purpose name each other: evaluated, verified, optimised.

A note above a function names the other places, and whether the formula is evaluated, verified or
optimised there: a mistake in one place shows against the others.
"""

import re
from collections.abc import Iterator
from pathlib import Path

ANALYSIS = Path(__file__).parents[3] / "analysis"
NOTE = re.compile(
    r"(?:is|are) implemented again, on purpose, in ([^.]+(?:\.py[^.]+)+)\.\n *def (\w+)\("
)
PLACE = re.compile(r"([\w/]+\.py) (\w+) \((evaluated|verified|optimised)\)")
Place = tuple[str, str]


def joined_comments(path: Path) -> str:
    """Return a file with the lines of each comment joined."""
    return re.sub(r"\n *# ", " ", path.read_text("utf-8"))


def notes() -> Iterator[tuple[Place, set[Place]]]:
    """Yield each place with a note, and the places that it names."""
    for path in sorted(ANALYSIS.rglob("*.py")):
        for note, function in NOTE.findall(joined_comments(path)):
            parts = note.split(", ")
            others = {found.group(1, 2) for part in parts if (found := PLACE.fullmatch(part))}
            assert len(others) == len(parts), (path.name, function)
            yield (path.relative_to(ANALYSIS).as_posix(), function), others


def test_each_place_of_a_formula_names_the_others() -> None:
    named = dict(notes())
    assert {"theorem2", "certify", "minimize", "covered", "_needed"} <= {name for _, name in named}
    for place, others in named.items():
        assert place not in others
        for other in others:
            assert place in named[other], (place, other)


def test_no_note_is_missed() -> None:
    texts = (joined_comments(path) for path in ANALYSIS.rglob("*.py"))
    assert sum(text.count(" again, on purpose, in ") for text in texts) == len(dict(notes()))
