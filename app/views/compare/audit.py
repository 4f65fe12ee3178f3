"""What is wrong in a vocabulary: tokens that no text gives, parts of characters, junk; and how it cuts Hangul."""

from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import quote, urlencode

import pandas as pd
import streamlit as st

from app.parts.choices import set_choice, url_choice, url_list
from app.parts.data_table import MAX_ROWS, Columns, download_csv, draw_table, headings, pick_row, render_data
from app.parts.figures.bars import grouped_bars_figure
from app.parts.layout import Layout, more, render_figure
from app.parts.tables.tokens import visible
from app.parts.texts.text_set import text_name
from app.parts.tokenizers.job_progress import awaited
from app.parts.tokenizers.tokenizer_set import render_tokenizer_set
from app.server.request import base_path
from app.session import state
from app.session.models import ActiveTokenizer
from app.texts.corpora import Text, builtin_text, builtin_texts
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.audit.audit import FINDINGS, JUNK, Audit, audit
from engine.audit.reach import CAUSES
from engine.measure.encoded import encode_lines
from engine.tokenizer import Tokenizer

# What the picture sums up; the table has the findings one by one.
_GROUPS = {
    "never": tuple(f"never_{cause}" for cause in CAUSES),
    "broken": ("broken",),
    "special": ("special_like", "special_typed"),
    "junk": tuple(JUNK),
}
_OF_TEXT = ("unused", "intermediate")
_MOST = 3  # tokens a syllable, and more
_EXAMPLES = 8
_COMMON = 0.01  # smallest share of a script in the figure, under any of the tokenizers
_Audits = Mapping[str, tuple[ActiveTokenizer, Audit]]


def render_audit(view: Layout) -> None:
    """The shares of the findings, the findings one by one with the tokens of one, then Hangul and scripts."""
    chosen = render_tokenizer_set(view, ())
    with view.settings(t("compare.audit.text"), "compare.audit.text"):
        text = _choose_text()
    with view.pending:
        found = {f"{k}. {one.title}": (one, _audit(one, text)) for k, one in enumerate(chosen, start=1)}
    ready = {name: (one, audited) for name, (one, audited) in found.items() if audited is not None}
    if not ready:
        return
    with view.picture:
        table = group_table({name: audited for name, (_, audited) in ready.items()})
        table["group"] = [t(f"compare.audit.group.{name}") for name in table["group"]]
        title, axis = t("compare.audit.title"), t("compare.column.share")
        figure = grouped_bars_figure(table, "group", "name", "share", title, axis, language(), in_percent=True)
        render_figure(figure, "compare.audit", title)
    with view.sections:
        st.caption(t("compare.audit.how"))
        _render_findings(ready, text)
        _render_syllables(ready)
        if place := more("compare"):
            with place:
                _render_scripts(ready)


def _choose_text() -> Text | None:
    names = {id_.replace(".", "-"): text_name(id_) for id_ in builtin_texts()}
    chosen = url_list("counted", t("compare.audit.text"), names, (), 1, t("compare.audit.text_help"))
    return builtin_text(chosen[0].replace("-", ".")) if chosen else None


def _audit(active: ActiveTokenizer, text: Text | None) -> Audit | None:
    waiting = t("compare.audit.waiting", name=plain(active.title))
    key = (active.sha256, text.digest if text else "")
    return awaited("audit", key, partial(_audited, active.model, text), waiting, plain(active.title))


def _audited(tokenizer: Tokenizer, text: Text | None) -> Audit:
    return audit(tokenizer, encode_lines(tokenizer, text.sentences()).counts() if text else None)


def group_table(audits: Mapping[str, Audit]) -> pd.DataFrame:
    """Columns group (a key of the picture's groups), name, share of the vocabulary; a row for each of both."""
    rows = [
        {"group": group, "name": name, "share": sum(found.findings[one].size for one in findings) / found.vocab_size}
        for group, findings in _GROUPS.items()
        for name, found in audits.items()
    ]
    return pd.DataFrame(rows, columns=["group", "name", "share"])


def count_table(audits: Mapping[str, Audit], findings: Sequence[str]) -> pd.DataFrame:
    """Tokens of each finding: a row each, a column of each tokenizer; <NA> for one that cannot have it."""
    counts = {
        name: [found.findings[one].size if one in found.findings else None for one in findings]
        for name, found in audits.items()
    }
    return pd.DataFrame(counts, dtype="Int64")


def _render_findings(ready: _Audits, text: Text | None) -> None:
    st.subheader(t("compare.audit.findings"))
    findings = [one for one in FINDINGS if text is not None or one not in _OF_TEXT]
    titles = {finding: t(f"compare.audit.finding.{finding}") for finding in findings}
    counts = count_table({name: audited for name, (_, audited) in ready.items()}, findings)
    counts.insert(0, "finding", list(titles.values()))
    columns: Columns = {
        "finding": t("compare.column.finding"),
        **{name: st.column_config.NumberColumn(name, format="localized") for name in ready},
    }
    st.caption(t("compare.audit.pick"))
    pick_row(
        counts,
        "compare.audit.counts",
        lambda row: set_choice("finding", findings[row]),
        columns,
        height=38 + 35 * len(findings),
        alt=t("compare.audit.findings"),
    )
    _render_every(ready, titles)
    finding = url_choice("finding", t("compare.audit.finding_label"), titles, "broken")
    st.subheader(titles[finding], anchor=False)
    st.caption(t(f"compare.audit.why.{finding}"))
    _render_tokens(ready, finding)


