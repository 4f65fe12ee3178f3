"""Train: changing the active model's vocabulary in a worker, and what is shown and taken away."""

import io
import json
import zipfile

import numpy as np
import pytest

from engine.model_files import load_tokenizer
from tests.pages import open_page, settle

pytestmark = pytest.mark.usefixtures("few_fuzz_lines")


def _fit_line(model: str, **params: str):
    return settle(open_page("train", **{"lang": "en", "model": model, "more": "fit", "with": "none", **params}))


def test_a_vocabulary_without_merges_is_refused_in_a_sentence() -> None:
    for model, said in (
        ("wordpiece-32k", "WordPiece cannot be changed"),
        ("thunder-tok-8k", "as a SentencePiece .model"),
    ):
        app = _fit_line(f"shipped:{model}")
        app.button(key="fit.start").click().run()
        assert not app.exception
        assert any(said in one.value for one in app.text)


def test_listed_tokens_are_added_and_the_others_explained() -> None:
    app = _fit_line("shipped:byte-bpe-32k", change="add")
    app.text_area(key="fit.list").set_value(" 쳇바퀴다람쥐\n다람 쥐\n<b>가</b>").run()
    app.button(key="fit.start").click().run()
    assert not app.exception
    _, made = app.session_state["fit.made"]
    assert made.result["n_added"] == made.result["n_parts"] + 1
    assert " 쳇바퀴다람쥐" in made.result["added"]
    # The line drawn with both is the one that changes most.
    assert made.result["sentence"] == " 쳇바퀴다람쥐"
    assert [len(row["tokens"]) for row in made.result["strips"]][1] == 1
    (left_out,) = (one.value for one in app.text if one.value.startswith("2: "))
    assert left_out.splitlines() == [
        "2: '다람 쥐' is cut before anything merges, as 다람 |  쥐",
        "3: '<b>가</b>' is cut before anything merges, as < | b | > | 가 | </ | b | >",
    ]


@pytest.mark.slow
def test_tokens_are_added_and_taken_away(tmp_path) -> None:
    app = _fit_line("shipped:byte-bpe-32k")
    app.number_input(key="fit.n.extend").set_value(50).run()
    app.button(key="fit.start").click().run()
    assert not app.exception
    _, made = app.session_state["fit.made"]
    old, archive = load_tokenizer("shipped:byte-bpe-32k"), zipfile.ZipFile(io.BytesIO(made.data))
    assert sorted(archive.namelist()) == ["README.txt", "map.csv", "map.npz", "tokenizer.tok"]
    (tmp_path / "new.tok").write_bytes(archive.read("tokenizer.tok"))
    new = load_tokenizer(tmp_path / "new.tok")
    assert new.vocab_size == old.vocab_size + made.result["n_added"] == 32_050
    arrays = np.load(io.BytesIO(archive.read("map.npz")))
    for i in range(32_000, 32_050):
        parts = arrays["old_ids"][arrays["ptr"][i] : arrays["ptr"][i + 1]]
        assert b"".join(map(old.token_bytes, parts.tolist())) == new.token_bytes(i)
    before, after = (
        {row["file"]: row["tokens"] for row in made.result["rows"] if row["model"] == name}
        for name in ("before", "after")
    )
    assert after["ko"] < before["ko"] and after["parallel.en"] == before["parallel.en"]
    figures = [json.loads(figure.proto.spec) for figure in app.get("plotly_chart")]
    titles = [json.dumps(figure["layout"]["title"]) for figure in figures]
    assert "Tokens per word before and after" in titles[0] and "Tokens per word by tokens added" in titles[1]
    assert [point["added"] for point in made.result["curve"]][::8] == [0, 50]
    app.segmented_control(key="choice.change").set_value("unused").run()
    app.button(key="fit.start").click().run()
    _, made = app.session_state["fit.made"]
    assert made.result["n_added"] == 0 < made.result["n_removed"]
    assert all(
        row["best"] for row in made.result["rows"] if row["file"] == "ko"
    )  # what is never used changes no encoding
