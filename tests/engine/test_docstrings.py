"""The examples in the engine's docstrings are true, and what a newcomer calls first has one."""

import ast
import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import engine

ROOT = Path(__file__).resolve().parents[2]

# What a newcomer calls first: module and name.
_FIRST = {
    "engine.segmentation.scoring": ("score_segmentation",),
    "engine.config": ("TrainingSettings",),
    "engine.unigram.train.trainer": ("build_corpus",),
    "engine.corpus.health": ("corpus_health",),
    "engine.corpus.normalize": ("normalize", "normalization_changes"),
    "engine.corpus.reading.read": ("decode_bytes", "open_corpus", "read_corpus", "read_lines"),
    "app.toys.unigram": ("best_segmentation",),
    "engine.measure.contexts": ("contexts_of",),
    "engine.measure.distribution": ("renyi_efficiency",),
    "engine.measure.encoded": ("encode_lines", "units_per_line"),
    "engine.measure.intrinsic": ("fertility",),
    "engine.measure.words": ("find_words", "graphemes"),
    "engine.model_files": ("tokenizer_from_bytes",),
    "engine.training": ("start_training", "train"),
    "engine.lattice.lattice": ("Lattice",),
}


def _with_examples() -> list[str]:
    modules = []
    for path in sorted((ROOT / "engine").rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            modules.append(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    return modules


@pytest.mark.parametrize("module", _with_examples())
def test_examples_are_true(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted
    assert not result.failed


def test_what_is_called_first_has_an_example() -> None:
    without = [
        f"{module}.{name}"
        for module, names in _FIRST.items()
        for name in names
        if ">>> " not in (getattr(importlib.import_module(module), name).__doc__ or "")
    ]
    assert not without


def test_every_name_of_the_package_is_there_and_explained() -> None:
    for name in engine.__all__:
        assert getattr(engine, name).__doc__, name
        assert f"`{name}`" in (engine.__doc__ or ""), name
    assert set(engine.__all__) <= set(dir(engine))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = engine.nothing


def test_type_checkers_see_the_same_names_from_the_same_modules() -> None:
    tree = ast.parse((ROOT / "engine" / "__init__.py").read_bytes())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert seen == {name: f"engine.{module}" for name, module in engine._MODULES.items()}


def test_the_package_alone_loads_nothing() -> None:
    script = "import sys, engine; print(sorted(m for m in sys.modules if m.startswith('engine.') or m == 'numpy'))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
