"""A button beside Plotly's camera button, which saves PNG: it saves the chart as SVG, with its font.

`st.plotly_chart` accepts no buttons with a script. So one component in the frame adds a button to the toolbar of any
chart under the pointer.
"""

import streamlit as st

from app.components.shared.component import script
from app.texts.i18n import raw

_component = st.components.v2.component("chart_svg", js=script("dom", "picture", "chart_svg"))


def offer_svg() -> None:
    """Add the button to the charts of the page."""
    _component(key="chart_svg", data={"label": raw("frame.save_svg")})
