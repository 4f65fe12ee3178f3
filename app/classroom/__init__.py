"""A class, from its plan to its report: everything that only classes need.

`lessons` has what is asked, in the plans of `plan` and `stored_plans`; `own_question` a lecturer's own questions. The
folders, each importing only those before it: `questions/` (the kinds), `store/` (the tables of rooms and answers),
`room/` (the open question, who is there), `phone/` (what phones receive and send, over routes of the server), `print/`
(the handout and the report), `page/` (the page Class; its script is `app/views/lessons/page.py`). `serving` is what
`app/main.py` adds to the server.
"""
