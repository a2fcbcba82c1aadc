"""The hash of a labelled graph, the same if its nodes are renamed, by colour refinement.

Each node begins with the hash of its label as its colour. In every turn, the new colour of a node
is the hash of its colour, its neighbours' colours and the names of the edges. Refinement stops when
the number of colours no longer grows.

Graphs that differ only in the names of nodes have equal hashes. Two other graphs may have equal
hashes too, so a real difference may be missed. Different hashes prove a difference.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass, field

Edge = tuple[int, str, int]


def digest(value: object) -> str:
    """Return the hash of a value's `repr`, 16 hexadecimal digits."""
    return hashlib.blake2b(repr(value).encode(), digest_size=8).hexdigest()


@dataclass(slots=True)
class Graph:
    """A coalition's view as a graph: nodes are events with labels, and byte strings without labels.

    Attributes:
        labels: the label of each node; None for a byte string.
        edges: (start node, name, end node).
        atoms: byte string -> its node.
    """

    labels: list[object] = field(default_factory=list)
    edges: set[Edge] = field(default_factory=set)
    atoms: dict[bytes, int] = field(default_factory=dict)

    def node(self, label: object) -> int:
        """Add a node with a label (None: a byte string) and return its number."""
        self.labels.append(label)
        return len(self.labels) - 1

    def atom(self, data: bytes) -> int:
        """Return the number of a byte string's node; it is added if new."""
        if data not in self.atoms:
            self.atoms[data] = self.node(None)
        return self.atoms[data]

    def edge(self, start: int, name: str, end: int) -> None:
        """Add a named edge between two nodes, unless it exists."""
        self.edges.add((start, name, end))

    def colours(self) -> list[str]:
        """Return the colour of each node: a hash of its label, and of nodes and edges around it.

        The colours are refined in turns: in each turn the hash includes the neighbours' colours of
        the turn before. Refinement stops when the number of different colours no longer grows.
        """
        near: list[list[tuple[str, int]]] = [[] for _ in self.labels]
        for start, name, end in self.edges:
            near[start].append((">" + name, end))
            near[end].append(("<" + name, start))
        colours = [digest(label) for label in self.labels]
        classes = len(set(colours))
        while True:
            colours = [
                digest((mine, sorted((name, colours[neighbour]) for name, neighbour in around)))
                for mine, around in zip(colours, near, strict=True)
            ]
            split = len(set(colours))
            if split == classes:
                return colours
            classes = split

    def canonical(self) -> str:
        """Return the hash of the graph, equal for all graphs that differ only in node names."""
        return digest(sorted(Counter(self.colours()).items()))
