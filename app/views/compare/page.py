"""Compare: vocabularies side by side, how predictable their tokens are, the paper's ablation, ids decoded wrongly."""

import streamlit as st

from app.parts.choices import url_choice
from app.parts.layout import layout
from app.parts.tokenizers.tokenizer_set import render_tokenizer_set
from app.texts.i18n import t
from app.views.compare.ablation import render_ablation
from app.views.compare.decode import render_decode
from app.views.compare.prediction import render_prediction
from app.views.compare.vocabularies import render_vocabularies

_SECTIONS = ("vocabularies", "prediction", "ablation", "decode")

st.title(t("compare.title"))
st.markdown(t("compare.intro"))
section = url_choice(
    "view", t("compare.view.label"), {name: t(f"compare.view.{name}") for name in _SECTIONS}, _SECTIONS[0]
)
if section == "ablation":
    st.markdown(t("compare.ablation_text"))
    render_ablation()
elif section == "prediction":
    st.markdown(t("compare.prediction_text"))
    render_prediction(render_tokenizer_set(layout(), ("byte-bpe", "unigram")))
elif section == "decode":
    render_decode(render_tokenizer_set(layout()))
else:
    render_vocabularies(render_tokenizer_set(layout(), ("byte-bpe", "unigram")))
