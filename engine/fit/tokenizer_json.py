"""A tokenizer.json: BPE, whose merges are listed, so only what the list says merges, and Unigram."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count, pairwise, repeat
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.fit.editable import Editable, EncodedWords, MergeParts, NewMerge
from engine.fit.scored import ScoredEditable
from engine.interop.huggingface.importer import from_tokenizer_json
from engine.interop.imported.subword_models import UNKNOWN_PENALTY, BpeModel, UnigramModel
from engine.interop.imported.tokenizer import Imported
from engine.interop.sentencepiece.merging import MARK
from engine.tokenizer import Tokenizer


class TokenizerJson(Editable):
    """Everything but vocabulary, merges and ids stays as the file has it; see Editable.

    Raises
    ------
    InputError : its model has no merges, or its characters carry marks.
    """

    target = "hf"
    tokenizer: Imported

    def __init__(self, tokenizer: Imported, data: bytes) -> None:
        if not isinstance(tokenizer.model, BpeModel):
            raise InputError("fit.kind", name=tokenizer.name)
        if tokenizer.model.has_marks:
            raise InputError("fit.marks")
        self.tokenizer = tokenizer
        self.data = data
        self._model = tokenizer.model
        content = json.loads(data)
        merges = [pair.split(" ") if isinstance(pair, str) else pair for pair in content["model"]["merges"]]
        if not merges:
            raise InputError("fit.no_merges")
        # A token added beside the vocabulary gets the next free id when the file is read, so it is entered there.
        self._ids: dict[str, int] = dict(content["model"]["vocab"])
        for token in content.get("added_tokens") or ():
            if token["content"]:
                self._ids.setdefault(token["content"], tokenizer.added_ids[token["content"]])
        self._pairs = [(self._ids[a], self._ids[b], self._ids[a + b]) for a, b in merges]

    def words(self, lines: list[str], threads: int) -> EncodedWords:
        """The distinct pre-tokens of the lines."""
        words = Counter(word for line in lines for word in self.tokenizer.pretokens(line))
        ids, ptr = self.tokenizer.encode_pretokens(list(words))
        if self.tokenizer.unknown_id is not None:
            ids = np.where(ids == self.tokenizer.unknown_id, -1, ids).astype(np.int32)
        return EncodedWords(ids, ptr, np.array(list(words.values()), dtype=np.int64))

    def pretokens(self, line: str) -> list[str]:
        """Between added tokens, as their tokens spell them."""
        ids, ptr = self.tokenizer.encode_pretokens(self.tokenizer.pretokens(line))
        return [self.tokenizer.surface(ids[begin:end].tolist()) for begin, end in pairwise(ptr.tolist())]

    def texts(self) -> list[bytes]:
        """As the vocabulary writes them."""
        texts = [b""] * self.tokenizer.vocab_size
        for text, token_id in self._ids.items():
            texts[token_id] = text.encode()
        return texts

    def parts(self) -> MergeParts:
        """The last merge of every token's characters; tokens that no merge makes, and added ones, stay."""
        n = self.tokenizer.vocab_size
        left, right = (np.full(n, -1, dtype=np.int32) for _ in range(2))
        ranks: dict[int, list[int]] = {}
        for rank, (_, _, made) in enumerate(self._pairs):
            ranks.setdefault(made, []).append(rank)
        texts = self.texts()
        for made, numbers in ranks.items():
            for rank in numbers:
                ids = self._model.merge_characters(texts[made].decode(), rank)
                if tuple(ids) == self._pairs[rank][:2]:
                    left[made], right[made] = ids
                    break
        is_fixed = np.ones(n, dtype=bool)
        is_fixed[list(ranks)] = False
        is_fixed[list(self.tokenizer.added_ids.values())] = True
        return MergeParts(left, right, is_fixed)

    def extended(self, merges: list[NewMerge]) -> tuple[Imported, bytes]:
        """With more entries and merges."""
        ids = self._ids | {merge.text.decode(): merge.made for merge in merges}
        return self._written(ids, [*self._pairs, *(merge[:3] for merge in merges)], ids, {})

    def trimmed(self, new_id: np.ndarray) -> tuple[Imported, bytes]:
        """Without some entries and the merges that need them; an id that is left unused gets a name."""
        new = new_id.tolist()
        ids = {text: new[i] for text, i in self._ids.items() if new[i] >= 0}
        merges = [pair for pair in self._pairs if min(new[i] for i in pair) >= 0]
        unused = (name for name in (f"<|unused_{k}|>" for k in count()) if name not in ids)
        ids |= dict(zip(unused, sorted({*range(max(ids.values()) + 1)} - {*ids.values()}), strict=False))
        return self._written(ids, merges, self._ids, dict(enumerate(new)))

    def _written(
        self, ids: dict[str, int], pairs: list[tuple[int, int, int]], known: dict[str, int], new_id: dict[int, int]
    ) -> tuple[Imported, bytes]:
        """The file; the ids of pairs are those of `known`, `new_id` renames those of the steps after the model."""
        content = json.loads(self.data)
        names = {i: text for text, i in known.items()}
        merges = [[names[a], names[b]] for a, b, _ in pairs]
        listed = not all(isinstance(pair, str) for pair in content["model"]["merges"])
        listed = listed or any(" " in text for pair in merges for text in pair)
        content["model"]["vocab"] = dict(sorted(ids.items(), key=lambda entry: entry[1]))
        content["model"]["merges"] = merges if listed else [" ".join(pair) for pair in merges]
        for token in content.get("added_tokens") or ():
            token["id"] = ids.get(token["content"], token["id"])
        for step in _steps(content.get("post_processor")):
            for name in ("sep", "cls"):
                if name in step:
                    step[name][1] = new_id.get(step[name][1], step[name][1])
            named = step.get("special_tokens")
            for token in named.values() if isinstance(named, dict) else repeat({}, 0):
                token["ids"] = [new_id.get(i, i) for i in token["ids"]]
        data = json.dumps(content, ensure_ascii=False, indent=2).encode()
        return from_tokenizer_json(data), data


