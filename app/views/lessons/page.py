"""Class: ten lessons, each first asked, then shown in a live view, then understood; one screen per step.

In the URL: `plan`, `lesson`, `guess` (the prediction), `stage` (one of STAGES), `reply` (to the check), and `room`: in
a room the class answers on its phones, and its answer takes the place of the visitor's prediction. `notes=true` is
the lecturer's second window, which is not projected; in a room the windows stay in sync.
"""

from app.classroom.page.alone import keep_alone, render_alone, render_own_alone
from app.classroom.page.class_view import render_own
from app.classroom.page.head import NOTES, chosen_place, is_notes_window, render_head, render_notes
from app.classroom.page.lesson_now import STAGES, lesson_now, stage_of
from app.classroom.page.link import PLAN
from app.classroom.page.plan_editor import render_plan_editor
from app.classroom.page.room import current_room, lead
from app.classroom.page.room_bar import render_bar
from app.classroom.page.room_end import render_ending
from app.classroom.page.stages import is_revealed, render_asks
from app.classroom.page.with_class import render_with_class
from app.classroom.room.posed_question import own_of, posed_question
from app.parts.layout import lone_picture, set_page
from app.parts.projector import is_projected
from app.parts.texts.missing_texts import render_missing_texts

set_page("lessons")
NOTES.publish(NOTES.adopt())
room = current_room()
place = chosen_place(room)
render_head(place)
render_missing_texts()
stage = stage_of(place.name)
stage.adopt()
lesson = lesson_now(place.step.lesson) if place.step.lesson else None
if lesson is not None:
    lesson.guess.adopt()
    # The answer is not computed before there is a prediction.
    if not is_revealed(lesson) or (room is None and not lesson.is_answered):
        stage.set(STAGES[0])
if room is not None:
    room = lead(room, PLAN.value, place.name, STAGES[0] if lesson is None else stage.value, place.step.own)
    render_bar(room)
render_ending()
if is_notes_window():
    render_notes(place, lesson, room)
now = None if room is None else posed_question(room)
with lone_picture():
    if room is not None and now is not None and room.state.own:
        render_own(room, now, own_of(room) == place.step.own, place.is_scored)
    elif place.step.own is not None:
        render_own_alone(place.step.own, place)
    elif lesson is not None:
        row = render_asks(lesson, place, may_open_room=room is None)
        if room is not None and now is not None:
            render_with_class(room, lesson, now, place, row)
        else:
            render_alone(lesson, place, row)
stage.publish(stage.value)
if room is None and lesson is not None:
    keep_alone(lesson)
# A plan is edited before it begins; the other screens of a class have no room for it.
if room is None and place.index == 0 and stage.value == STAGES[0] and not is_projected():
    render_plan_editor(place.plan, PLAN)
