"""A button on every chart that saves it as SVG."""
