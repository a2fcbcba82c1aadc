"""The printable page of slips (papers with a code that admits one phone), for A4.

The page has no script and loads nothing from the network. The slips stand in an order drawn at
random and have no number, so their places do not identify the people that get them.
"""

import html
import secrets
from collections.abc import Sequence
from pathlib import Path

from ..languages.language import Language
from .slips import printed

COLUMNS, ROWS = 3, 6  # slips on a printed page, across and down
STYLE = Path(__file__).parent / "static" / "slips.css"


def sheet(title: str, address: str, codes: Sequence[str], language: Language) -> str:
    """Return a printable HTML page of slips with these codes, in random order.

    Args:
        title: the title of the session.
        address: the address that phones open, with its last slash. A slip's code follows it as a
            fragment (`#code`), which browsers do not send to a server.
        codes: the codes of the slips, each of which admits one phone.
        language: the language of the slips.

    Raises:
        ImportError: the library that draws QR codes is not installed.
    """
    sheets = slip_sheets(title, address, codes, language)
    return (
        f'<!doctype html>\n<html lang="{language.tag}" dir="{language.direction}">\n<head>\n'
        '<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{html.escape(title)}</title>\n<style>{STYLE.read_text('utf-8')}</style>\n</head>\n<body>\n"
        f"<header><h1>{html.escape(title)}</h1>"
        f"<p>{html.escape(language.say('slip-note'))}</p></header>\n"
        f"<main>{sheets}</main>\n</body>\n</html>\n"
    )


def slip_sheets(title: str, address: str, codes: Sequence[str], language: Language) -> str:
    """Return the slips with these codes as HTML, in random order, without the page around them.

    The style sheet is `STYLE`. title: the title of the session. address: the address that phones
    open; a slip's code follows it as a fragment (`#code`).

    Raises:
        ImportError: the library that draws QR codes is not installed.
    """
    order = sorted(codes, key=lambda _: secrets.token_bytes(16))
    slips = [_slip(title, address, code, language) for code in order]
    size = COLUMNS * ROWS
    return "\n".join(
        f'<div class="sheet">{"".join(slips[at : at + size])}</div>'
        for at in range(0, len(slips), size)
    )


def _slip(title: str, address: str, code: str, language: Language) -> str:
    """Return the HTML of one slip: title, QR code, address and code."""
    import segno

    drawn = segno.make(f"{address}#{code}", error="m", micro=False)
    picture = drawn.svg_inline(border=2, omitsize=True)
    return (
        f'<section class="slip"><p class="title">{html.escape(title)}</p>{picture}<div>'
        f"<p>{html.escape(language.say('slip-scan'))}</p>"
        f'<p class="address">{html.escape(address).replace("//", "//<wbr>")}</p>'
        f"<p>{html.escape(language.say('slip-type'))}</p>"
        f'<p class="code">{printed(code)}</p></div>'
        f'<p class="once">{html.escape(language.say("slip-once"))}</p></section>'
    )
