"""Learn: texts on which tokenizers stumble."""
