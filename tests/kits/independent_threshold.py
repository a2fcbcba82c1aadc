"""A second reader of threshold messages, which imports nothing from veilmix and no group.

It tries every k of a group's shares until one of them opens the text: slow, and in need of no
commitments, so that it finds the same as a reader who checks shares against them, or something is
wrong with one of the two.
"""

from hashlib import sha256, sha512
from itertools import combinations
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

ORDER = 2**252 + 27742317777372353535851937790883648493
TEXT, INSIDE = b"veilmix threshold text 1\0", b"veilmix threshold inside 1\0"
POLYNOMIAL = b"veilmix polynomial 1\0"


def scalar(value: int) -> bytes:
    return value.to_bytes(32, "little")


def at_zero(points: tuple[tuple[int, int], ...]) -> int:
    total = 0
    for x, y in points:
        for other, _ in points:
            if other != x:
                y = y * other * pow(other - x, -1, ORDER) % ORDER
        total += y
    return total % ORDER


def unsealed(data: bytes, label: bytes, *scalars: int) -> bytes | None:
    key = sha256(label + b"".join(map(scalar, scalars))).digest()
    try:
        return ChaCha20Poly1305(key).decrypt(bytes(12), data, None)
    except InvalidTag:
        return None


def grouped(
    messages: dict[int, bytes], body: int, size: int
) -> tuple[dict[bytes, dict[int, tuple[int, int]]], dict[int, str]]:
    """The points of those who share a body, and why others have none."""
    groups: dict[bytes, dict[int, tuple[int, int]]] = {}
    refused = {}
    for i, data in messages.items():
        x, y = (int.from_bytes(data[at : at + 32], "little") for at in (body, body + 32))
        group = groups.setdefault(data[:body], {})
        if len(data) != size or not 0 < x < ORDER or y >= ORDER:
            refused[i] = "malformed"
        elif (x, y) in group.values():
            refused[i] = "duplicate"
        else:
            group[i] = (x, y)
    return groups, refused


def opened(sealed: bytes, points: list[tuple[int, int]], k: int) -> tuple[int, bytes | None]:
    """The secret of the first k points that open a text, and the text; None where none do."""
    for some in combinations(points, k):
        secret = at_zero(some)
        plaintext = unsealed(sealed, TEXT, secret)
        if plaintext is not None:
            return secret, plaintext
    return 0, None


def at(seed: bytes, k: int, x: int) -> int:
    """The polynomial of a seed, of k coefficients, at x."""
    digests = (sha512(POLYNOMIAL + seed + bytes([e])).digest() for e in range(k))
    return (
        sum(int.from_bytes(a, "little") * pow(x, e, ORDER) for e, a in enumerate(digests)) % ORDER
    )


def unlocked(
    right: dict[int, int], messages: dict[int, bytes], body: int, secret: int
) -> dict[int, bytes | None]:
    """What is inside the messages whose points are right; None where it does not open."""
    return {i: unsealed(messages[i][body + 64 :], INSIDE, secret, x) for i, x in right.items()}


def read(vector: dict[str, Any]) -> dict[str, Any]:
    """What opens of a round: the texts of each message, what is refused and what stays closed."""
    k, widths = vector["needed"], vector["widths"]
    bodies = [32 * k + width + 32 + 16 for width in widths]
    sizes = [
        sum(bodies[i:]) + 64 * len(bodies[i:]) + 16 * len(bodies[i + 1 :])
        for i in range(len(bodies))
    ]
    texts: list[list[str]] = [[] for _ in vector["messages"]]
    refused: dict[str, list[Any]] = {}
    closed: list[list[Any]] = []
    parts = {i: bytes.fromhex(message) for i, message in enumerate(vector["messages"])}
    waiting: list[tuple[list[str], dict[int, bytes]]] = [([], parts)]
    for level, body in enumerate(bodies):
        following = []
        for around, some in waiting:
            groups, wrong = grouped(some, body, sizes[level])
            refused |= {str(i): [level, reason] for i, reason in wrong.items()}
            for shared, group in groups.items():
                secret, plaintext = opened(shared[32 * k :], list(group.values()), k)
                if plaintext is None:
                    closed += [[around, len(group)]] if group else []
                    continue
                said, seed = [*around, plaintext[:-32].hex()], plaintext[-32:]
                right = {i: x for i, (x, y) in group.items() if at(seed, k, x) == y}
                refused |= {str(i): [level, "does-not-open"] for i in group.keys() - right}
                for i in right:
                    texts[i] = said
                inner = {} if level + 1 == len(bodies) else unlocked(right, some, body, secret)
                shut = [i for i, inside in inner.items() if inside is None]
                refused |= {str(i): [level + 1, "does-not-open"] for i in shut}
                following.append((said, {i: b for i, b in inner.items() if b is not None}))
        waiting = following
    return {"texts": texts, "refused": dict(sorted(refused.items())), "closed": sorted(closed)}
