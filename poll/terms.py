"""How a class is held: what whoever runs it has chosen on the command line."""

from dataclasses import dataclass

from .classroom import MOST_OF_ONE


@dataclass(frozen=True, slots=True)
class Terms:
    """How a class is held.

    Attributes:
        host: the address that phones reach this computer by.
        port: to listen at; 0: any that is free.
        people: so many who have joined are waited for; None: until `begin` is called.
        patience: seconds that they are waited for, at most.
        kept: whether what was said is written down at the end.
        others: whether shufflers are on other computers.
        simulated: so many who are no people fill up the class.
        most_of_one: so many people may join from one address.
    """

    host: str
    port: int
    people: int | None
    patience: float
    kept: bool
    others: bool = False
    simulated: int = 0
    most_of_one: int = MOST_OF_ONE
