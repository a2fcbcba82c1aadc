"""Peers that mix for each other: the share of onions with their whole path in a coalition.

A sender draws a path of L different peers among n - 1, all orders equally likely. The
whole path lies in a coalition of c peers, without the sender, with probability

    c (c - 1) .. (c - L + 1) / ((n - 1) (n - 2) .. (n - L))

It needs at least L members, and is roughly (c / n)^L. A thin batch can leak more
(protocol/peers/view.py).
"""

from math import perm

from ...errors import ParameterError


def path_share(members: int, peers: int, length: int) -> float:
    """Return the expected share of non-members' onions with their whole path in a coalition.

    Args:
        members: peers in the coalition, c: 0 to n - 1.
        peers: all peers, n.
        length: peers on a path, L: 1 to n - 1.

    Raises:
        ParameterError: an argument is out of its range.
    """
    if not 1 <= length <= peers - 1:
        raise ParameterError(f"length: found {length}; 1 to {peers - 1} are accepted")
    if not 0 <= members <= peers - 1:
        raise ParameterError(f"members: found {members}; 0 to {peers - 1} are accepted")
    return perm(members, length) / perm(peers - 1, length)
