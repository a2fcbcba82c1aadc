"""Captions about a decision, for the theatre (the animated stage of a run), in a viewer's language.

A decision carries a certificate, which names the rule (a theorem or a method) that proves its bound
on exposure. This module also has the plain names of these rules, for a classroom. All sentences are
in the table `[theatre]` of a language file.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..number_text import percent
from ..protocol.wire.commitment import COMMITTED

if TYPE_CHECKING:
    from ..languages.language import Language
    from ..protocol.wire.announcement import AnnouncedPolicy
    from ..protocol.wire.messages import Decision, DecisionCertificate

# rule that proves the bound of a certificate -> key of its plain name for a classroom; a rule
# without a key keeps its own name
RULES = {
    "exact": "says-bound-exact",
    "theorem2": "says-bound-second",
    "theorem3": "says-bound-third",
    "refined": "says-bound-refined",
    "coverage": "says-bound-coverage",
    "margins": "says-bound-margins",
    "worst-case": "says-bound-worst-case",
    COMMITTED: "says-bound-committed",
    "threshold": "says-bound-opening",
    "threshold prefixes": "says-bound-prefixes",
    "threshold closed": "says-bound-opening",
    "threshold prefixes closed": "says-bound-prefixes",
}
# prefix of rules whose bound holds for people who were not counted: another sample of the
# population
STATISTICAL = "statistical-"
ALL_PEERS = "everybody"  # stands for the deciding party in a run of peers, which has no curator


def share_in(share: float, language: "Language") -> str:
    """Return a share as a percentage with the decimal sign of a language.

    0 % is printed only for 0, and 100 % only for 1.
    """
    return percent(share).replace(".", language.decimal)


def joined_in(names: Iterable[str], language: "Language") -> str:
    """Return names joined as in a sentence, `a, b and c`, in a language."""
    *leading, last = list(names) or [language.say("says-nothing")]
    return language.say("and").join([", ".join(leading), last]) if leading else last


def limit(policy: "AnnouncedPolicy", language: "Language") -> str:
    """Return a policy's promise as a clause: the largest share of exposed people, and k."""
    share = share_in(policy.max_exposure, language)
    return language.say("says-limit", share=share, k=policy.k)


def released(
    decision: "Decision", columns: Sequence[str], reader: str, language: "Language"
) -> str:
    """Return the caption of a decision: released and suppressed columns, and the certified bound.

    columns: the names of all columns. reader: the party that decides, or `ALL_PEERS`.
    """
    released_columns = [columns[column] for column in decision.kept]
    rest = [name for column, name in enumerate(columns) if column not in decision.kept]
    proof = decision.certificate
    if not released_columns:
        return language.say(f"says-unreleased-{reader}", k=proof.k)
    return language.say(
        f"says-released-held-{reader}" if rest else f"says-released-{reader}",
        kept=joined_in(released_columns, language),
        rest=joined_in(rest, language),
        promise=promise(proof, language),
        rule=rule(proof.rule, language),
    )


def promise(proof: "DecisionCertificate", language: "Language") -> str:
    """Return the bound that a certificate proves, as a clause: at most so many people exposed at k.

    A certificate for n = 0 people has no counts: the clause then states k alone.
    """
    if not proof.n:
        return language.say("says-promise-open", k=proof.k)
    share = share_in(proof.value, language)
    return language.say("says-promise", people=proof.people, n=proof.n, share=share, k=proof.k)


def rule(name: str, language: "Language") -> str:
    """Return the plain name of the rule that proves a certificate's bound, for a classroom.

    name: the rule as in a certificate, such as `theorem2`. The prefix `statistical-` of a name
    marks a bound for another sample of people. A rule without a plain name keeps its own name.
    """
    plain = name.removeprefix(STATISTICAL)
    called = language.say(RULES[plain]) if plain in RULES else plain
    return called if plain == name else language.say("says-bound-carried", rule=called)
