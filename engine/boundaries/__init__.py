"""Where information theory puts word boundaries: PMI and branching entropy, language models, byte patches."""
