"""Pruning rounds: a sentence, the scores and a token move with the round; then what each round removed, and why."""

from app.parts.choices import read_choice
from app.parts.layout import heading
from app.parts.tables.units import UNITS
from app.parts.tokenizers.active_model import active_model
from app.views.rounds.history import render_history
from app.views.rounds.twin import render_twin

heading("rounds")
active = active_model()
unit = read_choice("units", UNITS, UNITS[0])
render_history(active, unit)
render_twin(active, unit)
