"""Draw the badges of the README from what the package says of itself.

python docs/badges.py
"""

from __future__ import annotations

from pathlib import Path

import tomllib

from lukewarm import __version__
from lukewarm._files import write_text

ROOT = Path(__file__).parents[1]
# Of a character of the text, in pixels, and around it.
_WIDTH, _MARGIN = 6.6, 9
_LEFT, _RIGHT = "#4a4f57", "#0b5a97"


def facts() -> dict[str, tuple[str, str]]:
    """Return what each badge says, left and right."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    python = project["project"]["requires-python"].removeprefix(">=")
    is_strict = project["tool"]["mypy"]["strict"] and (ROOT / "src/lukewarm/py.typed").exists()
    return {
        "version": ("version", __version__),
        "python": ("Python", f"{python} or later"),
        "licence": ("licence", project["project"]["license"]),
        "types": ("types", "checked by mypy" if is_strict else "none"),
    }


def badge(left: str, right: str) -> str:
    """Return a badge as SVG."""
    widths = [round(_WIDTH * len(text)) + 2 * _MARGIN for text in (left, right)]
    texts = [
        f'<rect x="{start}" width="{width}" height="20" fill="{colour}"/>'
        f'<text x="{start + width / 2:g}" y="14" fill="#fff" text-anchor="middle">{text}</text>'
        for text, start, width, colour in zip(
            (left, right), (0, widths[0]), widths, (_LEFT, _RIGHT), strict=True
        )
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sum(widths)}" height="20" role="img" '
        f'aria-label="{left}: {right}" font-family="Verdana,DejaVu Sans,sans-serif" '
        f'font-size="11">{"".join(texts)}</svg>\n'
    )


def main() -> None:
    """Write all badges."""
    for name, texts in facts().items():
        write_text(ROOT / "docs" / "figures" / f"badge-{name}.svg", badge(*texts))


if __name__ == "__main__":
    main()
