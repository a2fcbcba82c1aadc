"""The contrast of the texts of a page, as WCAG 2 computes it.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

from typing import Any

SCRIPT = """() => {
    const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = (colour) => {
        const [r, g, b] = parts(colour).map((c) => c / 255)
            .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (node) => {
        for (let n = node; n; n = n.parentElement) {
            const colour = getComputedStyle(n).backgroundColor;
            if ((parts(colour)[3] ?? 1) > 0) return colour;
        }
        return "rgb(255, 255, 255)";
    };
    const found = [];
    for (const node of document.querySelectorAll("body *:not(svg *)")) {
        const own = [...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim());
        if (!own || !node.checkVisibility() || node.closest("svg, :disabled")) continue;
        const two = [light(getComputedStyle(node).color), light(ground(node))];
        const ratio = (Math.max(...two) + 0.05) / (Math.min(...two) + 0.05);
        found.push([ratio, node.id || node.textContent]);
    }
    return [found.length, found.sort((a, b) => a[0] - b[0])[0]];
}"""


def lowest_contrast(page: Any) -> tuple[int, float, str]:
    """Give the number of texts outside pictures, the lowest contrast of one, and which it is."""
    many, (ratio, text) = page.evaluate(SCRIPT)
    return many, ratio, text
