"""`python -m research.shipped.vocabularies FOLDER`: packs the vocabularies of assets/vocabularies.

FOLDER contains tokenizers/, with the Korean ones. BERT's come from the package `blingfire` (MIT), which has to be
installed: its `.i2w` files hold the words by id, those that begin a word with a space before them. What is written is,
to the last byte, the published file: its SHA-256 is checked.
"""

import hashlib
import lzma
import struct
import sys
from importlib.util import find_spec
from pathlib import Path

from engine.public.packed import FILES, VOCABULARIES

# Of the published files.
SHA256 = {
    "bert": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    "bert-multilingual": "fe0fda7c425b48c516fc8f160d594c8022a0808447475c1a7c6d6479763f310c",
    "kortok-sp-32k": "b2172bc57068d9dd965e73d669673def6c95f707967c7ccdff06fe795da8fc0c",
    "kortok-sp-64k": "d82edae5933d9d5213af837370303e04367959e62fc656c0380e5a46d18906f5",
    "kortok-mecab-sp-32k": "a379f87f10d12f66461434b46a40c3026716f58bf8c3ccdb553eefd65909fe51",
    "kcbert": "6086d894548a3e4bf2b306c0ca7e13614578e5b3c55de264866cd1119a777f92",
    "kobigbird": "e6096039c6af973b9fbcef311d9b6f6623b6862403cc1c71aa321374b8308caf",
}
_FOLDER = {
    "kortok-sp-32k": "kortok-sp-32k.model",
    "kortok-sp-64k": "kortok-sp-64k.model",
    "kortok-mecab-sp-32k": "kortok-mecab_sp-32k.model",
    "kcbert": "kcbert.vocab.txt",
    "kobigbird": "kobigbird.vocab.txt",
}
_BLINGFIRE = {"bert": "bert_base_tok.i2w", "bert-multilingual": "bert_multi_cased.i2w"}
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_HEADER_BYTES = 96  # then the number of words, the offset of each, the end of the last, and the words


def main(folder: Path) -> None:
    """Write all of them."""
    for name, file in _FOLDER.items():
        _pack(name, (folder / "tokenizers" / file).read_bytes())
    for name, file in _BLINGFIRE.items():
        _pack(name, _vocab_txt(_blingfire() / file))


def _pack(name: str, data: bytes) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256[name]:
        raise SystemExit(f"{name}: the vocabulary is not the published one (SHA-256 {found})")
    path = VOCABULARIES / f"{FILES[name]}.xz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


def _blingfire() -> Path:
    spec = find_spec("blingfire")
    if spec is None or spec.origin is None:
        raise SystemExit("BERT's vocabularies come from the package blingfire 0.1.8, which is not installed")
    return Path(spec.origin).parent


def _vocab_txt(path: Path) -> bytes:
    data = path.read_bytes()
    (n,) = struct.unpack_from("<I", data, _HEADER_BYTES)
    offsets = struct.unpack_from(f"<{n + 1}I", data, _HEADER_BYTES + 4)
    words = data[_HEADER_BYTES + 4 * (n + 2) :]
    return "".join(f"{_label(words[offsets[i] : offsets[i + 1]].decode())}\n" for i in range(n)).encode()


def _label(word: str) -> str:
    """The word as in vocab.txt: its space is the missing mark, and special tokens are in upper case."""
    if not word.startswith(" "):
        return f"##{word}"
    return word[1:].upper() if word[1:].upper() in _SPECIAL else word[1:]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
