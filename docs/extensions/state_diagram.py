"""A Mermaid state diagram as SVG, drawn while the site is built: no script, no other computer.

The subset that `veilmix.protocol.board.phases.diagram()` prints: lines `FROM --> TO: LABEL`. States
stand in a column in the order in which the lines leave them. Arrows from a state to itself are
listed in its box; an arrow to the next state is drawn straight; all other arrows to a state share
a lane beside the boxes, to the left where they go down and to the right where they go up.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

LINE = re.compile(r"^\s*(\S+) --> (\S+?)(?:: (.+))?$")
END = "[*]"
ROW, GAP, TEXT = 22, 46, 14  # pixels: a line of a box, between boxes, size of letters
WIDE, LANE, LABEL = 440, 70, 80  # a box, a lane, room for a lane's label


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow from a state to another, labelled with messages.

    Attributes:
        source: the state that it leaves.
        target: the state that it comes to.
        labels: the messages.
    """

    source: str
    target: str
    labels: tuple[str, ...]


def arrows(text: str) -> list[Arrow]:
    """Read a diagram; several lines between the same two states become one arrow.

    Raises:
        ValueError: a line that this subset does not have.
    """
    head, *lines = text.strip().splitlines()
    if head.strip() != "stateDiagram-v2":
        raise ValueError(f"found {head!r}; only stateDiagram-v2 can be drawn offline")
    between: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        match = LINE.match(line)
        if match is None:
            raise ValueError(f"found {line!r}; expected FROM --> TO: LABEL")
        source, target, label = match.groups()
        between.setdefault((source, target), []).extend([label] if label else [])
    return [Arrow(*ends, tuple(labels)) for ends, labels in between.items()]


def svg(text: str) -> str:
    """Draw a diagram, in the colours of the page's text and background."""
    all_arrows = arrows(text)
    named = [arrow.source for arrow in all_arrows] + [arrow.target for arrow in all_arrows]
    states = [name for name in dict.fromkeys(named) if name != END]
    inner = [arrow for arrow in all_arrows if END not in (arrow.source, arrow.target)]
    notes = {arrow.source: arrow.labels for arrow in inner if arrow.source == arrow.target}
    place = {name: index for index, name in enumerate(states)}
    straight, lanes = [], {}
    for arrow in inner:
        step = place[arrow.target] - place[arrow.source]
        if step == 1:
            straight.append(arrow)
        elif step:
            lanes.setdefault((step > 0, arrow.target), []).append(arrow)
    left_edge = sum(down for down, _ in lanes) * LANE + LABEL
    width = left_edge + WIDE + sum(not down for down, _ in lanes) * LANE + LABEL
    tops, y = {}, 10
    for name in states:
        tops[name] = y
        y += ROW * (1 + len(notes.get(name, ()))) + 12 + GAP
    height = y - GAP + 10
    middle = {name: tops[name] + 17 for name in states}
    parts = [_box(name, left_edge, tops[name], notes.get(name, ())) for name in states]
    parts += [_straight(arrow, left_edge, tops) for arrow in straight]
    lanes_used = {True: 0, False: 0}
    for (down, target), group in lanes.items():
        lanes_used[down] += 1
        parts += _lane(group, target, lanes_used[down], left_edge, middle)
    description = escape("; ".join(f"{arrow.source} to {arrow.target}" for arrow in inner))
    return (
        f'<svg class="states" role="img" aria-label="{description}" viewBox="0 0 {width} {height}" '
        f'font-size="{TEXT}" xmlns="http://www.w3.org/2000/svg">'
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" '
        'markerHeight="8" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" '
        f'fill="currentColor"/></marker></defs>{"".join(parts)}</svg>'
    )


def _box(name: str, x: int, y: int, notes: Iterable[str]) -> str:
    lines = [f'<text x="{x + 12}" y="{y + 21}" font-weight="bold">{escape(name)}</text>']
    for index, note in enumerate(notes, 1):
        lines.append(_text(x + 24, y + 21 + ROW * index, f"↻ {note}"))
    height = ROW * len(lines) + 12
    return f'<rect x="{x}" y="{y}" width="{WIDE}" height="{height}" rx="8"/>{"".join(lines)}'


def _straight(arrow: Arrow, left_edge: int, tops: dict[str, int]) -> str:
    x, end = left_edge + 40, tops[arrow.target]
    label = _text(x + 12, end - GAP // 2 + 5, ", ".join(arrow.labels))
    return f'<path d="M{x} {end - GAP}V{end}" marker-end="url(#tip)"/>{label}'


def _lane(
    group: list[Arrow], target: str, number: int, left_edge: int, middle: dict[str, int]
) -> list[str]:
    """Draw several arrows to a state, which meet in a lane."""
    down = middle[target] > middle[group[0].source]
    side = left_edge if down else left_edge + WIDE
    x = side - number * LANE if down else side + number * LANE
    ends = [middle[arrow.source] + 7 * (number - 1) for arrow in group]
    lines = [f'<path d="M{side} {y}H{x}"/>' for y in ends]
    far = min(ends) if down else max(ends)
    lines.append(f'<path d="M{x} {far}V{middle[target]}H{side}" marker-end="url(#tip)"/>')
    label = ", ".join(
        dict.fromkeys(text.split(" (")[0] for arrow in group for text in arrow.labels)
    )
    y = (far + middle[target]) // 2
    lines.append(_text(x - 8 if down else x + 8, y, label, "end" if down else "start"))
    return lines


def _text(x: int, y: int, words: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'


class Diagram(SphinxDirective):
    """A fence ```mermaid, as a picture."""

    has_content: ClassVar[bool] = True

    def run(self) -> list[nodes.Node]:
        """Draw it; a diagram that cannot be drawn is an error of the build."""
        text = "\n".join(self.content)
        try:
            drawn = svg(text)
        except ValueError as wrong:
            raise self.error(str(wrong)) from None
        return [nodes.raw(text, f'<div class="picture">{drawn}</div>', format="html")]


def setup(app: Any) -> dict[str, bool]:
    """Sphinx: register the fence."""
    app.add_directive("mermaid", Diagram)
    return {"parallel_read_safe": True}
