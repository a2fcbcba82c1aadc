"""Lines: texts that a screen shows as they are, such as names and values of features."""

import unicodedata


def is_line(text: str) -> bool:
    """Whether text is one line that a screen shows unchanged: no control characters or separators.

    Answers are printed: such characters could clear a terminal or imitate a line of output.
    """
    if text.isascii():
        return text.isprintable()
    return not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text)


def line_fault(text: str, max_bytes: int) -> str:
    """Return why a text cannot be shown on a screen and sent in a message; "" if it can.

    Texts that differ only in surrounding spaces look equal, so such spaces are a fault.
    """
    if not text or text != text.strip():
        return f"found {text!r}; text without surrounding spaces is accepted"
    if not is_line(text):
        return f"{text!r} holds a control character or a lone surrogate"
    if len(text.encode()) > max_bytes:
        return (
            f"{text[:40]!r}... takes {len(text.encode())} bytes of UTF-8; "
            f"at most {max_bytes} are accepted"
        )
    return ""
