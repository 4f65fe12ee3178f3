"""Questions asked before a result is revealed. A kind a module: how an answer is written, read, said, scored, counted,
simulated and shaped for a phone. A page draws it (`app.classroom.page.question`, `class_view`), paper prints it.

An answer is written as one short string, for a URL or a phone to send; `read` accepts only what `write` produces.
"""
