"""Write the vectors in tests/crypto/threshold_vectors: rounds of messages, and what opens of them.

    python tools/make_threshold_vectors.py            write them
    python tools/make_threshold_vectors.py --check    exit 1 if a file is missing or different

The seeds of texts are outputs of RFC 9497's function with a key that is in the file, so that a
reader can begin with the texts themselves. One fault a file. Bytes are in hexadecimal.
"""

import json
import sys
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.threshold import SEED, Level, Sealer, Shape, open_groups
from veilmix.crypto.verifiable_sharing import SHARE, Share
from veilmix.crypto.voprf import OprfKey

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "crypto" / "threshold_vectors"
ENTROPY = SeededEntropy(2025)
NESTED, WHOLE = Shape(3, (1, 1)), Shape(2, (3,))
KEY = OprfKey(ENTROPY.fork("key"))


def main(arguments: list[str]) -> int:
    """Write or check, as the docstring of this file says."""
    texts = {
        FOLDER / f"{name}.json": json.dumps(vector, indent=1) + "\n" for name, vector in rounds()
    }
    if arguments == ["--check"]:
        written = {path: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
        wrong = sorted(
            path for path in texts.keys() | written if texts.get(path) != written.get(path)
        )
        for path in wrong:
            print(f"{path.name}: not what tools/make_threshold_vectors.py makes", file=sys.stderr)
        return 1 if wrong else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    print(f"{len(texts)} vectors in {FOLDER.relative_to(ROOT)}")
    return 0


def rounds() -> Iterator[tuple[str, dict[str, Any]]]:
    """Make every vector: name, content."""
    whole = sealed(WHOLE, [b"abc", b"abd", b"abc", b"xyz"])
    yield "whole", vector("a row that two people share opens", WHOLE, whole)
    nested = sealed(NESTED, [b"ab", b"ab", b"ab", b"ac", b"xy", b"xy"])
    yield "nested", vector("prefixes that three people share open", NESTED, nested)
    end = WHOLE.body(0)
    junk = whole[0][:end] + Share(7, 9).encode()
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
                Level(KEY.output(row[:end])[:SEED], row[end - width : end])
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
