"""A changed tokenizer to take away: its file, the map of its ids, and how transformers uses both, in one ZIP."""

import io
import zipfile

from engine.fit.changed import ChangedVocabulary
from engine.fit.id_map import ENDINGS, map_bytes
from engine.interop.formats import format_of

_README = """\
{file} is the changed tokenizer; map.csv and map.npz have the old ids of the text of every new id.{pattern}

New embeddings may begin with the mean of the old ones of their text. With a model of
transformers, numpy as np, torch and itertools:

    m, old = np.load("map.npz"), model.get_input_embeddings().weight.detach().clone()
    parts = [m["old_ids"][a:b] for a, b in itertools.pairwise(m["ptr"])]
    new = torch.stack([old[part].mean(0) if part.size else old.mean(0) for part in parts])
    model.resize_token_embeddings(len(new))
    model.get_input_embeddings().weight.data.copy_(new)

An id without old ids is unused.
If the model's output layer is not tied to its embeddings, copy the weight of model.get_output_embeddings() before the
model is resized, and set it to the means of its rows in the same way.
"""


def pack(changed: ChangedVocabulary, target: str) -> bytes:
    """The ZIP; `target` is the format of the tokenizer's file, "" for our own."""
    name = f"tokenizer{format_of(target, changed.tokenizer).ending if target else '.tok'}"
    cut_by = changed.tokenizer.pretokenizer
    pattern = (
        f" Ranks do not say how text is cut: open it with --pattern {cut_by.name}."
        if target == "tiktoken" and cut_by
        else ""
    )
    written = io.BytesIO()
    parts = {name: changed.data, "README.txt": _README.format(file=name, pattern=pattern).encode()}
    parts |= {f"map{ending}": map_bytes(ending, changed.id_map, changed.tokenizer) for ending in ENDINGS}
    with zipfile.ZipFile(written, "w") as archive:
        for part, data in parts.items():
            archive.writestr(zipfile.ZipInfo(part, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED, 9)
    return written.getvalue()
