"""Write the vectors in tests/crypto/threshold_vectors: rounds of messages, and what opens of them.

    python tools/make_threshold_vectors.py            write them
    python tools/make_threshold_vectors.py --check    exit 1 if a file is missing or not the same

The seeds of texts are outputs of RFC 9497's function with a key that is in the file, so that a
reader can begin with the texts themselves. One fault a file. Bytes are in hexadecimal.
"""

import sys
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from generated import ROOT, vector_files, write_or_check
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.threshold import SEED, Sealer, Shape, TextLevel, open_groups
from veilmix.crypto.verifiable_sharing import SHARE, SharePoint
from veilmix.crypto.voprf import OprfKey

FOLDER = ROOT / "tests" / "crypto" / "threshold_vectors"
ENTROPY = SeededEntropy(2025)
NESTED, WHOLE = Shape(3, (1, 1)), Shape(2, (3,))
KEY = OprfKey(ENTROPY.fork("key"))


def main(arguments: list[str]) -> int:
    """Write or check, as the docstring of this file says."""
    vectors = {f"{name}.json": vector for name, vector in rounds()}
    return write_or_check(arguments, vector_files(FOLDER, vectors), FOLDER)


def rounds() -> Iterator[tuple[str, dict[str, Any]]]:
    """Make every vector: name, content."""
    whole = sealed(WHOLE, [b"abc", b"abd", b"abc", b"xyz"])
    yield "whole", vector("a row that two people share opens", WHOLE, whole)
    nested = sealed(NESTED, [b"ab", b"ab", b"ab", b"ac", b"xy", b"xy"])
    yield "nested", vector("prefixes that three people share open", NESTED, nested)
    end = WHOLE.body(0)
    junk = whole[0][:end] + SharePoint(7, 9).encode()
    yield "junk-share", vector("one share is junk", WHOLE, [junk, *whole])
    other = sealed(WHOLE, [b"zzz", b"zzz"])
    swapped = other[0][:end] + whole[0][end : end + SHARE]
    yield "others-share", vector("a share of another row", WHOLE, [*whole, swapped, *other])
    broken = nested[0][:-1] + bytes((nested[0][-1] ^ 1,))
    yield "junk-inside", vector("a second level that does not open", NESTED, [broken, *nested])
    yield "twice", vector("one message comes twice", WHOLE, [whole[1], whole[1]])
    yield "short", vector("one byte is missing", WHOLE, [whole[0][:-1], *whole[1:]])


def sealed(shape: Shape, rows: list[bytes]) -> list[bytes]:
    """Seal rows, each level's text a prefix."""
    sealer, ends = Sealer(shape), list(accumulate(shape.widths))
    return [
        sealer.seal(
            [
                TextLevel(KEY.output(row[:end])[:SEED], row[end - width : end])
                for end, width in zip(ends, shape.widths, strict=True)
            ],
            ENTROPY.fork(f"{shape.needed} {i} {row.hex()}"),
        )
        for i, row in enumerate(rows)
    ]


def vector(title: str, shape: Shape, messages: list[bytes]) -> dict[str, Any]:
    """Make the content of a file."""
    opened = open_groups(shape, messages)
    return {
        "title": title,
        "needed": shape.needed,
        "widths": shape.widths,
        "messages": [message.hex() for message in messages],
        "texts": [[text.hex() for text in texts] for texts in opened.texts],
        "refused": {
            str(index): [level, reason.value]
            for index, (level, reason) in sorted(opened.refused.items())
        },
        "closed": sorted([[text.hex() for text in around], n] for around, n in opened.closed),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
