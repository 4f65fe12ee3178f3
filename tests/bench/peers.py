"""One measured piece of work of another library, as a process of its own: `python -m tests.bench.peers WORK ...`.

The works that train write a file; those that encode print seconds of encoding alone and a hash of all ids.
"""

import base64
import hashlib
import json
import sys
import time
from pathlib import Path

import numpy as np

from engine.corpus.pretokens.known_patterns import TIKTOKEN_PATTERNS
from engine.corpus.pretokens.presets import PRESETS


def sentencepiece_train(corpus: str, output: str, size: str, threads: str, kind: str = "unigram") -> None:
    """Unigram or BPE over whole lines, as SentencePiece cuts them itself."""
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        input=corpus,
        model_prefix=output,
        vocab_size=int(size),
        model_type=kind,
        character_coverage=1.0,
        byte_fallback=True,
        num_threads=int(threads),
        minloglevel=2,
        max_sentence_length=10**6,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
    )


def tokenizers_unigram(corpus: str, output: str, size: str, pattern: str) -> None:
    """Unigram over the pre-tokens of a named pattern."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(PRESETS[pattern].pattern), "isolated")
    tokenizer.train([corpus], trainers.UnigramTrainer(vocab_size=int(size), show_progress=False))
    tokenizer.save(output)


def tokenizers_bpe(corpus: str, output: str, size: str, pattern: str) -> None:
    """Byte-level BPE over the pre-tokens of a named pattern. Lines come without their ends, as ours do."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    split = pre_tokenizers.Split(Regex(PRESETS[pattern].pattern), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=int(size), show_progress=False, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(_lines(corpus), trainer)
    tokenizer.save(output)


def sentencepiece_encode(corpus: str, model: str) -> None:
    """All lines by one thread, to lists of ids; the pieces' surfaces tell whether both cut alike."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=model)
    lines = _lines(corpus)
    processor.encode(lines[:100], num_threads=1)
    began = time.perf_counter()
    ids = processor.encode(lines, num_threads=1)
    seconds = time.perf_counter() - began
    # Ids differ by the control tokens that a SentencePiece model begins with; sizes of the pieces do not.
    sizes = [len(_surface(processor, i)) for i in range(processor.get_piece_size())]
    _report(seconds, [[sizes[i] for i in line] for line in ids])


def _surface(processor: object, i: int) -> bytes:
    piece = processor.id_to_piece(i)  # type: ignore[attr-defined]
    if processor.is_byte(i):  # type: ignore[attr-defined]
        return bytes([int(piece[1:-1], 16)])
    return piece.replace("\u2581", " ").encode()


def tokenizers_encode(corpus: str, model: str) -> None:
    """All lines with encode_batch_fast, on as many threads as it likes."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(model)
    lines = _lines(corpus)
    tokenizer.encode_batch_fast(lines[:100])
    began = time.perf_counter()
    encodings = tokenizer.encode_batch_fast(lines)
    seconds = time.perf_counter() - began
    _report(seconds, [encoding.ids for encoding in encodings])


def write_ranks(output: str, encoding: str) -> None:
    """The file of the ranks of one of tiktoken's encodings."""
    from engine.interop.tiktoken.ranks import to_tiktoken
    from engine.public.load import load_public

    Path(output).write_bytes(to_tiktoken(load_public(f"{encoding}_base")))


def tiktoken_encode(corpus: str, ranks: str, encoding: str) -> None:
    """All lines by one thread, by ranks and the encoding's own pattern."""
    import tiktoken

    pattern = TIKTOKEN_PATTERNS[encoding].exact
    entries = (line.split() for line in Path(ranks).read_bytes().splitlines())
    ranked = {base64.b64decode(token): int(rank) for token, rank in entries}
    peer = tiktoken.Encoding("", pat_str=pattern, mergeable_ranks=ranked, special_tokens={})
    lines = _lines(corpus)
    for line in lines[:100]:
        peer.encode_ordinary(line)
    began = time.perf_counter()
    ids = [peer.encode_ordinary(line) for line in lines]
    _report(time.perf_counter() - began, ids)


