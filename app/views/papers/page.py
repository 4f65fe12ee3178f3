"""Papers: what the sources print compared with our measurements, whether they agree, and where to see it live."""

import pandas as pd
import streamlit as st

from app.parts.choices import url_choice, url_choices
from app.parts.data_table import NO_TEXT, render_data
from app.parts.layout import heading, layout
from app.texts.i18n import t
from app.views.papers.exhibits import render_exhibit
from app.views.papers.figures import verdicts_figure
from engine.evidence.claims import CLAIM_SIZES, SOURCES, VERDICTS, Exhibit, exhibits, facts, usual_size
from engine.evidence.show import counts
from engine.evidence.stored import stored, stored_names

_COUNTS = ("agree", "differ", "slip", "not_measured", "live")


def _overview(chosen: str, size: int) -> pd.DataFrame:
    """Each source with the number of claims that agree, differ or were not measured; the selected one at its size."""
    rows = [{"source": names[one], **counts(one, size if one == chosen else None)} for one in SOURCES]
    return pd.DataFrame(rows)


def _render_outcomes(table: pd.DataFrame) -> None:
    """The bars; slips of a source apart from the other differences."""
    bars = table.assign(differ=table["differ"] - table["slip"])
    title = t("papers.outcomes")
    figure = verdicts_figure(bars, {**verdicts, "slip": t("papers.slip")}, title)
    st.plotly_chart(figure, key="papers.outcomes", config={"displaylogo": False}, alt=title)


def _render_source(source: str, found: list[Exhibit], wanted: list[str], size: int) -> None:
    about = facts(source)
    if about.authors:
        st.caption(f"{about.authors} ({about.year}). *{about.title}*")
    shown = 0
    for exhibit in found:
        claims = [claim for claim in exhibit.claims if claim.verdict in wanted]
        if claims or (not exhibit.claims and len(wanted) == len(VERDICTS)):
            render_exhibit(exhibit, claims, size)
            shown += 1
    if not shown:
        st.info(t("papers.none"), icon=":material/filter_alt_off:")


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
    left, right = st.columns(2, vertical_alignment="bottom")
with left:
    verdicts = {name: t(f"papers.verdict.{name}") for name in VERDICTS}
    wanted = url_choices("show", t("papers.show.label"), verdicts)
size = usual_size(source)
about_size = (t("papers.size.label"), {str(one): f"{one:,}" for one in CLAIM_SIZES}, str(size), t("papers.size.help"))
with right:
    if source == "thunder_tok":
        size = int(url_choice("tokens", *about_size))
    elif source == "beyond":
        size = int(url_choice("own_tokens", *about_size))
overview = _overview(source, size)
with view.picture:
    _render_outcomes(overview)
with view.sections:
    found = exhibits(source, size)
    _render_source(source, found, wanted, size)
    _render_measured(found)
    st.caption(t("papers.about"))
    columns = {name: t(f"papers.column.{name}") for name in ("source", *_COUNTS)}
    render_data("papers", overview, columns, of=NO_TEXT)
