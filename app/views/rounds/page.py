"""Pruning rounds: a sentence, the scores and a token move with the round; then what each round removed, and why."""

from app.parts.layout import heading
from app.parts.tokenizers.active_model import active_model
from app.views.rounds.history import render_history

heading("rounds")
render_history(active_model())
