"""Peers that mix for each other: how many onions a coalition holds from end to end.

A sender draws a path of L different peers among the n - 1 others, all orders equally likely. Of c
peers that work together, none of them the sender, the whole path is theirs with probability

    c (c - 1) .. (c - L + 1) / ((n - 1) (n - 2) .. (n - L))

It needs L of them at least, and is (c / n)^L roughly. A thin batch can give away more
(protocol/peers/view.py).
"""

from math import perm

from ...errors import ParameterError


def path_share(members: int, peers: int, length: int) -> float:
    """The share of others' onions whose whole path lies in a coalition, expected.

    Args:
        members: peers in the coalition, c: 0 to n - 1.
        peers: all peers, n.
        length: peers on a path, L: 1 to n - 1.

    Raises:
        ParameterError: one of them is out of its range.
    """
    if not 1 <= length <= peers - 1:
        raise ParameterError(f"length: found {length}; 1 to {peers - 1} are accepted")
    if not 0 <= members <= peers - 1:
        raise ParameterError(f"members: found {members}; 0 to {peers - 1} are accepted")
    return perm(members, length) / perm(peers - 1, length)
