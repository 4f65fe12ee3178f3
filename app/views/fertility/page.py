"""Fertility: the cost of texts and languages in tokens, under tokenizers trained on the same corpus."""

from app.parts.choices import url_choice
from app.parts.layout import Layout, heading, layout
from app.parts.tokenizers.tokenizer_set import render_ready_made, render_tokenizer_set, render_trained_here
from app.session.comparison import FIRST_PUBLIC, FIRST_SHIPPED, TRAINED_HERE
from app.session.models import ActiveTokenizer, current_reference
from app.texts.corpora import ALL, builtin_corpus
from app.texts.i18n import t
from app.views.fertility.languages import render_languages
from app.views.fertility.pair import render_pair
from app.views.fertility.texts import render_texts

_VIEWS = ("languages", "texts")
_ON_ALL, _SIZE_ON_ALL = ("thunder-tok", "byte-bpe", "unigram", "bytes"), 8000


def _language_tokenizers(view: Layout) -> list[ActiveTokenizer]:
    """Tokenizers trained here use all built-in texts, since a corpus of one language says little about others."""
    corpora = {name: t(f"fertility.on.{name}") for name in ("ready", ALL, "active")}
    chosen = url_choice("on", t("fertility.on.label"), corpora, "ready" if current_reference().is_shipped else ALL)
    if chosen == "ready":
        return render_ready_made(view, "ready", "models", FIRST_SHIPPED, FIRST_PUBLIC)
    if chosen == "active":
        return render_tokenizer_set(view)
    return render_trained_here(
        view, "tokenizers", builtin_corpus(ALL), TRAINED_HERE, _ON_ALL, _SIZE_ON_ALL, "view", "on"
    )


views = _VIEWS if current_reference().is_shipped else _VIEWS[::-1]
section = heading("fertility", views, t("fertility.intro"))
view = layout()
if section == "texts":
    render_texts(render_tokenizer_set(view))
else:
    shown = _language_tokenizers(view)
    render_pair(shown)
    render_languages(shown)
