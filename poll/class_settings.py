"""The settings of a class session, from the options of the command line."""

from dataclasses import dataclass, field

from .classroom import MOST_OF_ONE


@dataclass(frozen=True, slots=True)
class ClassTerms:
    """The settings of a class session: network address, people, record and language.

    Attributes:
        host: the address by which phones reach this computer.
        port: the TCP port to listen at; 0: any free port.
        people: number of people to wait for; None: until the teacher begins.
        patience: seconds to wait for them, at most.
        has_run_folder: whether a run folder with the answers of each person is written at
            the end; never with shufflers on other computers or a verified mix, as this
            computer then cannot link answers to people.
        has_remote_shufflers: whether the shufflers run on other computers in the room.
        simulated: number of simulated people that fill up the class; they are labelled, and
            this computer knows their answers.
        most_of_one: number of people that may join from a network address; the teacher
            can change it while people join.
        slips: the codes on paper slips, each of which admits a phone; (): phones need no
            code.
        language: the language tag of the questions; None: each browser chooses, and the
            projected page is English.
    """

    host: str
    port: int
    people: int | None
    patience: float
    has_run_folder: bool
    has_remote_shufflers: bool = False
    simulated: int = 0
    most_of_one: int = MOST_OF_ONE
    slips: tuple[str, ...] = field(default=(), repr=False)
    language: str | None = None
