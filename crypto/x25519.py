"""X25519 public keys: a unique encoding for each point, and no point of low order.

X25519 (RFC 7748) reads 32 bytes as a number u below 2**255, ignores the top bit and takes u modulo
p = 2**255 - 19. So the top bit, and the 19 values from p upwards, give a point a second encoding.
An attacker cannot replace the encoding in a layer of another sender: the suites hash the encoding
into nonce or key, so the changed layer does not open. But the libraries open a layer for which its
own sender chose a second encoding. Here such layers are refused, so every key and layer has one
form. Points of low order (8 times them is zero, on the curve or its twist) make the shared secret
zero for any recipient's key.
"""

X25519_SIZE = 32  # bytes of a public or a secret key

_P = 2**255 - 19
# u coordinates of the two points of order 8. They have low order, and RFC 7748, section 6.1, lets a
# party refuse the zero secret that such points give.
_ORDER_8 = (
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
)
_LOW_ORDER = frozenset(u.to_bytes(X25519_SIZE, "little") for u in (0, 1, _P - 1, *_ORDER_8))
_TOPS = {point[-1] for point in _LOW_ORDER} | {_P.to_bytes(X25519_SIZE, "little")[-1]}
# whether every encoding with this last byte is valid: below p, and not of low order
_ORDINARY = tuple(top < max(_TOPS) and top not in _TOPS for top in range(256))


def is_public_key(point: bytes) -> bool:
    """Whether 32 bytes are the unique encoding of a point that is not of low order.

    Points of low order would make the shared secret zero for any recipient's key.
    """
    if len(point) == X25519_SIZE and _ORDINARY[point[-1]]:
        return True  # most points are decided by their last byte alone
    return (
        len(point) == X25519_SIZE
        and int.from_bytes(point, "little") < _P
        and point not in _LOW_ORDER
    )
