"""The table of suites, by name and by suite byte. A suite encrypts onion layers to a public key.

name         byte  overhead  secret  reproducible
sealedbox    0x01        81  yes     yes           the default
hpke-x25519  0x02        49  yes     no
hpke-pq      0x03      1137  yes     no            post-quantum
textbook     0xff        81  no      yes           lessons only

overhead: bytes that a layer adds to its plaintext. secret: whether equal plaintexts give different
ciphertexts. reproducible: whether a seed determines every byte.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ..errors import ParameterError
from .defaults import SUITE
from .hpke import HpkePq, HpkeX25519
from .keys import SuiteCode
from .sealedbox import SealedBox
from .sealing import CONTEXT_SIZE, Suite
from .textbook import Textbook

__all__ = ["CONTEXT_SIZE", "SUITES", "Suite", "suite", "suite_by_code"]

# The textbook suite in the table refuses to make keys and to seal; `suite` returns the usable one.
SUITES: Mapping[str, Suite] = MappingProxyType(
    {s.name: s for s in (SealedBox(), HpkeX25519(), HpkePq(), Textbook())}
)

_BY_CODE = {s.code: s for s in SUITES.values()}
_LESSON = Textbook(lesson=True)


def suite(name: str = SUITE, *, lesson: bool = False) -> Suite:
    """Return the suite with this name.

    Args:
        name: a name in SUITES.
        lesson: True to allow `textbook`, which hides no message.

    Raises:
        ParameterError: no such suite, or `textbook` without `lesson=True`.
    """
    if name not in SUITES:
        raise ParameterError(f"suite: got {name!r}, accepted: {', '.join(SUITES)}")
    return _allowed(SUITES[name], lesson=lesson)


def suite_by_code(code: int, *, lesson: bool = False) -> Suite:
    """Return the suite with this suite byte.

    Raises:
        ParameterError: no such suite, or `textbook` without `lesson=True`.
    """
    if code not in _BY_CODE:
        accepted = ", ".join(f"0x{c:02x} ({c.label})" for c in SuiteCode)
        raise ParameterError(f"suite code: got {code!r}, accepted: {accepted}")
    return _allowed(_BY_CODE[SuiteCode(code)], lesson=lesson)


def _allowed(suite: Suite, *, lesson: bool) -> Suite:
    """Return the suite; the insecure textbook suite only with `lesson`, else ParameterError."""
    if not isinstance(suite, Textbook):
        return suite
    if not lesson:
        suite.require_lesson()
    return _LESSON
