"""Predictive entropy of a causal language model from the `transformers` library, if installed.

The entropy-driven pre-tokenization paper, section 3.2: the text is fed character by character, and each position gets
the entropy of the model's prediction there. Only this part of the engine needs the extra `lm`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from engine.errors import InputError

# Most of a model's context used at a time: the logits of one window must fit in memory.
MAX_WINDOW = 256


class CausalModel:
    """Entropy of the next token at every character; the counterpart of `CharacterModel` for a pretrained network.

    Parameters
    ----------
    encode : ids of one character's text; at least one.
    logits : from ids to float[n_ids, n_outcomes], the prediction after each.
    start : the id before every text; None if the model has none: the first character's entropy is then that of the
        uniform distribution, the logarithm of the number of outcomes.
    window : maximum number of ids for `logits`, at least 2.
    unknown : the id of anything that the model does not know; None if it has none.
    """

    def __init__(
        self,
        encode: Callable[[str], Sequence[int]],
        logits: Callable[[list[int]], np.ndarray],
        start: int | None,
        window: int = MAX_WINDOW,
        unknown: int | None = None,
    ) -> None:
        if window < 2:
            raise InputError("lm.window", window=window)
        self._encode, self._logits, self._start = encode, logits, start
        self._window, self._unknown = window, unknown

    def entropies(self, text: str) -> np.ndarray:
        """float64[len(text)]: entropy (nats) of the prediction where each character begins.

        A character of several tokens has the entropy at its first. After the first window, each window has the second
        half of the previous one as context.

        Raises
        ------
        InputError : the model has no token for some character, or knows none of them.
        """
        pieces = [list(self._encode(character)) for character in text]
        if not all(pieces):
            raise InputError("lm.no_token", character=text[pieces.index([])])
        ids = [token for piece in pieces for token in piece]
        if not ids:
            return np.empty(0)
        if set(ids) == {self._unknown}:
            # Uncased BERT tokenizers decompose Hangul into letters that are not in their vocabulary.
            raise InputError("lm.no_character")
        first = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])[:-1]])
        return self._after(ids)[first]

    def _after(self, ids: list[int]) -> np.ndarray:
        """Entropy before each id."""
        read = ids[:-1] if self._start is None else [self._start, *ids[:-1]]
        parts: list[np.ndarray] = []
        n_outcomes = 1
        at = 0
        while at < len(read):
            begin = max(0, at - self._window // 2)
            end = min(len(read), begin + self._window)
            logits = np.asarray(self._logits(read[begin:end]))
            n_outcomes = logits.shape[1]
            parts.append(softmax_entropy(logits[at - begin :]))
            at = end
        if self._start is None:
            if not read:  # a single id: only the vocabulary size is needed
                n_outcomes = np.asarray(self._logits(ids)).shape[1]
            parts.insert(0, np.array([np.log(n_outcomes)]))
        return np.concatenate(parts)


def softmax_entropy(logits: np.ndarray) -> np.ndarray:
    """float64[n]: entropy (nats) of softmax(logits[i]) for float[n, n_outcomes]."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    entropy = np.empty(shifted.shape[0])
    for i, row in enumerate(shifted):  # one row at a time: all of them in float64 would take much memory
        weight = np.exp(row.astype(np.float64))
        total = weight.sum()
        entropy[i] = np.log(total) - (weight * np.where(weight > 0, row, 0.0)).sum() / total
    return np.maximum(entropy, 0.0)


def load_causal_model(name: str) -> CausalModel:
    """The causal language model in a local folder, or of that id on the hub (downloaded on first use).

    Raises
    ------
    InputError : `transformers` or `torch` is not installed, or the model does not exist.
    """
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise InputError("lm.missing", package=error.name) from None
    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
        network = AutoModelForCausalLM.from_pretrained(name)
    except (OSError, ValueError, ImportError) as error:
        detail = str(error).strip().partition("\n")[0]
        raise InputError("lm.unusable", name=name, detail=detail) from None
    network.eval()
    return adapt(tokenizer, network, torch.no_grad, torch.tensor)


def adapt(tokenizer: Any, network: Any, no_gradient: Callable[[], Any], tensor: Callable[[Any], Any]) -> CausalModel:
    """Wrap a tokenizer and a network of `transformers` as a CausalModel.

    Parameters
    ----------
    no_gradient, tensor : `torch.no_grad` and `torch.tensor`.
    """
    ends = (tokenizer.bos_token_id, tokenizer.cls_token_id, tokenizer.eos_token_id)
    start = next((token for token in ends if token is not None), None)
    # Not every configuration has the network's context length.
    known = (getattr(network.config, name, None) for name in ("n_positions", "max_position_embeddings"))
    window = min((size for size in known if size), default=MAX_WINDOW)

    def logits(ids: list[int]) -> np.ndarray:
        with no_gradient():
            found: np.ndarray = network(tensor([ids])).logits[0].float().cpu().numpy()
        return found

    return CausalModel(partial(_ids, tokenizer), logits, start, min(window, MAX_WINDOW), tokenizer.unk_token_id)


def _ids(tokenizer: Any, character: str) -> list[int]:
    return list(tokenizer.encode(character, add_special_tokens=False))