def gigatoken_encode(corpus: str, ranks: str, encoding: str, threads: str) -> None:
    """All lines to flat arrays; more than one thread: as many as it likes."""
    import gigatoken

    peer = gigatoken.Tokenizer.from_tiktoken(ranks)
    lines, is_parallel = _lines(corpus), int(threads) > 1
    peer.encode_batch(lines[:100], parallel=is_parallel)
    began = time.perf_counter()
    ids = peer.encode_batch(lines, parallel=is_parallel)
    _report(time.perf_counter() - began, ids.to_list())


def fastokens_encode(corpus: str, ranks: str, encoding: str, threads: str) -> None:
    """All lines to flat arrays, on as many threads as it likes."""
    import fastokens

    peer = fastokens.Tokenizer.from_tiktoken(ranks, encoding=f"{encoding}_base")
    lines = _lines(corpus)
    peer.encode_batch_flat(lines[:100])
    began = time.perf_counter()
    flat, offsets = peer.encode_batch_flat(lines)
    seconds = time.perf_counter() - began
    bounds, ids = np.frombuffer(offsets, np.uint64).tolist(), np.frombuffer(flat, np.uint32).tolist()
    _report(seconds, [ids[bounds[i] : bounds[i + 1]] for i in range(len(lines))])


def gigabpe_train(corpus: str, output: str, size: str, threads: str) -> None:
    """Byte-level BPE over GPT-2's pre-tokens."""
    import gigabpe

    gigabpe.train_tokenizer([corpus], int(size), output, threads=int(threads))


def our_encode(corpus: str, model: str, threads: str, what: str) -> None:
    """All lines to flat arrays; `what` is `ids` or `sizes`, as the peer reports."""
    from engine.model_files import load_tokenizer

    tokenizer = load_tokenizer(model)
    lines = _lines(corpus)
    tokenizer.encode_lines(lines[:100], int(threads))
    began = time.perf_counter()
    batch = tokenizer.encode_lines(lines, int(threads))
    seconds = time.perf_counter() - began
    bounds = batch.line_ptr.tolist()
    flat = (batch.ids if what == "ids" else batch.size).tolist()
    _report(seconds, [flat[bounds[i] : bounds[i + 1]] for i in range(len(lines))])


def our_lattice(model: str, text: str) -> None:
    """What the page asks of one sentence's lattice: marginals, entropy, best path, ten best."""
    from engine.model_files import load_tokenizer

    tokenizer = load_tokenizer(model)
    tokenizer.lattice(text).nbest(10)
    seconds = []
    for _ in range(51):
        began = time.perf_counter()
        lattice = tokenizer.lattice(text)
        found = (lattice.marginal, lattice.entropy, lattice.best_path, lattice.nbest(10), lattice.labels)
        seconds.append(time.perf_counter() - began)
    assert all(part is not None for part in found)
    sys.stdout.write(json.dumps({"seconds": float(np.median(seconds)), "sha256": ""}))


def _lines(corpus: str) -> list[str]:
    return Path(corpus).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _report(seconds: float, lists: list[list[int]]) -> None:
    digest = hashlib.sha256(json.dumps(lists).encode()).hexdigest()
    sys.stdout.write(json.dumps({"seconds": seconds, "sha256": digest, "n_tokens": sum(map(len, lists))}))


WORKS = (
    sentencepiece_train,
    tokenizers_unigram,
    tokenizers_bpe,
    sentencepiece_encode,
    tokenizers_encode,
    our_encode,
    our_lattice,
    tiktoken_encode,
    gigatoken_encode,
    fastokens_encode,
    gigabpe_train,
    write_ranks,
)

if __name__ == "__main__":
    {work.__name__: work for work in WORKS}[sys.argv[1]](*sys.argv[2:])
