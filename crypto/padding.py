"""Padding of all plaintexts to one size: ISO/IEC 7816-4, read strictly.

    padded = data || 0x80 || 0x00 .. 0x00

Data of 0 to size - 1 bytes has exactly one padded form of a given size. A padded form can be read
in only one way. Padding is read only after a layer has been decrypted and authenticated. So a
padding error reveals no information about the ciphertext (there is no padding oracle).
"""

from ..errors import ParameterError, Reason, Refused

_MARK = b"\x80"


def pad(data: bytes, size: int) -> bytes:
    """Return data padded to exactly `size` bytes.

    Raises:
        ParameterError: data is longer than size - 1 bytes, or not bytes.
    """
    if not isinstance(data, bytes):
        raise ParameterError(f"data: got {type(data).__name__}, accepted: bytes")
    if len(data) >= size:
        raise ParameterError(f"data: got {len(data)} bytes, accepted: at most {size - 1}")
    return (data + _MARK).ljust(size, b"\x00")


def unpad(padded: bytes) -> bytes:
    """Return the data without its padding. The caller has checked the size.

    Raises:
        Refused: (MALFORMED) no 0x80 followed by zeros only.
        ParameterError: not bytes.
    """
    if not isinstance(padded, bytes):
        raise ParameterError(f"padded: got {type(padded).__name__}, accepted: bytes")
    body = padded.rstrip(b"\x00")
    if not body.endswith(_MARK):
        raise Refused(Reason.MALFORMED, "the padding is not a byte 0x80 and then zeros")
    return body[:-1]
