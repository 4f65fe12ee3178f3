"""A button beside Plotly's own camera, which makes PNG: it saves the chart as SVG, its font included.

`st.plotly_chart` takes no buttons with a script. So one component of the frame puts a button into the tools of every
chart that is pointed at.
"""

import streamlit as st

from app.components.shared.component import script
from app.texts.i18n import raw

_component = st.components.v2.component("chart_svg", js=script("dom", "picture", "chart_svg"))


def offer_svg() -> None:
    """Give the charts of the page their button."""
    _component(key="chart_svg", data={"label": raw("frame.save_svg")})
