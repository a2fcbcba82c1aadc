"""A labelled graph up to renaming of its nodes, by colour refinement.

Each node begins with the colour of its label. In every turn its colour becomes the hash of its own
colour and its neighbours' colours, with the names of the edges, until no class splits. Two graphs
that are equal but for the names of their nodes have the same hash. Refinement may miss a difference
between two graphs, and never invents one.
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
    """A graph of a view, for comparison: nodes are labelled events, and unlabelled byte strings.

    Attributes:
        labels: by node; None for a byte string.
        edges: (node, name, node).
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
        """Add a named edge between two nodes, once."""
        self.edges.add((start, name, end))

    def colours(self) -> list[str]:
        """Return the colour of each node after refinement: a hash of its surroundings."""
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
        """Return the hash of the graph, the same for all graphs that differ only by names."""
        return digest(sorted(Counter(self.colours()).items()))
