"""What is wrong in a vocabulary: tokens that no text gives, parts of characters, junk; and how it cuts Hangul."""

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app.parts.choices import url_choice
from app.parts.data_table import Columns, download_csv, pick_row, render_data
from app.parts.figures.bars import grouped_bars_figure
from app.parts.layout import Layout
from app.parts.tables.tokens import shown
from app.parts.tokenizers.tokenizer_set import render_tokenizer_set
from app.parts.tokenizers.waiting import awaited
from app.parts.tokens.token_field import TOKEN
from app.session.models import ActiveTokenizer
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.audit.audit import Audit, audit
from engine.audit.content import JUNK
from engine.audit.reach import CAUSES

# What the picture sums up; the table has the findings one by one.
_GROUPS = {
    "never": tuple(f"never_{cause}" for cause in CAUSES),
    "broken": ("broken",),
    "special": ("special_like", "special_typed"),
    "junk": tuple(JUNK),
}
_WITHOUT_TEXT = (*_GROUPS["never"], "broken", "impossible", "duplicate", *_GROUPS["special"], *JUNK)
_MOST = 3  # tokens a syllable, and more
_EXAMPLES = 8
_MAX_LISTED = 1000


def render_audit(view: Layout) -> None:
    """The shares of the findings, then Hangul, the findings one by one, and the tokens of one."""
    chosen = render_tokenizer_set(view, ("byte-bpe", "wordpiece"))
    with view.pending:
        found = {f"{k}. {one.title}": (one, _audit(one)) for k, one in enumerate(chosen, start=1)}
    ready = {name: (one, audited) for name, (one, audited) in found.items() if audited is not None}
    if not ready:
        return
    with view.picture:
        table = group_table({name: audited for name, (_, audited) in ready.items()})
        table["group"] = [t(f"compare.audit.group.{name}") for name in table["group"]]
        title, axis = t("compare.audit.title"), t("compare.column.share")
        figure = grouped_bars_figure(table, "group", "name", "share", title, axis, language(), in_percent=True)
        st.plotly_chart(figure, key="compare.audit", config={"displaylogo": False}, alt=title)
    with view.sections:
        st.caption(t("compare.audit.how"))
        _render_findings(ready)
        _render_syllables(ready)


def _audit(active: ActiveTokenizer) -> Audit | None:
    waiting = t("compare.audit.waiting", name=plain(active.title))
    return awaited(("audit", active.sha256), partial(audit, active.model), waiting, plain(active.title))


def group_table(audits: Mapping[str, Audit]) -> pd.DataFrame:
    """Columns group (a key of the picture's groups), name, share of the vocabulary; a row for each of both."""
    rows = [
        {"group": group, "name": name, "share": sum(found.findings[one].size for one in findings) / found.vocab_size}
        for group, findings in _GROUPS.items()
        for name, found in audits.items()
    ]
    return pd.DataFrame(rows, columns=["group", "name", "share"])


