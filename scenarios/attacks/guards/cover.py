"""`cover`: every peer sends dummies (messages without an answer), so no batch is of one peer."""

from ...programs.topology import PEERS
from ..catalogue.guard import Guard

GUARD = Guard(
    key="mix.cover",
    on=4,
    off=0,
    held_in=("protocol/peers/agreement.py",),
    guards="peers send dummies (blanks), so every batch holds messages of several peers",
    setting="blank messages of each peer",
    price="a message and its layers for every dummy",
    among=(PEERS.name,),
)
