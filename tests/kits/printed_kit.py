"""What stands where in a printed page: read from the PDF that a browser made.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

import re

PAGES = re.compile(rb"(\d+) 0 obj\s*<<[^>]*?/Type /Pages[^>]*?/Kids \[([^\]]*)\]")
MARK = re.compile(rb"/Title \((.*?)\)\n/Dest \[(\d+) 0 R /XYZ \S+ (\S+) ")


def headings(printed: bytes) -> dict[str, tuple[int, float]]:
    """The headings of a PDF: on which page each is, and how high above its foot, points."""
    below = {node: re.findall(rb"(\d+) 0 R", kids) for node, kids in PAGES.findall(printed)}
    (root,) = below.keys() - {kid for kids in below.values() for kid in kids}

    def leaves(node: bytes) -> list[bytes]:
        return [leaf for kid in below[node] for leaf in leaves(kid)] if node in below else [node]

    pages = leaves(root)
    return {
        title.decode("latin-1"): (pages.index(page) + 1, float(height))
        for title, page, height in MARK.findall(printed)
    }