def _render_findings(ready: Mapping[str, tuple[ActiveTokenizer, Audit]]) -> None:
    st.header(t("compare.audit.findings"))
    titles = {finding: t(f"compare.audit.finding.{finding}") for finding in _WITHOUT_TEXT}
    finding = url_choice("finding", t("compare.audit.finding_label"), titles, _WITHOUT_TEXT[3])
    rows = []
    for name, (active, found) in ready.items():
        ids = found.findings[finding].tolist()
        rows += [{"name": name, "id": token, "token": _label(active, token)} for token in ids]
    listed = pd.DataFrame(rows, columns=["name", "id", "token"])
    origins = {name: active.fingerprint for name, (active, _) in ready.items()}
    columns: Columns = {name: t(f"compare.column.{name}") for name in ("name", "id", "token")}
    first = listed.groupby("name", sort=False).head(_MAX_LISTED)

    def open_token(row: int) -> None:
        if first["name"].iloc[row] == next(iter(ready)):
            TOKEN.set(f"#{first['id'].iloc[row]}")

    counts = ", ".join(f"{plain(name)}: {found.findings[finding].size:,}" for name, (_, found) in ready.items())
    st.caption(f"{t(f'compare.audit.why.{finding}')} {counts}")
    pick_row(first, "compare.audit.tokens", open_token, columns, alt=titles[finding])
    with st.container(horizontal=True):
        st.page_link("views/token/page.py", label=t("token.open"), icon=":material/token:")
        download_csv(f"audit-{finding}", lambda: listed, of=lambda: listed["name"].map(origins))
    every = pd.DataFrame(
        {
            "name": name,
            "finding": titles[one],
            "count": found.findings[one].size,
            "share": 100 * found.findings[one].size / found.vocab_size,
            "examples": "  ".join(_label(active, token) for token in found.findings[one][:_EXAMPLES].tolist()),
        }
        for one in _WITHOUT_TEXT
        for name, (active, found) in ready.items()
    )
    all_columns: Columns = {
        **{name: t(f"compare.column.{name}") for name in ("name", "finding", "count")},
        "share": st.column_config.NumberColumn(t("compare.column.share"), format="%.2f%%"),
        "examples": t("compare.column.examples"),
    }
    render_data("audit", every, all_columns, of=lambda: every["name"].map(origins))


def _label(active: ActiveTokenizer, token: int) -> str:
    return shown(active.model.token_label(token))


def syllable_table(audits: Mapping[str, Audit], more: str) -> pd.DataFrame:
    """Columns tokens (1, 2, ..., the last with `more` behind it), name, syllables: of the 11,172."""
    rows = [
        {
            "tokens": f"{number}{more}" if number == _MOST else str(number),
            "name": name,
            "syllables": sum(n for k, n in found.syllables.items() if k == number or k > number == _MOST),
        }
        for number in range(1, _MOST + 1)
        for name, found in audits.items()
    ]
    return pd.DataFrame(rows, columns=["tokens", "name", "syllables"])


def _render_syllables(ready: Mapping[str, tuple[ActiveTokenizer, Audit]]) -> None:
    st.header(t("compare.audit.syllables"))
    audits = {name: found for name, (_, found) in ready.items()}
    table = syllable_table(audits, "+")
    title, axis = t("compare.audit.syllables_title"), t("compare.audit.syllables_axis")
    names = t("compare.audit.tokens_each")
    figure = grouped_bars_figure(
        table, "tokens", "name", "syllables", title, axis, language(), xaxis={"title": names, "type": "category"}
    )
    st.plotly_chart(figure, key="compare.audit.syllables", config={"displaylogo": False}, alt=title)
    unknown = {name: found.syllables.get(0, 0) for name, found in audits.items()}
    if any(unknown.values()):
        st.caption(t("compare.audit.unknown", names=_counted(unknown)))
    scripts = [
        {"name": name, "script": script, "count": count, "share": 100 * count / found.vocab_size}
        for name, found in audits.items()
        for script, count in found.scripts.items()
    ]
    origins = {name: active.fingerprint for name, (active, _) in ready.items()}
    by_script = pd.DataFrame(scripts, columns=["name", "script", "count", "share"])
    columns: Columns = {
        **{name: t(f"compare.column.{name}") for name in ("name", "script", "count")},
        "share": st.column_config.NumberColumn(t("compare.column.share"), format="%.2f%%"),
    }
    render_data("scripts", by_script, columns, of=lambda: by_script["name"].map(origins))
    longest = [
        {"name": name, "id": token, "token": _label(active, token)}
        for name, (active, found) in ready.items()
        for token in found.longest
    ]
    st.subheader(t("compare.audit.longest"), anchor=False)
    by_length = pd.DataFrame(longest, columns=["name", "id", "token"])
    render_data(
        "longest",
        by_length,
        {name: t(f"compare.column.{name}") for name in ("name", "id", "token")},
        of=lambda: by_length["name"].map(origins),
    )


def _counted(counts: Mapping[str, int]) -> str:
    parts: Sequence[str] = [f"{plain(name)} {count:,}" for name, count in counts.items() if count]
    return ", ".join(parts)
