"""WordPiece for the stepper: its merges beside those of BPE, and longest match."""

from collections.abc import Collection, Sequence
from itertools import zip_longest

from app.components.data import Block, Frame, TableBlock, TokenBox, TokenRow
from app.parts.tables.learn.merge_frames import pair_table, quoted, words_block
from app.parts.tables.learn.merges import best_pair, formula, gain, pair_text
from app.texts.catalogue import translate
from app.toys.merges import MatchStep, ToyStep, max_match_steps
from engine.merge_settings import MergeSettings

_PAIR_COLUMNS = ("pair", "count", "formula", "score")
_MAX_PAIRS = 6


def versus_frames(
    bpe: Sequence[ToyStep], wordpiece: Sequence[ToyStep], score: str, language: str, hidden: bool = False
) -> list[Frame]:
    """A frame for each merge: BPE on the left, WordPiece on the right; the one that ends first keeps its last state.

    Parameters
    ----------
    bpe, wordpiece : steps of both on the same words.
    score : `likelihood` or `frequency`, WordPiece's ranking.
    hidden : before every merge, a frame asks for it, with the words alone.
    """
    frames: list[Frame] = []
    for number, (left, right) in enumerate(zip_longest(bpe, wordpiece)):
        left, right = left or bpe[-1], right or wordpiece[-1]
        is_end = left.chosen is None and right.chosen is None
        title = translate(f"learn_wordpiece.versus.{'end_title' if is_end else 'title'}", language, number=number + 1)
        note = " ".join([_bpe_note(left, language), _wordpiece_note(right, score, language)])
        blocks: list[Block] = [
            words_block(left, _made(bpe, left), _caption("bpe", left, language)),
            words_block(right, _made(wordpiece, right), _caption("wordpiece", right, language)),
            pair_table(left, _PAIR_COLUMNS[:2], language, _MAX_PAIRS),
            pair_table(right, _PAIR_COLUMNS, language, _MAX_PAIRS),
        ]
        learned = [{"label": name, "tokens": _learned(step)} for name, step in (("BPE", left), ("WordPiece", right))]
        rows: list[TokenRow] = [row for row in learned if row["tokens"]]  # type: ignore[misc]
        if rows:
            caption = translate("learn_wordpiece.versus.learned", language)
            blocks.append({"kind": "tokens", "caption": caption, "rows": rows, "width": "full"})
        if hidden and not is_end:
            unmarked = [
                words_block(step._replace(chosen=None), _made(steps, step), _caption(name, step, language))
                for name, steps, step in (("bpe", bpe, left), ("wordpiece", wordpiece, right))
            ]
            asked = translate("learn_bpe.ask.note", language)
            frames.append({"title": title, "note": asked, "blocks": [*unmarked, *blocks[4:]]})
        frames.append({"title": title, "note": note, "blocks": blocks})
    return frames


def _made(steps: Sequence[ToyStep], step: ToyStep) -> str:
    return steps[step.number - 1].token if step.number else ""


def _learned(step: ToyStep) -> list[TokenBox]:
    tokens: list[TokenBox] = [{"text": token} for token in step.vocabulary[len(step.vocabulary) - step.number :]]
    if tokens:
        tokens[-1]["mark"] = "new"
    return tokens


def _caption(name: str, step: ToyStep, language: str) -> str:
    return translate(f"learn_wordpiece.versus.{name}", language, n=f"{step.n_tokens:,}", size=len(step.vocabulary))


def _bpe_note(step: ToyStep, language: str) -> str:
    if step.chosen is None:
        return translate("learn_wordpiece.note.bpe_end", language)
    pair, count = quoted(pair_text(step.chosen)), f"{step.pairs[0].frequency:,}"
    return translate("learn_wordpiece.note.bpe", language, pair=pair, count=count)


def _wordpiece_note(step: ToyStep, score: str, language: str) -> str:
    if step.chosen is None:
        return translate("learn_wordpiece.note.end", language)
    best = best_pair(step)
    values = {
        "pair": quoted(pair_text(best.pair)),
        "count": f"{best.frequency:,}",
        "formula": formula(best),
        "score": f"{gain(best):.4f}",
        "left": quoted(best.pair[0]),
        "right": quoted(best.pair[1]),
        "left_count": f"{best.left_frequency:,}",
        "right_count": f"{best.right_frequency:,}",
    }
    note = translate(f"learn_wordpiece.note.{score}", language, **values)
    if len(step.ties) > 1:
        note += " " + translate("learn_wordpiece.note.tie", language, ties=len(step.ties))
    return note


