"""Word boundaries from information theory: PMI and branching entropy, language models, byte patches."""
