"""Parts of pages: forms and panels made of Streamlit's own widgets, and Streamlit components (version 2).

A component is a module with a script and a style sheet beside it, registered once when the module is imported:

- `lattice`: every candidate token of a sentence as a bar over its characters;
- `strip`: the tokens of several tokenizers, one under the other, aligned to the characters;
- `viterbi`: the Viterbi algorithm step by step;
- `stepper`: a player of prepared frames, for lessons.

They show text only as text, take every visible string as a label, and work by keyboard.
"""
