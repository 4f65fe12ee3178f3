"""A button on every chart to save it as SVG."""
