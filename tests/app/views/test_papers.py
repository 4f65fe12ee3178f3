"""The tables of the Papers page."""

from collections.abc import Mapping

import pytest

from app.views.papers.tables import our_table, printed_table
from engine.evidence.claims import SOURCES, exhibits


@pytest.mark.parametrize("source", SOURCES)
def test_every_exhibit_has_a_row_for_each_measured_name(source: str) -> None:
    for exhibit in exhibits(source):
        if exhibit.printed and exhibit.columns:
            assert len(printed_table(exhibit, str)) == len(exhibit.printed)
        if isinstance(exhibit.ours, Mapping) and exhibit.ours:
            assert len(our_table(exhibit, str)) >= len(exhibit.ours), exhibit.id


@pytest.mark.parametrize(
    ("value", "text"),
    [([0.394, -7.1, 7.93], "0.394 (−7.100 – 7.930)"), ([1.56, None, None], "1.56"), ([None, None, None], "")],
)
def test_an_interval_that_is_unknown_is_left_out(value: list[float | None], text: str) -> None:
    exhibit = exhibits("beyond")[0]._replace(ours={"first": {"change": value}}, printed={}, columns=())
    assert our_table(exhibit, str)["change"].tolist() == [text]
