"""Sentences for the stage about a decision, and the names of rules in a classroom."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...protocol.commitment import COMMITTED
from ..wording import joined, percent

if TYPE_CHECKING:
    from ...protocol.announcement import Policy
    from ...protocol.messages import Certificate, Decision

# certificate's rule -> how a class calls it; a rule of another name is called by it
RULES = {
    "exact": "exact count",
    "theorem2": "Theorem 2",
    "theorem3": "Theorem 3",
    "refined": "the refined bound",
    "coverage": "the coverage bound",
    "margins": "prices of values",
    "worst-case": "the exact worst case",
    COMMITTED: "a certificate that stays sealed until the release",
    "threshold": "locks that k people open",
    "threshold prefixes": "nested locks that k people open",
    "threshold closed": "locks that k people open",
    "threshold prefixes closed": "nested locks that k people open",
}
STATISTICAL = "statistical-"  # before the name of a rule whose promise is for other people


def limit(policy: "Policy") -> str:
    """Return the promise of an announced policy, as a clause."""
    return (
        f"at most {percent(policy.max_exposure)} of the people may end up in a crowd smaller than "
        f"k = {policy.k}"
    )


def released(decision: "Decision", columns: Sequence[str], reader: str) -> str:
    """Return a sentence: released and suppressed columns, and the certified bound.

    reader: the party that decides.
    """
    kept = [columns[column] for column in decision.kept]
    rest = [name for column, name in enumerate(columns) if column not in decision.kept]
    proof, who = decision.certificate, f"{reader[0].upper()}{reader[1:]}"
    if not kept:
        return f"{who} releases nothing: with k = {proof.k} no column is safe enough."
    held = f" and holds back {joined(rest)}" if rest else ""
    return f"{who} releases {joined(kept)}{held}: {promise(proof)}, by {rule(proof.rule)}."


def promise(proof: "Certificate") -> str:
    """Return the claim of a certificate as a clause, without counts if n = 0."""
    if not proof.n:
        return f"nothing is said that fewer than {proof.k} people share"
    return (
        f"at most {proof.people:,} of {proof.n:,} people ({percent(proof.value)}) can be in a "
        f"crowd smaller than {proof.k}"
    )


def rule(name: str) -> str:
    """Return the classroom name of a rule."""
    plain = name.removeprefix(STATISTICAL)
    called = RULES.get(plain, plain)
    return called if plain == name else f"{called}, carried over to other people"
