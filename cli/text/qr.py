"""An address as a QR code for the cameras of phones: in terminal characters, or as SVG."""

import io


def qr_code(address: str) -> str | None:
    """Return the QR code of an address in terminal characters; None without the library `segno`."""
    try:
        import segno
    except ImportError:
        return None
    out = io.StringIO()
    segno.make(address, micro=False).terminal(out, border=2, compact=True)
    return out.getvalue().rstrip("\n")


def qr_svg(address: str) -> str:
    """Return the QR code of an address as SVG for an HTML page; "" without the library `segno`."""
    try:
        import segno
    except ImportError:
        return ""
    return str(segno.make(address, micro=False).svg_inline(border=2, omitsize=True))
