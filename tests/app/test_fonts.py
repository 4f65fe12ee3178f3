"""The bundled fonts: what the built-in texts write has a glyph on a machine that has no font of its own for it."""

from PIL import ImageFont

from app import ASSETS, ROOT

_FONTS = ROOT / "app" / "static" / "fonts"


def _without_glyph(characters: set[str], font_name: str) -> set[str]:
    """Those that are drawn as the font draws what it does not have."""
    font = ImageFont.truetype(str(_FONTS / font_name), 24)
    missing = bytes(font.getmask("\uffff"))
    return {character for character in characters if bytes(font.getmask(character)) == missing}


def test_the_han_characters_of_the_built_in_texts_are_not_boxes() -> None:
    texts = [path.read_text(encoding="utf-8") for path in ASSETS.rglob("*") if path.suffix in {".txt", ".tsv", ".toml"}]
    written = {character for character in set("".join(texts)) if _is_east_asian(character)}
    assert len(written) > 900
    missing = _without_glyph(written, "NotoSansKR-Regular.woff2")
    assert "我" in missing and _without_glyph(missing, "NotoSansSC-Regular.woff2") == set()


def _is_east_asian(character: str) -> bool:
    """Han, kana, and what stands between them: as `unicodeRange` in .streamlit/config.toml."""
    ranges = (("\u2e80", "\u30ff"), ("\u3400", "\u9fff"), ("\uf900", "\ufaff"), ("\uff00", "\uffef"))
    return any(low <= character <= high for low, high in ranges)
