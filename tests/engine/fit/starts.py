"""Small tokenizers of every kind whose vocabulary can be changed."""

import io
import json
from collections.abc import Callable
from functools import cache

import sentencepiece

from engine.config import TrainingSettings
from engine.fit.bpe import RankFile, TrainedBpe
from engine.fit.changed import as_editable
from engine.fit.editable import Editable
from engine.fit.pieces import PieceFile, UnigramFile
from engine.fit.scored import ScoredEditable
from engine.fit.tokenizer_json import TokenizerJson, UnigramJson
from engine.interop.huggingface.exporter import to_tokenizer_json
from engine.interop.huggingface.importer import from_tokenizer_json
from engine.interop.sentencepiece.importer import from_sentencepiece
from engine.interop.tiktoken.ranks import from_tiktoken, to_tiktoken
from engine.merge_settings import MergeSettings
from engine.merges.bpe import Bpe
from engine.merges.trainer import train_merges
from engine.merges.wordpiece import WordPiece
from engine.training import train

LINES = [
    "the theme of the then",
    "다람쥐 헌 쳇바퀴에 타고파",
    "them and then, and them",
    "aaaa aaa aaaaaa",
    "다람쥐가 다람쥐를",
]
SPECIALS = ("<s>", "<pad>")


def trained(size: int = 290, algorithm: str = "byte-bpe", specials: tuple[str, ...] = SPECIALS) -> Bpe:
    """Byte-level BPE, or BPE on characters, of LINES."""
    settings = TrainingSettings(algorithm=algorithm, vocab_size=size, special_tokens=specials, pretokenizer="gpt2")
    model = train(LINES, settings)
    assert isinstance(model, Bpe)
    return model


def _ranks() -> Editable:
    model = trained()
    return RankFile(from_tiktoken(to_tiktoken(model), "gpt2", model.special_tokens))


def _json(model: Bpe | WordPiece) -> Editable:
    data = to_tokenizer_json(model)
    return TokenizerJson(from_tokenizer_json(data), data)


def _unigram_json() -> ScoredEditable:
    """Written here, of the same pieces, with a special token beside the vocabulary."""
    pieces = _pieces("unigram", 45).tokenizer.proto.pieces
    how = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    content = {
        "added_tokens": [{"id": len(pieces), "content": "<mask>", "special": True, **how}],
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [[piece.text, piece.score] for piece in pieces]},
    }
    data = json.dumps(content).encode()
    tokenizer = from_tokenizer_json(data)
    return UnigramJson(tokenizer, data)


def _here() -> ScoredEditable:
    chosen = TrainingSettings(algorithm="thunder-tok", vocab_size=275, sentencepiece_safe=True, min_count=2)
    model = as_editable(train(LINES * 3, chosen))
    assert isinstance(model, ScoredEditable)
    return model


def _unigram(vocab_size: int, **options: object) -> UnigramFile:
    made = _pieces("unigram", vocab_size, **options)
    return UnigramFile(made.tokenizer, made.data)


def _pieces(kind: str, vocab_size: int, **options: object) -> PieceFile:
    """Trained by SentencePiece; `h` and `쳇` are unknown or bytes."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line.replace("h", "").replace("쳇", "") for line in LINES] * 20),
        model_writer=written,
        model_type=kind,
        vocab_size=vocab_size,
        hard_vocab_limit=False,
        user_defined_symbols=["<tool>"],
        control_symbols=["<pad>"],
        minloglevel=2,
        **options,
    )
    data = written.getvalue()
    return PieceFile(from_sentencepiece(data), data)


_CHARACTERS = MergeSettings(algorithm="bpe", vocab_size=60, special_tokens=SPECIALS)
# Each is made once, when a test asks for it.
STARTS: dict[str, Callable[[], Editable]] = {
    "ranks": cache(_ranks),
    "trained": cache(lambda: TrainedBpe(trained())),
    "json": cache(lambda: _json(trained())),
    "json of characters": cache(lambda: _json(train_merges(LINES, _CHARACTERS))),
    "characters": cache(lambda: TrainedBpe(trained(45, "bpe"))),
}
# With scores, the texts of whose tokens are not bytes.
SCORED: dict[str, Callable[[], ScoredEditable]] = {
    "unigram": cache(lambda: _unigram(45)),
    "unigram with bytes": cache(lambda: _unigram(310, byte_fallback=True)),
    "trained here": cache(_here),
    "json": cache(_unigram_json),
}
PIECES: dict[str, Callable[[], PieceFile]] = {
    "unigram": cache(lambda: _unigram(45)),
    "unigram with bytes": cache(lambda: _unigram(310, byte_fallback=True)),
    "pieces": cache(lambda: _pieces("bpe", 60)),
    "pieces with bytes": cache(lambda: _pieces("bpe", 320, byte_fallback=True, bos_piece="<bos>")),
}
