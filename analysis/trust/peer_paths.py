"""Peers that mix for each other: the share of onions with their whole path in a coalition.

Of n peers, a sender draws a path of L different peers among the n - 1 other peers, all orders
equally likely. The whole path lies in a coalition of c peers, without the sender, with probability

    c (c - 1) .. (c - L + 1) / ((n - 1) (n - 2) .. (n - L))

The coalition needs at least L members; the probability is roughly (c / n)^L. A peer that mixes a
batch of few onions can leak more (protocol/peers/view.py).
"""

from math import perm

from ...errors import ParameterError


def path_share(members: int, peers: int, length: int) -> float:
    """Return the expected share of non-members' onions with their whole path in a coalition.

    Args:
        members: number of peers in the coalition, 0 to n - 1.
        peers: number of all peers, n.
        length: number of peers on a path, 1 to n - 1.

    Raises:
        ParameterError: an argument is out of its range.
    """
    if not 1 <= length <= peers - 1:
        raise ParameterError(f"length: found {length}; 1 to {peers - 1} are accepted")
    if not 0 <= members <= peers - 1:
        raise ParameterError(f"members: found {members}; 0 to {peers - 1} are accepted")
    return perm(members, length) / perm(peers - 1, length)
