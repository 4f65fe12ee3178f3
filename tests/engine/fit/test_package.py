"""What is taken away: a ZIP that says how its file is opened, and what a change does, as JSON."""

import io
import json
import zipfile

import pytest

from engine.fit.changed import extended, open_editable, pack, trimmed
from engine.fit.seen import changes
from tests.engine.fit.starts import LINES, PIECES, trained


@pytest.mark.parametrize(
    ("reference", "name", "said"), [("", "tokenizer.tok", ""), ("public:gpt2", "tokenizer.tiktoken", "--pattern gpt2")]
)
def test_the_archive_has_the_file_its_maps_and_how_to_use_them(reference: str, name: str, said: str, tmp_path) -> None:
    if not reference:
        trained(270).save(tmp_path / "model.tok")
    editable = open_editable(reference or str(tmp_path / "model.tok"))
    changed = extended(editable, LINES, 2)
    archive = zipfile.ZipFile(io.BytesIO(pack(changed, editable.target)))
    assert sorted(archive.namelist()) == sorted(["README.txt", "map.csv", "map.npz", name])
    assert archive.read(name) == changed.data
    readme = archive.read("README.txt").decode()
    assert readme.startswith(name) and said in readme and "{" not in readme
    found = changes(editable.tokenizer, changed, {"text": LINES})
    assert found == json.loads(json.dumps(found))
    assert found["n_added"] == len(found["added"]) == 2 and found["removed"] == []
    assert [row["model"] for row in found["rows"]] == ["before", "after"]


def test_the_archive_of_a_sentencepiece_model_has_one() -> None:
    editable = PIECES["unigram"]()
    changed = trimmed(editable, LINES[:1], renumbers=True)
    archive = zipfile.ZipFile(io.BytesIO(pack(changed, editable.target)))
    assert archive.read("tokenizer.model") == changed.data
    assert archive.read("README.txt").decode().startswith("tokenizer.model is")


def test_what_was_removed_is_listed(tmp_path) -> None:
    trained().save(tmp_path / "model.tok")
    editable = open_editable(str(tmp_path / "model.tok"))
    changed = trimmed(editable, LINES[:1], renumbers=True)
    found = changes(editable.tokenizer, changed, {"text": LINES[:1]})
    assert found["n_removed"] == editable.tokenizer.vocab_size - changed.tokenizer.vocab_size > 0
    before, after = found["rows"]
    assert before["tokens"] == after["tokens"]
