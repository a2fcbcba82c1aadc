"""Sentences that several outputs share, and escapes of control characters in output."""

TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

# the reason that is printed for an empty release
UNSAFE = "no column is safe enough for this promise"

# Printed beside all figures on the knowledge of coalitions, because figures on honest-but-curious
# and on malicious coalitions differ.
TWO_KINDS = (
    "a run tells what coalitions learn that watch; veilmix leak RUN --cheating what attacks of\n"
    "          the catalogue achieve for those that cheat"
)
WATCHING = (
    "coalitions here keep to the rules and pool what they saw; those that cheat learn more: "
    "veilmix leak RUN --cheating measures the attacks of the catalogue, and others are known"
)
# Limit of all figures on malicious parties: only attacks of the catalogue are measured.
OUTSIDE_CATALOGUE = (
    "attacks outside the catalogue are known, and veilmix leak RUN --search finds some: where a "
    "curator decides, malicious parties read whole rows with every countermeasure on "
    "(docs/attacks.md, Known attacks that the catalogue does not play)"
)
# The claim about a verified mix, printed beside figures on the knowledge of coalitions.
PROVED = (
    "the mix is verified: against a coalition that cheats, without one of the shufflers, stands a "
    "proof sketch, not machine-checked, that it learns the multiset of answers to each question "
    "and who takes part, and no more "
    "(one session alone, coalition fixed beforehand; DDH, random oracle, unforgeable signatures). "
    "All shufflers together link each answer of a public round: of the release, and of round 1 if "
    "publish_marginals is set. "
    "What is opened is what the listed ballots hold, whoever cheats; counts that a reader keeps "
    "secret are its word. Not covered: friends, people kept away, stopping (docs/verified.md)"
)

CHECKED_ONCE = (
    "Each proof was checked once for all keyholders of one process; the work of keyholders that "
    "check for themselves is counted by veilmix check"
)

AUDITED = (
    "audits open half of what each shuffler of a pair has done: with a reader, one of every pair "
    "is enough to link those whom the others had to open"
)
UNRECORDED = f"{AUDITED}; these figures lack that, for no single messages were sent or recorded"


def audited(*, audit: bool, recorded: bool) -> tuple[str, ...]:
    """Return the remark on coalitions if pairs of shufflers are audited; () without audit.

    An audit opens half of the messages that a shuffler handled, which helps a coalition to link
    people. recorded: whether single messages were recorded; only then do the figures on coalitions
    include this help.
    """
    return (AUDITED if recorded else UNRECORDED,) if audit else ()


def escaped(text: str) -> str:
    r"""Write characters that would control a screen as escapes: `\x1b`, `\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def forbidden(sign: str) -> bool:
    """Whether a character could control a screen, or change the direction of text."""
    return sign in TURNING or (sign < " " and sign not in "\t\n\r") or "\x7f" <= sign <= "\x9f"


def visible(page: str, slash: str = "\\") -> str:
    r"""Return a page with an escape (`\u202e`) for each control character or change of direction.

    slash: the way in which the language of the page (such as JSON) writes a backslash.
    """
    odd = {sign for sign in set(page) if forbidden(sign)}
    return page.translate({ord(sign): ascii(sign)[1:-1].replace("\\", slash) for sign in odd})


def noun_of(mix: str, mode: str) -> str:
    """Return the noun for the message that carries an answer: onion, ballot, or answer.

    mix: kind of the mix; a verified mix carries ballots. mode: kind of the run; an ideal run has no
    messages, so the noun is `answer`.
    """
    if mode == "ideal":
        return "answer"
    return "ballot" if mix == "verified" else "onion"
