"""The values of ballots as group elements, and back.

    payload of a value    length, 0 .. 29 || value || zeros                       30 bytes
    payload of an index   ff || index of the value in the announced domain, u32 || zeros
    element               2n || payload || 0, with the least n from 1 on that gives an element

The byte 2n is varied because not every string of 32 bytes encodes a group element. An element
carries a value of up to 29 bytes itself, so that open domains need no table. A longer value is
carried by its index in the announced domain. Each value has a single element. An element is
malformed if it carries no value, or is not the single element of its value.
"""

from collections.abc import Iterable, Iterator, Sequence

from ...errors import ParameterError, Reason, Refused
from .group import PAYLOAD, PrimeGroup

# most bytes of a value inside an element; the payload's first byte is the value's length
LONGEST = PAYLOAD - 1
_INDEX = 0xFF  # in place of a length: the index of a value in the announced domain follows
_INDEX_SIZE = 4


class ValueElements:
    """The encoding of the values of a query's answers as group elements.

    Args:
        group: the group of the elements.
        domain: the announced values, each once. Values of more than 29 bytes are carried by their
            index in it. Empty for an open domain, in which no value is longer than 29 bytes.
    """

    def __init__(self, group: PrimeGroup, domain: Sequence[bytes] = ()) -> None:
        """Index the values of the domain that are too long for an element."""
        if len(domain) >= 1 << 8 * _INDEX_SIZE:
            raise ParameterError(
                f"domain: found {len(domain)} values; at most 2**32 - 1 are accepted"
            )
        self._group = group
        self._domain = domain
        self._places = {value: at for at, value in enumerate(domain) if len(value) > LONGEST}

    def encode(self, value: bytes) -> bytes:
        """Return the group element that carries a value.

        Raises:
            ParameterError: longer than 29 bytes, and not in the announced domain.
        """
        if len(value) <= LONGEST:
            return self._group.embed(bytes((len(value),)) + value.ljust(LONGEST, b"\0"))
        if value not in self._places:
            raise ParameterError(
                f"value: {len(value)} bytes, not in the announced domain; accepted: up to "
                f"{LONGEST} bytes, or a value of the domain"
            )
        index = bytes((_INDEX,)) + self._places[value].to_bytes(_INDEX_SIZE, "big")
        return self._group.embed(index.ljust(PAYLOAD, b"\0"))

    def decode(self, element: bytes) -> bytes:
        """Return the value that a group element carries.

        Raises:
            Refused: (MALFORMED) the element carries no value, or is not the element of its value.
        """
        payload = self._group.payload(element)
        value = self._carried(payload)
        if value is None or self.encode(value) != element:
            raise Refused(Reason.MALFORMED, "an element that carries no value")
        return value

    def decode_all(self, elements: Iterable[bytes]) -> Iterator[bytes | None]:
        """Yield the value of each element, None if malformed; equal elements are decoded once."""
        values_by_element: dict[bytes, bytes | None] = {}
        for element in elements:
            if element not in values_by_element:
                try:
                    values_by_element[element] = self.decode(element)
                except Refused:
                    values_by_element[element] = None
            yield values_by_element[element]

    def _carried(self, payload: bytes) -> bytes | None:
        """Return the value that a payload claims to carry, or None if there is no such value."""
        length = payload[0]
        if length <= LONGEST:
            return payload[1 : 1 + length]
        index = int.from_bytes(payload[1 : 1 + _INDEX_SIZE], "big")
        return self._domain[index] if index < len(self._domain) else None
