"""The report of a class, to be read or printed: `/report?room=ID&key=KEY`, for the lecturer of the room.

Which questions were hardest, whether the check went better than the prediction, and what the class answered to each.
"""

import html
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from app.classroom.print.handout import is_lecturer, printed_page
from app.classroom.questions.cuts import Cuts, cut_shares
from app.classroom.questions.numbers import Numbers
from app.classroom.questions.question import tally
from app.classroom.questions.word import Word
from app.classroom.room.posed_question import PosedQuestion, asked_at, read_answers
from app.classroom.store.records import Room, StudentAnswer
from app.classroom.store.rooms import rooms_of
from app.server.library import library
from app.server.store.store import LibraryError
from app.texts.catalogue import FALLBACK, LANGUAGES, translate

_MOST_WORDS = 60
_MOST_HARD = 3
_MOST_BARS = 12
_CHECK = ".check"


class Item(NamedTuple):
    """A question that the class was asked.

    Attributes
    ----------
    said : the valid answers that are not hidden.
    right : number of answers that are wholly right; None if the question has no right answer.
    """

    step: str
    asked: PosedQuestion
    said: Sequence[Any]
    right: int | None

    @property
    def share(self) -> float:
        return (self.right or 0) / len(self.said)

    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of `share` (Wilson, JASA 22, 1927)."""
        n, z = len(self.said), NormalDist().inv_cdf(0.975)
        middle = (self.share + z * z / (2 * n)) / (1 + z * z / n)
        half = z * sqrt(self.share * (1 - self.share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(0.0, middle - half), min(1.0, middle + half)


def items_of(room: Room, answers: Sequence[StudentAnswer]) -> list[Item]:
    """What the class answered, in the order in which it was first answered."""
    items = []
    for step in dict.fromkeys(answer.step for answer in answers):
        found = asked_at(room, step)
        if found is None:
            continue
        said = read_answers(found.question, [answer for answer in answers if answer.step == step])
        if said:
            right = None if found.question.solution is None else sum(found.question.score(one) == 1 for one in said)
            items.append(Item(step, found, said, right))
    return items


def hardest(items: Sequence[Item]) -> list[Item]:
    """The items with the smallest shares of right answers, at most three; none that everybody got right."""
    known = [item for item in items if item.right is not None and item.share < 1]
    return sorted(known, key=lambda item: item.share)[:_MOST_HARD]


def report(request: Request) -> Response:
    """The report; 404 without the key of the room's lecturer."""
    asked = request.query_params
    room_id, language = asked.get("room", ""), asked.get("lang", "")
    language = language if language in LANGUAGES else FALLBACK
    headers = {"Cache-Control": "no-store"}
    try:
        if is_lecturer(room_id, asked.get("key", "")):
            return HTMLResponse(report_page(room_id, language), headers=headers)
    except LibraryError:
        pass
    sentence = translate("report.none", language)
    return HTMLResponse(printed_page(language, sentence, f"<p>{html.escape(sentence)}</p>"), 404, headers)


def report_page(room_id: str, language: str) -> str:
    """The HTML of the report.

    Raises
    ------
    UnknownIdError : there is no such room.
    """
    rooms = rooms_of(library())
    room, answers = rooms.find(room_id), rooms.answers(room_id)
    items = items_of(room, answers)

    def say(key: str, **values: object) -> str:
        return html.escape(translate(f"report.{key}", language, **values))

    day = time.strftime("%Y-%m-%d", time.localtime(answers[0].created if answers else time.time()))
    n_students = len({answer.student for answer in answers})
    parts = [f"<p>{say('about', students=n_students, answers=len(answers), questions=len(items))}</p>"]
    parts += [f"<p><strong>{say('hardest')}</strong></p><ol>"] if hardest(items) else []
    parts += [f"<li>{html.escape(item.asked.prompt)} — {_share(item, language)}</li>" for item in hardest(items)]
    parts += ["</ol>"] if hardest(items) else []
    parts += _then_and_now(items, language)
    for number, item in enumerate(items, start=1):
        about = say("answers", n=len(item.said))
        about += f" · {_share(item, language)}" if item.right is not None else ""
        parts.append(
            f"<article><h2>{number}. {html.escape(item.asked.prompt)}</h2><p class=goal>{about}</p>"
            f"{''.join(_distribution(item, language))}</article>"
        )
    if room.state.attendance:
        codes = rooms.participants(room_id)
        listed = "".join(f"<li>{code}</li>" for code in codes)
        parts.append(f"<article><h2>{say('attendance', n=len(codes))}</h2><ul class=given>{listed}</ul></article>")
    title = translate("report.title", language, day=day)
    return printed_page(language, title, f"<main>{''.join(parts)}</main>")


