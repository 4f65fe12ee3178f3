"""A room in which a class answers: `posed_question` is its current question, `live` presence and notification of
changes, `joins` when phones came.
"""
