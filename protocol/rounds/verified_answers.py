"""Answers as group elements of a verified mix (every step is proved), and back.

    a query of one column      the value itself: up to 29 bytes in UTF-8, or, if it is longer, its
                               index in the announced domain
    a query of several         index of the combination of all listed values, big-endian, in the
    columns                    least number of bytes that holds every index; then for each column
                               with an open domain: u8 length, value
    several columns of the     a row: for each column the element of its value
    ballots of round 1

Combinations are numbered with the columns in their order, the last column fastest. In a column that
hides values, the texts of hidden values follow the values of the domain. An element with other
content is malformed.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import prod

from ...crypto.verified.group import RISTRETTO255
from ...crypto.verified.values import LONGEST, ValueElements
from ...errors import ParameterError, Reason, Refused
from ..wire.hiding_rules import BLANK, OTHER_VALUE
from ..wire.messages import Call
from ..wire.schema import Feature
from .round_context import Round
from .tallying import BallotReading


class AnswerElements:
    """The encoding of a round's answers as group elements, which a verified mix encrypts.

    Args:
        plan: the round.

    Raises:
        ParameterError: an open answer may be too long for an element.
    """

    def __init__(self, plan: Round) -> None:
        """Prepare the encoding of each query of the round."""
        features = plan.announcement.schema.features
        self._plan = plan
        self._forms = [_form(plan.call, columns, features) for columns in plan.call.asks]
        self._encodings: dict[tuple[int, tuple[str, ...]], bytes] = {}

    def encode(self, ask: int, values: tuple[str, ...]) -> bytes:
        """Return the group element of an answer to a query; its values must be in their domains.

        ask: the number of the query, from 0. values: a value for each column of the query.
        """
        key = ask, values
        if key not in self._encodings:
            self._encodings[key] = self._forms[ask].encode(values)
        return self._encodings[key]

    def count(self, elements: Sequence[Iterable[bytes]]) -> BallotReading:
        """Return the counts of opened elements, for each query; refuse and count invalid elements.

        elements: for each query, the opened element of each ballot.
        """
        reading = BallotReading([Counter() for _ in self._plan.call.asks])
        for ask, opened in enumerate(elements):
            for element, people in Counter(opened).items():
                try:
                    values = self._decode(ask, element)
                except Refused as refusal:
                    reading.refused[refusal.reason] += people
                else:
                    reading.counts[ask][values] += people
        return reading

    def _decode(self, ask: int, element: bytes) -> tuple[str, ...]:
        """Return the values in an opened element; Refused if malformed or outside their domains."""
        return _admitted(self._plan, ask, self._forms[ask].decode(element))


def count_rows(plan: Round, rows: Iterable[tuple[bytes, ...]]) -> BallotReading:
    """Return the counts of a release that is mixed from ballots of round 1; refuse invalid rows.

    rows: for each user, the opened group element of each released column.
    """
    (columns,) = plan.call.asks
    features = plan.announcement.schema.features
    forms = [_SingleForm(features[column].values) for column in columns]
    reading = BallotReading([Counter()])
    for row, people in Counter(rows).items():
        try:
            cells = [form.decode(cell) for form, cell in zip(forms, row, strict=True)]
            values = _admitted(plan, 0, tuple(value for (value,) in cells))
        except Refused as refusal:
            reading.refused[refusal.reason] += people
        else:
            reading.counts[0][values] += people
    return reading


def _admitted(plan: Round, ask: int, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values of an answer; Refused if a value is outside of its domain."""
    for column, value in zip(plan.call.asks[ask], values, strict=True):
        if not plan.domains[column](value):
            raise Refused(Reason.OUTSIDE_DOMAIN)
    return values


class _SingleForm:
    """The encoding of the answers to a query of one column.

    Args:
        domain: the allowed values; None if the domain is open.
    """

    def __init__(self, domain: Sequence[str] | None) -> None:
        """Prepare the elements of the listed values."""
        self._elements = ValueElements(RISTRETTO255, [v.encode() for v in domain or ()])

    def encode(self, values: tuple[str, ...]) -> bytes:
        """Return the group element of one value."""
        return self._elements.encode(values[0].encode())

    def decode(self, element: bytes) -> tuple[str, ...]:
        """Return the value in a group element, as a tuple; Refused if malformed."""
        return (_text(self._elements.decode(element)),)


