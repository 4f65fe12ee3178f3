"""Every answer of a room as a table."""

import pandas as pd

from app.classroom.page.room import rooms
from app.classroom.room.posed_question import asked_at
from app.classroom.store.records import Room


def answers_table(room: Room) -> pd.DataFrame:
    """Every answer: the question, the student (a number), the answer as sent and in words, and its score, if any."""
    rows, known = [], {}
    for answer in rooms().answers(room.id):
        if answer.step not in known:
            known[answer.step] = asked_at(room, answer.step)
        found = known[answer.step]
        given = found.question.read(answer.content) if found else None
        said, score = "", None
        if found is not None and given is not None:
            said, score = found.in_words(given), found.question.score(given)
        prompt = found.prompt if found else ""
        at = answer.created
        rows.append((answer.step, prompt, answer.student, said, answer.content, score, answer.is_hidden, at))
    columns = ["step", "question", "student", "says", "answer", "score", "hidden", "unix_time"]
    return pd.DataFrame(rows, columns=columns)