class UnigramJson(ScoredEditable):
    """Everything but the vocabulary stays as the file has it; tokens are not removed. See ScoredEditable."""

    target = "hf"
    tokenizer: Imported

    def __init__(self, tokenizer: Imported, data: bytes) -> None:
        assert isinstance(tokenizer.model, UnigramModel)
        self.tokenizer = tokenizer
        self.data = data
        self._content = json.loads(data)
        self._least = tokenizer.model.unknown_score + UNKNOWN_PENALTY
        # A token added beside the vocabulary gets the next free id when the file is read, so it is entered there.
        vocab: list[list[Any]] = self._content["model"]["vocab"]
        known = {text for text, _ in vocab}
        beside = {token_id: text for text, token_id in tokenizer.added_ids.items() if text not in known}
        vocab += [[beside[token_id], self._least] for token_id in sorted(beside)]
        self.mark = MARK if any(MARK in text for text in known) else " "

    def scores(self) -> tuple[dict[str, float], set[str], float, float]:
        """As the file has them, but those of special tokens and bytes."""
        vocab = {text: float(score) for text, score in self._content["model"]["vocab"]}
        apart = self.tokenizer.added_ids.keys() | {f"<0x{byte:02X}>" for byte in range(256)}
        of_text = {text: score for text, score in vocab.items() if text and text not in apart}
        return of_text, {*vocab}, self._least, self._least - UNKNOWN_PENALTY

    def normalized(self, lines: list[str]) -> list[str]:
        """The pre-tokens of the lines."""
        return [word for line in lines for word in self.tokenizer.pretokens(line)]

    def spell(self, text: str) -> list[int]:
        """The tokens of a pre-token."""
        ids: list[int] = self.tokenizer.encode_pretokens([text])[0].tolist()
        return ids

    def with_scores(self, new: Mapping[str, float], old: Mapping[str, float]) -> tuple[Tokenizer, bytes]:
        """With more entries at the end."""
        model = self._content["model"]
        vocab = [[text, old.get(text, score)] for text, score in model["vocab"]] + [[*entry] for entry in new.items()]
        data = json.dumps(self._content | {"model": model | {"vocab": vocab}}, ensure_ascii=False, indent=2).encode()
        return from_tokenizer_json(data), data

    def parts(self) -> MergeParts:
        """Raises InputError."""
        raise InputError("fit.only_extend", name=self.tokenizer.name)

    def trimmed(self, new_id: np.ndarray) -> tuple[Tokenizer, bytes]:
        """Raises InputError."""
        raise InputError("fit.only_extend", name=self.tokenizer.name)


def _steps(part: Any) -> Iterator[dict[str, Any]]:
    """A post-processor and those in it."""
    if isinstance(part, dict):
        yield part
        for inner in part.get("processors") or ():
            yield from _steps(inner)
