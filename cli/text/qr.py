"""An address as a picture for cameras of phones: of a terminal's characters, or as SVG."""

import io


def qr_code(address: str) -> str | None:
    """The QR code of an address, two rows a line; None where the library is not here."""
    try:
        import segno
    except ImportError:
        return None
    out = io.StringIO()
    segno.make(address, micro=False).terminal(out, border=2, compact=True)
    return out.getvalue().rstrip("\n")


def qr_svg(address: str) -> str:
    """The QR code of an address as SVG, to stand in a page; "" where the library is not here."""
    try:
        import segno
    except ImportError:
        return ""
    return str(segno.make(address, micro=False).svg_inline(border=2, omitsize=True))
