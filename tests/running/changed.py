"""The tests that a change reaches, likely failures first: `python -m tests.running.changed [BASE] [pytest's options]`.

A test file is reached if it was changed itself, if it quotes a text that the change removed, if it imports a changed
module (through others, too), or if it names a page or component that does. BASE is where the branch left main, else the
last commit. Quoting tests run whole, up to the first that fails, in the browser last; of the others, the quick ones.
"""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("app", "engine", "research", "thundertok")

# Doors to every page: which pages a test opens is seen in the names that it uses, not in what these import.
_DOORS = frozenset({"app.main", "tests.pages", "tests.menu", "tests.links", "tests.conftest"})
_LEAST_QUOTE = 4  # characters


def git(*words: str) -> str:
    """What git prints."""
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def default_base() -> str:
    """The commit at which this branch left main; on main itself, HEAD."""
    return git("merge-base", "HEAD", "main").strip() if git("branch", "--list", "main") else "HEAD"


def changed_files(base: str) -> list[str]:
    """Paths that differ from `base`, committed or not, and those that git does not know yet."""
    return [
        *git("diff", "--name-only", "--no-renames", base).split("\n")[:-1],
        *git("ls-files", "--others", "--exclude-standard").split("\n")[:-1],
    ]


def removed_texts(diff: str) -> set[str]:
    """Quoted texts of the lines that a diff removes and does not add again, without what is filled in or marked up."""
    quoted = {"-": set[str](), "+": set[str]()}
    for line in diff.splitlines():
        if line[:1] in quoted and line[:3] not in ("---", "+++"):
            for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
                quoted[line[0]] |= {part.strip() for part in re.split(r"\{.*?\}|\[|\]\(.*?\)|\*\*|\\n", text)}
    return {text for text in quoted["-"] - quoted["+"] if len(text) >= _LEAST_QUOTE}


def gone(texts: set[str]) -> set[str]:
    """Those of the texts that are nowhere in the program any more."""
    folders = [ROOT / name for name in (*_PACKAGES, "assets/i18n")]
    files = [path for folder in folders for ending in ("py", "js", "toml") for path in folder.rglob(f"*.{ending}")]
    program = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return {text for text in texts if text not in program}


def modules_of(path: str) -> set[str]:
    """Modules that a file is or belongs to: a browser script to what mounts it, a topic of texts to its page."""
    parts = Path(path).with_suffix("").parts
    if path.startswith("assets/i18n/"):
        return {f"app.views.{parts[-1]}.page"}
    if parts[0] not in _PACKAGES:
        return set()
    if path.endswith(".py"):
        return {".".join(parts[:-1] if parts[-1] == "__init__" else parts)}
    mounts = re.compile(rf'\b(?:draw|component)\(\s*"{parts[-1]}"')
    modules = sorted((ROOT / "app" / "components").glob("*.py"))
    mounted_by = {path.stem for path in modules if mounts.search(path.read_text(encoding="utf-8"))}
    return {f"app.components.{name}" for name in mounted_by or {"component"}}


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(*_PACKAGES, cache_dir=None)


def reached_modules(paths: Iterable[str]) -> set[str]:
    """Changed modules and all that import them."""
    graph = _graph()
    changed = {module for path in paths for module in modules_of(path)} & graph.modules
    return changed.union(*(graph.find_downstream_modules(module) for module in changed))


@cache
def _imports(path: Path) -> frozenset[str]:
    """Modules that a test file imports, those of its helpers included."""
    named = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    helpers = {name: ROOT / (name.replace(".", "/") + ".py") for name in named - _DOORS if name.startswith("tests.")}
    named -= _DOORS
    return frozenset(named).union(*(_imports(file) for file in helpers.values() if file.exists() and file != path))


def _words(path: Path) -> set[str]:
    """Names of pages and components that a file may be about: words of its texts and of its own name."""
    return set(re.findall(r"[a-z_]+", path.read_text(encoding="utf-8"))) | {path.stem.removeprefix("test_")}


def reached_tests(paths: list[str], removed: set[str]) -> tuple[list[Path], list[Path]]:
    """Test files that quote a removed text, and the others that the change reaches."""
    modules = reached_modules(paths)
    pages = {name.split(".")[2] for name in modules if name.startswith(("app.views.", "app.components."))}
    pages |= {Path(path).stem for path in paths if path.startswith("app/components/")}
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    helpers = sorted({*(ROOT / "tests").rglob("*.py")} - {*tests})
    quoted_by_helpers = {
        "tests." + ".".join(path.relative_to(ROOT / "tests").with_suffix("").parts)
        for path in helpers
        if path.relative_to(ROOT).as_posix() in paths
        or any(text in path.read_text(encoding="utf-8") for text in removed)
    }

    def quotes(path: Path) -> bool:
        text = path.read_text(encoding="utf-8")
        return path.relative_to(ROOT).as_posix() in paths or any(word in text for word in removed)

    def is_reached(path: Path) -> bool:
        opens_pages = re.search(r"tests\.pages|tests\.menu|\bpage: Page\b", path.read_text(encoding="utf-8"))
        return bool(_imports(path) & (modules | quoted_by_helpers) or (opens_pages and _words(path) & pages))

    first = sorted(filter(quotes, tests), key=lambda path: "browser" in path.parts)
    return first, [path for path in tests if path not in first and is_reached(path)]


def _run(files: list[Path], *options: str) -> Iterator[int]:
    if files:
        names = [path.relative_to(ROOT).as_posix() for path in files]
        yield subprocess.run([sys.executable, "-m", "pytest", "-q", *options, *names], cwd=ROOT, check=False).returncode


def main(words: list[str]) -> int:
    """Run what the change reaches; an exit code of pytest's."""
    base = [*takewhile(lambda word: not word.startswith("-"), words)]
    options = words[len(base) :]
    start = base[0] if base else default_base()
    paths = changed_files(start)
    diff = git("diff", "--no-renames", start, "--", *_PACKAGES, "assets/i18n")
    first, others = reached_tests(paths, gone(removed_texts(diff)))
    os.environ.setdefault("BROWSER_WAIT_SECONDS", "20")
    codes = [*_run(first, "-x", "-m", "not scale", *options), *_run(others, "-m", "not slow", *options)]
    return max((code for code in codes if code != 5), default=0)  # 5: no test of these files is quick


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
