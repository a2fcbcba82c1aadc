"""Explanations of a coalition's knowledge for a student: the steps of a derivation, in words.

The option `--why` of the command `veilmix show` prints them.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from ....errors import ParameterError, UnknownParty
from ....protocol.peers.view import PeerRecord
from ....protocol.wire import parties
from ...schema.parties import PartyNames
from ..run_folder import Run
from .central_explanation import Explainer
from .peer_explanation import PeerExplainer
from .reasons import Explanation
from .verified_explanation import VerifiedExplainer
from .views import columns, people_named, person_of, record_of, recorded, view_of

SIGNS = 4  # least number of hexadecimal digits that name a ciphertext; a shorter name is refused


class Explaining(Protocol):
    """The interface of an explainer of a coalition's knowledge in a run.

    Attributes:
        names: the names (beginnings of hashes) of all sealed ciphertexts.
    """

    names: Collection[bytes]

    def person(self, person: int) -> Explanation:
        """Return an explanation of the coalition's knowledge about a person, given by index."""
        ...

    def message(self, name: bytes) -> Explanation:
        """Return an explanation of the coalition's knowledge about a ciphertext and its sender.

        name: the beginning of the ciphertext's hash.
        """
        ...


def _explains(run: Run, members: Sequence[str]) -> Explaining:
    """Return the explainer of a coalition's knowledge, for the run's kind of mix.

    members: the parties of the coalition.
    """
    record = record_of(run)
    if isinstance(record, PeerRecord):
        return PeerExplainer(record, members, columns(run))
    if run.scenario.mix.kind == "verified":
        return VerifiedExplainer(record, members, columns(run))
    return Explainer(record, members, columns(run))


def why(run: Run, members: Sequence[str], about: str) -> Explanation:
    """Return an explanation of a coalition's knowledge about a person or a ciphertext.

    members: the parties of the coalition. about: the name of a person, or the beginning of a
    ciphertext's name in hexadecimal.

    Raises:
        ParameterError: the run has no such party, person or ciphertext, or recorded no single
            message.
    """
    view_of(run, members)  # raises an error for an unknown party
    transcript = recorded(run)
    if transcript.summary:
        raise ParameterError(
            f"{run.folder}: a run of {transcript.users:,} people, which records only sums of "
            "messages; run the scenario with fewer people"
        )
    explainer = _explains(run, members)
    kind, _, number = about.partition("-")
    if kind == person_of(run)(0).partition("-")[0]:
        person = parties.index(about) if number.isdecimal() else -1
        if not 0 <= person < transcript.users:
            people = PartyNames((), {kind: transcript.users})
            raise UnknownParty(people.refusal(about, "this run has", kind))
        return explainer.person(person)
    return explainer.message(_matching_name(explainer.names, about, people_named(run)))


def _matching_name(names: Collection[bytes], about: str, people: str) -> bytes:
    """Return the only ciphertext name that begins with `about` (hexadecimal); or ParameterError.

    names: the names of all ciphertexts. people: the range of people's names, for the message.
    """
    matching = [name for name in names if name.hex().startswith(about.lower())]
    if len(matching) != 1 or len(about) < SIGNS:
        amount = "no ciphertext has" if not matching else f"{len(matching)} ciphertexts have"
        raise ParameterError(
            f"{amount} a name that begins with {about!r}; give {people}, or at least the first "
            f"{SIGNS} hexadecimal digits of a ciphertext's name in `show --all`"
        )
    return matching[0]
