"""Thunder-Tok and the Unigram LM: `train` has the trainer, `model` the trained model and its file format."""