def _render_every(ready: _Audits, titles: Mapping[str, str]) -> None:
    """Counts, shares and examples of every finding, folded."""
    every = pd.DataFrame(
        {
            "name": name,
            "finding": title,
            "count": ids.size,
            "share": 100 * ids.size / audited.vocab_size,
            "examples": "  ".join(_label(active, token) for token in ids[:_EXAMPLES].tolist()),
        }
        for finding, title in titles.items()
        for name, (active, audited) in ready.items()
        if (ids := audited.findings.get(finding)) is not None
    )
    columns = headings("compare.column", name="", finding="", count="", share="%.2f%%")
    columns |= headings("compare.audit", examples="")
    render_data("audit", every, columns, of=lambda: every["name"].map(_origins(ready)))


def _render_tokens(ready: _Audits, finding: str) -> None:
    """The tokens of one finding, each with a link to its details."""
    rows = [
        {"name": name, "id": token, "token": _label(active, token)}
        for name, (active, audited) in ready.items()
        for token in audited.findings.get(finding, ())
    ]
    if not rows:
        st.info(t("compare.audit.none"), icon=":material/check:")
        return
    listed = pd.DataFrame(rows)
    _render_linked(ready, listed.groupby("name", sort=False).head(MAX_ROWS), "compare.audit.tokens")
    if len(listed) > MAX_ROWS and (listed["name"].value_counts() > MAX_ROWS).any():
        st.caption(t("compare.audit.first", limit=MAX_ROWS))
    download_csv(f"audit-{finding}", lambda: listed, of=lambda: listed["name"].map(_origins(ready)))


def _render_linked(ready: _Audits, listed: pd.DataFrame, key: str) -> None:
    """Tokens (columns name, id, token) with a link to each."""
    links = [_link(ready[name][0], token) for name, token in zip(listed["name"], listed["id"].tolist(), strict=True)]
    link = st.column_config.LinkColumn(display_text=t("compare.audit.open"))
    columns = headings("compare.column", name="", id="", token="", link=link)
    draw_table(listed.assign(link=links), columns, key, 360)


def _link(active: ActiveTokenizer, token: int) -> str:
    """Address of a token in Explore: its text and bytes, under its own tokenizer alone."""
    alone = dict.fromkeys(("with", "shipped", "public"), "none")
    values = {"lang": language(), "model": str(active.reference), "text": state.pack_text(f"#{token}"), **alone}
    return f"{base_path()}/explore?{urlencode(values, quote_via=quote)}"


def _origins(ready: _Audits) -> dict[str, str]:
    return {name: active.fingerprint for name, (active, _) in ready.items()}


def _label(active: ActiveTokenizer, token: int) -> str:
    return visible(active.model.token_label(token))


def syllable_table(audits: Mapping[str, Audit], more: str) -> pd.DataFrame:
    """Columns tokens (1, 2, ..., the last followed by `more`), name, syllables: of the 11,172."""
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


def _render_syllables(ready: _Audits) -> None:
    st.subheader(t("compare.audit.syllables"))
    audits = {name: found for name, (_, found) in ready.items()}
    table = syllable_table(audits, "+")
    title, axis = t("compare.audit.syllables_title"), t("compare.audit.syllables_axis")
    names = t("compare.audit.tokens_each")
    figure = grouped_bars_figure(
        table, "tokens", "name", "syllables", title, axis, language(), xaxis={"title": names, "type": "category"}
    )
    render_figure(figure, "compare.audit.syllables", title)
    unknown = {name: found.syllables.get(0, 0) for name, found in audits.items()}
    whole = {name: found.letters.get(1, 0) for name, found in audits.items()}
    said = [t("compare.audit.letters", names=_counted(whole))]
    if any(unknown.values()):
        said.insert(0, t("compare.audit.unknown", names=_counted({k: n for k, n in unknown.items() if n})))
    st.caption(" ".join(said))
    columns: Columns = {name: t(f"compare.column.{name}") for name in ("name", "tokens_each", "syllables")}
    by_number = table.rename(columns={"tokens": "tokens_each"})
    render_data("syllables", by_number, columns, of=lambda: by_number["name"].map(_origins(ready)))


def _render_scripts(ready: _Audits) -> None:
    """Tokens by script, and the longest."""
    st.subheader(t("compare.audit.scripts"))
    by_script = pd.DataFrame(
        {"name": name, "script": _script(script), "count": count, "share": count / found.vocab_size}
        for name, (_, found) in ready.items()
        for script, count in found.scripts.items()
    )
    title = t("compare.audit.scripts_title")
    common = by_script[by_script["script"].isin(by_script.loc[by_script["share"] >= _COMMON, "script"])]
    axis = t("compare.column.share")
    figure = grouped_bars_figure(common, "script", "name", "share", title, axis, language(), in_percent=True)
    render_figure(figure, "compare.audit.scripts", title)
    in_percent = by_script.assign(share=100 * by_script["share"])
    columns = headings("compare.column", name="", script="", count="", share="%.2f%%")
    render_data("scripts", in_percent, columns, of=lambda: in_percent["name"].map(_origins(ready)))
    st.subheader(t("compare.audit.longest"), anchor=False)
    longest = pd.DataFrame(
        {"name": name, "id": token, "token": _label(active, token)}
        for name, (active, found) in ready.items()
        for token in found.longest
    )
    _render_linked(ready, longest, "compare.audit.longest")
    download_csv("longest", lambda: longest, of=lambda: longest["name"].map(_origins(ready)))


def _script(script: str) -> str:
    return t(f"compare.audit.script.{script}") if script in ("none", "other") else script


def _counted(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{plain(name)}: {count:,}" for name, count in counts.items())
