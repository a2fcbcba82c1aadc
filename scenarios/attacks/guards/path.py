"""`path`: a message passes so many peers that a coalition rarely contains all of them."""

from ...programs.topology import PEERS
from ..catalogue.guard import Guard

GUARD = Guard(
    key="mix.path",
    on=3,
    off=1,
    held_in=("protocol/peers/onions.py",),
    guards="each message passes so many peers that a coalition seldom has them all",
    setting="peers that every message passes",
    price="a layer and a step a round for every peer of a path",
    among=(PEERS.name,),
)
