"""The vocabularies in `assets/vocabularies`: the files that were published, compressed."""

import lzma
from pathlib import Path

from engine.errors import ModelFileError
from engine.interop.huggingface.vocab_txt import from_vocab_txt
from engine.interop.imported.byte_text import from_byte_text
from engine.interop.sentencepiece.importer import from_sentencepiece
from engine.interop.sentencepiece.proto import read_proto
from engine.interop.tiktoken.ranks import TiktokenBpe
from engine.machine.atomic_file import read_file
from engine.merges.alphabet import BYTE_ORDER
from engine.public.catalogue import PublicTokenizer
from engine.public.morpheme_pieces import MorphemePieces
from engine.tokenizer import Tokenizer

VOCABULARIES = Path(__file__).resolve().parents[2] / "assets" / "vocabularies"

# Their path there, without `.xz`.
FILES = {
    "bert": "bert/vocab.txt",
    "bert-multilingual": "bert/multilingual.vocab.txt",
    "gpt2": "gpt2/vocab.bpe",
    "kcbert": "kcbert/vocab.txt",
    "kobigbird": "kobigbird/vocab.txt",
    "kortok-mecab-sp-32k": "kortok/mecab_sp-32k.model",
    "kortok-sp-32k": "kortok/sp-32k.model",
    "kortok-sp-64k": "kortok/sp-64k.model",
}
_LOWERCASE = ("bert",)


def from_packed(facts: PublicTokenizer) -> Tokenizer:
    """The tokenizer with the vocabulary of that name; InputError as in `unpacked`."""
    data = unpacked(facts.name)
    if facts.name == "gpt2":
        return _gpt2(data.decode(), facts)
    if facts.package:
        return MorphemePieces(read_proto(data))
    if FILES[facts.name].endswith(".model"):
        return from_sentencepiece(data)
    return from_vocab_txt(data, lowercase=facts.name in _LOWERCASE)


def unpacked(name: str) -> bytes:
    """The file that was published; ModelFileError if ours is damaged or missing."""
    data = read_file(VOCABULARIES / f"{FILES[name]}.xz", ModelFileError)
    try:
        return lzma.decompress(data)
    except (lzma.LZMAError, EOFError):
        raise ModelFileError("public.damaged", name=name) from None


def _gpt2(merges: str, facts: PublicTokenizer) -> TiktokenBpe:
    """Bytes in GPT-2's order, then the result of each merge."""
    tokens = [bytes([byte]) for byte in BYTE_ORDER]
    for line in merges.splitlines()[1:]:
        made = from_byte_text(line.replace(" ", ""))
        assert made is not None
        tokens.append(made)
    ranks = {token: rank for rank, token in enumerate(tokens)}
    assert facts.pattern is not None
    return TiktokenBpe(ranks, facts.pattern, {"<|endoftext|>": len(ranks)})