def match_frames(
    words: Sequence[str],
    vocabulary: Collection[str],
    settings: MergeSettings,
    replayed: Sequence[Sequence[str]] | None,
    language: str,
) -> list[Frame]:
    """A frame for every string that is looked up, and one for the result.

    Parameters
    ----------
    words : at least one.
    vocabulary : the tokens.
    replayed : the words as segmented by BPE, to compare with the result, with unknown tokens where necessary.
    """
    frames: list[Frame] = []
    results: list[list[str]] = []
    for word in words:
        found: list[str] = []
        for step in max_match_steps(word, vocabulary, settings):
            for attempt in range(1, len(step.tried) + 1):
                frames.append(_attempt(word, results, found, step, attempt, words, settings, language))
            found.append(step.token)
        results.append([settings.unknown] if found[-1] == settings.unknown else found)
    frames.append(_result(words, results, replayed, settings, language))
    return frames


def _attempt(
    word: str,
    results: Sequence[Sequence[str]],
    found: Sequence[str],
    step: MatchStep,
    attempt: int,
    words: Sequence[str],
    settings: MergeSettings,
    language: str,
) -> Frame:
    candidate = step.tried[attempt - 1]
    is_last = attempt == len(step.tried)
    is_found = is_last and step.token != settings.unknown
    outcome = "found" if is_found else "unknown" if is_last else "shorter"
    text = word + settings.end_of_word
    end = step.begin + len(candidate) - (len(settings.continuing) if step.begin else 0)
    now: list[TokenBox] = [{"text": token} for token in found]
    now.append({"text": candidate, "mark": "new" if is_found else "chosen"})
    now += [{"text": character} for character in text[end:]]
    rows: list[TokenRow] = [
        {"label": one, "tokens": [{"text": token} for token in tokens]}
        for one, tokens in zip(words, results, strict=False)
    ]
    rows.append({"label": word, "tokens": now})
    tried = list(step.tried[:attempt])
    is_in = [False] * (attempt - 1) + [is_found]
    answers = {
        known: translate(f"learn_wordpiece.match.{'yes' if known else 'no'}", language) for known in (True, False)
    }
    table: TableBlock = {
        "kind": "table",
        "caption": translate("learn_wordpiece.match.tried", language),
        "columns": [translate(f"learn_wordpiece.match.column.{name}", language) for name in ("candidate", "known")],
        "rows": [[one, answers[known]] for one, known in zip(tried, is_in, strict=True)],
        "marks": [{"row": row, "column": 0, "mark": "new" if known else "gone"} for row, known in enumerate(is_in)],
        "width": "half",
    }
    return {
        "title": translate("learn_wordpiece.match.title", language, number=len(found) + 1, word=quoted(word)),
        "note": translate(
            f"learn_wordpiece.match.{outcome}",
            language,
            token=quoted(candidate),
            word=quoted(word),
            unknown=settings.unknown,
        ),
        "blocks": [{"kind": "tokens", "rows": rows, "width": "half"}, table],
    }


def _result(
    words: Sequence[str],
    results: Sequence[Sequence[str]],
    replayed: Sequence[Sequence[str]] | None,
    settings: MergeSettings,
    language: str,
) -> Frame:
    blocks: list[Block] = [_cut("wordpiece", words, results, settings.unknown, language)]
    if replayed is not None:
        blocks.append(_cut("bpe", words, replayed, settings.unknown, language))
    values = {"characters": len(" ".join(words)), "words": len(words), "tokens": sum(map(len, results))}
    note = translate("learn_wordpiece.match.counts", language, **values)
    if any(settings.unknown in tokens for tokens in results):
        note += " " + translate("learn_wordpiece.match.lost", language, unknown=settings.unknown)
    return {"title": translate("learn_wordpiece.match.end", language), "note": note, "blocks": blocks}


def _cut(name: str, words: Sequence[str], cut: Sequence[Sequence[str]], unknown: str, language: str) -> Block:
    rows: list[TokenRow] = [
        {"label": word, "tokens": [{"text": token, "mark": "gone" if token == unknown else None} for token in tokens]}
        for word, tokens in zip(words, cut, strict=True)
    ]
    caption = translate(f"learn_wordpiece.match.by_{name}", language)
    return {"kind": "tokens", "caption": caption, "rows": rows, "width": "half"}