class _JointForm:
    """The encoding of the answers to a query of several columns.

    Args:
        domains: the allowed values of each column; None if its domain is open.
    """

    def __init__(self, domains: Sequence[Sequence[str] | None]) -> None:
        """Number the combinations of all listed values."""
        self._domains = domains
        self._places = [
            {value: place for place, value in enumerate(domain or ())} for domain in domains
        ]
        self._combinations = prod(len(domain) for domain in domains if domain is not None)
        self._size = place_size(self._combinations)
        self._elements = ValueElements(RISTRETTO255)

    def encode(self, values: tuple[str, ...]) -> bytes:
        """Return the group element of a combination of values.

        The element holds the index of the combination of listed values. The values of columns with
        an open domain follow as text.
        """
        place, tail = 0, b""
        for domain, places, value in zip(self._domains, self._places, values, strict=True):
            if domain is None:
                text = value.encode()
                tail += bytes((len(text),)) + text
            else:
                place = place * len(domain) + places[value]
        return self._elements.encode(place.to_bytes(self._size, "big") + tail)

    def decode(self, element: bytes) -> tuple[str, ...]:
        """Return the combination of values in a group element; Refused if malformed."""
        data = self._elements.decode(element)
        place, at = int.from_bytes(data[: self._size], "big"), self._size
        if place >= self._combinations:
            raise Refused(Reason.MALFORMED)
        values = list[str]()
        for domain in self._domains:
            if domain is None:
                end = at + 1 + int.from_bytes(data[at : at + 1], "big")
                values.append(_text(data[at + 1 : end]))
                at = end
            else:
                values.append("")
        if at != len(data):
            raise Refused(Reason.MALFORMED)
        for column, domain in reversed(list(enumerate(self._domains))):
            if domain is not None:
                place, digit = divmod(place, len(domain))
                values[column] = domain[digit]
        return tuple(values)


def place_size(combinations: int) -> int:
    """Return the smallest number of bytes that can number this many combinations of values."""
    return ((combinations - 1).bit_length() + 7) // 8


def answer_size(sizes: Sequence[int | None], widths: Sequence[int]) -> int:
    """Return the bytes of the longest encoded answer to a query of these columns.

    In a query of one column, a listed value that is too long for a group element is sent as its
    index in the domain; then the result is the capacity of an element.

    sizes: the number of values of each column; None if its domain is open.
    widths: the bytes of each column's longest value.
    """
    if len(sizes) == 1:
        return widths[0] if sizes[0] is None else min(widths[0], LONGEST)
    opened = (1 + width for size, width in zip(sizes, widths, strict=True) if size is None)
    return place_size(prod(size for size in sizes if size is not None)) + sum(opened)


def _form(
    call: Call, columns: Sequence[int], features: Sequence[Feature]
) -> _SingleForm | _JointForm:
    """Return the encoding of the answers to a query of these columns."""
    ruled = {rule.column for rule in call.hidden}
    domains = [
        (*values, *((OTHER_VALUE, BLANK) if column in ruled else ()))
        if (values := features[column].values) is not None
        else None
        for column in columns
    ]
    sizes = [None if domain is None else len(domain) for domain in domains]
    size = answer_size(sizes, [features[column].width for column in columns])
    if size > LONGEST:
        names = ", ".join(features[column].name for column in columns)
        raise ParameterError(
            f"answers to {names} take up to {size} bytes; at most {LONGEST} are accepted by a "
            "verified mix"
        )
    return _SingleForm(domains[0]) if len(domains) == 1 else _JointForm(domains)


def _text(data: bytes) -> str:
    """Decode UTF-8; Refused (MALFORMED) if the bytes are no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Refused(Reason.MALFORMED) from None
