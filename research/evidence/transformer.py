"""A small decoder transformer for a stream of ids, in torch: pre-norm, learned positions, tied embeddings.

Needs torch (requirements/lm.txt); only `downstream` loads it, on demand.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional


class Shape(NamedTuple):
    """Size of a model and of its training.

    Attributes
    ----------
    length : context length, in ids.
    width, layers, heads : of the network; 12 · width² parameters per layer.
    batch : windows of that length per step.
    """

    length: int
    width: int = 160
    layers: int = 4
    heads: int = 5
    batch: int = 8


class _Block(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.heads = shape.heads
        self.before_attention, self.before_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width, bias=False)
        self.mixed = nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def forward(self, x: Any) -> Any:
        rows, length, width = x.shape
        parts = self.queries_keys_values(self.before_attention(x)).view(rows, length, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.mixed(seen.transpose(1, 2).reshape(rows, length, width))
        return x + self.down(functional.gelu(self.up(self.before_mlp(x))))


class TransformerDecoder(nn.Module):
    """Logits of the next id at every position of windows of ids, int64[rows, length <= shape.length]."""

    def __init__(self, n_ids: int, shape: Shape) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(n_ids, shape.width), nn.Embedding(shape.length, shape.width)
        self.blocks = nn.Sequential(*[_Block(shape) for _ in range(shape.layers)])
        self.last = nn.LayerNorm(shape.width)
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=0.02)

    def forward(self, ids: Any) -> Any:
        """The logits, float[rows, length, n_ids]."""
        x = self.tokens(ids) + self.places.weight[: ids.shape[1]]
        return functional.linear(self.last(self.blocks(x)), self.tokens.weight)

    @property
    def n_parameters(self) -> int:
        """Parameters of the blocks, without token and position embeddings."""
        return sum(parameter.numel() for parameter in self.blocks.parameters())


def trained(ids: np.ndarray, n_ids: int, shape: Shape, n_windows: int, rate: float, seed: int) -> TransformerDecoder:
    """Train a model on the stream once; the same seed gives the same model.

    Parameters
    ----------
    n_windows : windows of `shape.length` ids, evenly spaced over the stream and read in random order.
    rate : peak learning rate; linear warm-up over the first twentieth of the steps, cosine decay to a tenth.
    """
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(seed)
    model = TransformerDecoder(n_ids, shape)
    stream = torch.from_numpy(ids.astype(np.int64))
    begins = torch.from_numpy(np.linspace(0, ids.size - 1 - shape.length, n_windows).astype(np.int64))
    batches = begins[torch.randperm(n_windows)].split(shape.batch)
    places = torch.arange(shape.length)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _share_of_rate(step, len(batches)))
    for batch in batches:
        at = batch[:, None] + places
        logits = model(stream[at])
        loss = functional.cross_entropy(logits.flatten(0, 1), stream[at + 1].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return model


def _share_of_rate(step: int, n_steps: int) -> float:
    rise = max(1, n_steps // 20)
    if step < rise:
        return (step + 1) / rise
    return 0.1 + 0.45 * (1 + math.cos(math.pi * (step - rise) / max(1, n_steps - rise)))


def nats(model: TransformerDecoder, ids: np.ndarray, length: int) -> np.ndarray:
    """−ln P of every id but the first (float64[n - 1]), each with at least half a context before it if there is one.

    Windows of `length` ids overlap by half; each but the first scores its second half.
    """
    stream = torch.from_numpy(ids.astype(np.int64))
    found = np.empty(ids.size - 1)
    done, begin = 0, 0
    with torch.inference_mode():
        while done < found.size:
            end = min(begin + length, found.size)
            logits = model(stream[None, begin:end])[0, done - begin :]
            found[done:end] = functional.cross_entropy(logits, stream[done + 1 : end + 1], reduction="none").numpy()
            done, begin = end, end - length // 2
    return found
