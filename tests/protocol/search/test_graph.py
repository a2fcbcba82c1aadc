"""Graphs up to the names of their nodes."""

from collections.abc import Sequence
from itertools import pairwise

from veilmix.protocol.search.graph import Graph


def ring(labels: Sequence[object], names: Sequence[bytes]) -> Graph:
    """A ring of labelled nodes, each with a byte string of its own."""
    graph = Graph()
    nodes = [graph.node(label) for label in labels]
    for place, node in enumerate(nodes):
        graph.edge(node, "next", nodes[(place + 1) % len(nodes)])
        graph.edge(node, "has", graph.atom(names[place]))
    return graph


def test_names_of_byte_strings_make_no_difference() -> None:
    one = ring("aab", [b"1", b"2", b"3"])
    assert one.canonical() == ring("aab", [b"3", b"1", b"7"]).canonical()
    assert one.canonical() == ring("aba", [b"1", b"2", b"3"]).canonical()


def test_which_byte_strings_are_equal_makes_a_difference() -> None:
    one = ring("aab", [b"1", b"2", b"3"])
    assert one.canonical() != ring("aab", [b"1", b"1", b"3"]).canonical()
    assert (
        ring("aab", [b"1", b"1", b"3"]).canonical() != ring("aab", [b"1", b"3", b"3"]).canonical()
    )


def test_labels_and_directions_make_a_difference() -> None:
    assert (
        ring("aab", [b"1", b"2", b"3"]).canonical() != ring("abb", [b"1", b"2", b"3"]).canonical()
    )
    one, other = Graph(), Graph()
    for graph, turned in ((one, False), (other, True)):
        start, end = graph.node("a"), graph.node("b")
        graph.edge(end if turned else start, "to", start if turned else end)
    assert one.canonical() != other.canonical()


def test_a_difference_is_found_at_any_distance() -> None:
    def chain(last: str) -> Graph:
        graph = Graph()
        nodes = [graph.node("x") for _ in range(40)] + [graph.node(last)]
        for start, end in pairwise(nodes):
            graph.edge(start, "next", end)
        graph.edge(graph.node("start"), "first", nodes[0])
        graph.edge(graph.node("other"), "first", graph.node("x"))
        return graph

    assert chain("a").canonical() == chain("a").canonical()
    assert chain("a").canonical() != chain("b").canonical()
