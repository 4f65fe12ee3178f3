"""Papers: what the sources print compared with our measurements, whether they agree, and where to see it live."""

import pandas as pd
import streamlit as st

from app.parts.choices import url_choice, url_select
from app.parts.data_table import NO_TEXT, render_data
from app.parts.layout import heading, layout, render_figure
from app.session.url import UrlValue, one_of
from app.texts.i18n import t
from app.views.papers.exhibits import SIGNS, claim_line, render_exhibit, verdicts_figure
from engine.evidence.claims import CLAIM_SIZES, SOURCES, VERDICTS, Exhibit, exhibits, facts, usual_size
from engine.evidence.show import counts
from engine.evidence.stored import stored, stored_names


def _overview(chosen: str, size: int) -> pd.DataFrame:
    """Each source with its number of claims by verdict, and of slips and live views; the selected one at its size."""
    rows = [{"source": names[one], **counts(one, size if one == chosen else None)} for one in SOURCES]
    return pd.DataFrame(rows)


def _render_outcomes(table: pd.DataFrame) -> None:
    """The bars; slips of a source apart from the other differences."""
    bars = table.assign(differs=table["differs"] - table["slip"])
    title = t("papers.outcomes")
    figure = verdicts_figure(
        bars, {name: t(f"papers.verdict.{name}") for name in VERDICTS} | {"slip": t("papers.slip")}, title
    )
    render_figure(figure, "papers.outcomes", title)


def _render_source(source: str, found: list[Exhibit]) -> None:
    """A line for each claim, verdict by verdict, then one exhibit in full."""
    about = facts(source)
    if about.authors:
        st.caption(f"{about.authors} ({about.year}). *{about.title}*")
    for verdict in VERDICTS:
        lines = [claim_line(one, exhibit) for exhibit in found for one in exhibit.claims if one.verdict == verdict]
        if lines:
            st.subheader(f"{SIGNS[verdict]} {t(f'papers.group.{verdict}', count=len(lines))}")
            st.markdown("\n".join(lines))
    st.subheader(t("papers.exhibits"))
    render_exhibit(_chosen_exhibit(source, found))


def _chosen_exhibit(source: str, found: list[Exhibit]) -> Exhibit:
    """The exhibit that the visitor or the link chose: `exhibit=<id>`, so that a link can be cited."""
    by_id = {one.id: one for one in found}
    titles = {one.id: f"{one.place} · {t(f'papers.exhibit.{one.id}')}" for one in found}
    value = UrlValue("exhibit", f"papers.exhibit.{source}", one_of(by_id), str, found[0].id)
    value.adopt()
    return by_id[url_select(value, t("papers.exhibit_label"), titles)]


def _render_measured(found: list[Exhibit]) -> None:
    """The stored measurements of the selected source."""
    used = {one for exhibit in found for one in (exhibit.evidence, *(claim.evidence for claim in exhibit.claims))}
    rows = []
    for evidence in map(stored, sorted(used & {*stored_names()})):
        texts = ", ".join(f"{name} {fingerprint[:12]}" for name, fingerprint in evidence.corpus.items())
        settings = ", ".join(f"{name}: {value}" for name, value in evidence.settings.items())
        rows.append(
            {
                "name": evidence.name,
                "command": evidence.command,
                "commit": evidence.commit,
                "corpus": texts,
                "settings": settings,
            }
        )
    if rows:
        with st.expander(t("papers.measured"), icon=":material/science:"):
            st.markdown(t("papers.measured_text"))
            columns = {name: t(f"papers.column.{name}") for name in rows[0]}
            st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=columns, key="papers.measured")


heading("papers")
view = layout()
names = {source: t(f"papers.source.{source}") for source in SOURCES}
with view.sections:
    source = url_choice("source", t("papers.source.label"), names, SOURCES[0])
    size = usual_size(source)
    sizes = {str(one): f"{one:,}" for one in CLAIM_SIZES}
    about_size = (t("papers.size.label"), sizes, str(size), t("papers.size.help"))
    if source == "thunder_tok":
        size = int(url_choice("tokens", *about_size))
    elif source == "beyond":
        size = int(url_choice("own_tokens", *about_size))
overview = _overview(source, size)
with view.picture:
    _render_outcomes(overview)
with view.sections:
    found = exhibits(source, size)
    _render_source(source, found)
    _render_measured(found)
    st.caption(t("papers.about"))
    columns = {name: t(f"papers.column.{name}") for name in overview}
    render_data("papers", overview, columns, of=NO_TEXT)