def _share(item: Item, language: str) -> str:
    low, high = item.interval()
    said = {"right": item.right, "n": len(item.said), "share": 100 * item.share, "low": 100 * low, "high": 100 * high}
    return html.escape(translate("report.share", language, **said))


def _then_and_now(items: Sequence[Item], language: str) -> list[str]:
    by_step = {item.step: item for item in items if item.right is not None}
    both = [(item, by_step[f"{step}{_CHECK}"]) for step, item in by_step.items() if f"{step}{_CHECK}" in by_step]
    if not both:
        return []
    heads = "".join(
        f"<th>{html.escape(translate(f'report.{name}', language))}</th>" for name in ("lesson", "before", "after")
    )
    rows = "".join(
        f"<tr><td>{html.escape(translate(f'lesson.{item.step.partition(chr(46))[0]}.name', language))}</td>"
        f"<td>{_share(item, language)}</td><td>{_share(check, language)}</td></tr>"
        for item, check in both
    )
    return [f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"]


def _distribution(item: Item, language: str) -> Iterator[str]:
    question, n = item.asked.question, len(item.said)
    right = question.solution
    if isinstance(question, Word):
        words = "".join(f"<li>{html.escape(word)}</li>" for word in item.said[-_MOST_WORDS:])
        yield f"<ul>{words}</ul>"
    elif isinstance(question, Numbers):
        for place in range(len(question.labels)):
            yield from _numbers(question, item.said, place, language)
    else:
        yield "".join(
            _bar(item.asked.in_words(answer), count / n, answer == right) for answer, count in tally(item.said)
        )
    if isinstance(question, Cuts):
        shares = {place: share for place, share in cut_shares(question, item.said).items() if share}
        places = (
            f"{html.escape(question.text[place - 1])}|{html.escape(question.text[place])} {100 * share:.0f}%"
            for place, share in shares.items()
        )
        yield f"<p>{html.escape(translate('report.places', language))} {' · '.join(places)}</p>"
    if right is not None:
        said = translate("report.right", language, answer=item.asked.in_words(right))
        yield f"<p><strong>{html.escape(said)}</strong></p>"


def _numbers(question: Numbers, said: Sequence[tuple[float | None, ...]], place: int, language: str) -> Iterator[str]:
    """Median and quartiles of one of the numbers, and a bar for each answer or range of answers."""
    numbers = sorted(number for one in said if (number := one[place]) is not None)
    low, high = numbers[len(numbers) // 4], numbers[-1 - len(numbers) // 4]
    label, middle = question.labels[place], question.class_answer(said)[place]
    head = "" if label in ("", question.unit) else f"{label}: "
    quartiles = translate("report.numbers", language, median=middle, low=low, high=high, unit=question.unit)
    yield f"<p>{html.escape(head + quartiles)}</p>"
    for (first, last), count in binned(numbers, question.step):
        is_right = bool(question.right) and first <= question.right[place] < last + question.step
        text = f"{first:g}" if first == last else f"{first:g}–{last:g}"
        yield _bar(text + question.unit, count / len(numbers), is_right)


def binned(numbers: Sequence[float], step: float) -> list[tuple[tuple[float, float], int]]:
    """The numbers in at most twelve ranges of equal width, as first and last multiple of `step`, with their counts.

    >>> binned([1, 1, 3], 1)
    [((1, 1), 2), ((3, 3), 1)]
    """
    units = [round(number / step) for number in numbers]
    low = min(units)
    width = ceil((max(units) - low + 1) / _MOST_BARS)
    counts = Counter((unit - low) // width for unit in units)
    firsts = {k: low + k * width for k in sorted(counts)}
    return [((first * step, (first + width - 1) * step), counts[k]) for k, first in firsts.items()]


def _bar(text: str, share: float, is_right: bool) -> str:
    width = f"{100 * share:.0f}%"
    mark = " ✓" if is_right else ""
    return f'<p class=bar style="--share:{width}"><span>{html.escape(text)}{mark}</span> <b>{width}</b></p>'
