"""The folder to push to a Hugging Face Space: `python -m research.site.space FOLDER`.

It is the container of the Dockerfile, as a public demonstration (`THUNDER_TOK_PRESET=demo`) that the Space's page may
frame. Files that are not text are marked for Git LFS, which the hub asks for.
"""

import re
import shutil
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent.parent

_SETTINGS = {
    "THUNDER_TOK_PRESET": "demo",
    "THUNDER_TOK_LIBRARY": "off",  # the Dockerfile has one, which the preset would keep
    "THUNDER_TOK_FRAME_ANCESTORS": "https://huggingface.co",
    "THUNDER_TOK_FRAME_ALL": "on",
}


def make_space(folder: Path) -> None:
    """Write the files into `folder`, which must not exist yet, apart from the repository in it.

    Raises
    ------
    FileExistsError : it has other files; a push would mix them with these.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if others := [path.name for path in folder.iterdir() if path.name != ".git"]:
        raise FileExistsError(f"{folder} is not empty: {', '.join(sorted(others)[:5])}")
    recipe = (_ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = re.findall(r"^COPY (.+) \S+$", recipe, re.MULTILINE)
    for name in " ".join(copied).split():
        _copy(name, folder)
    settings = "".join(f"ENV {name}={value}\n" for name, value in _SETTINGS.items())
    (folder / "Dockerfile").write_text(recipe.replace("\nCMD [", f"\n{settings}CMD ["), encoding="utf-8")
    shutil.copy(_ROOT / ".dockerignore", folder)
    shutil.copy(_ROOT / "deploy" / "space.md", folder / "README.md")
    (folder / ".gitattributes").write_text(
        "".join(f"*{ending} filter=lfs diff=lfs merge=lfs -text\n" for ending in _binary(folder)), encoding="utf-8"
    )


def _copy(name: str, folder: Path) -> None:
    if (_ROOT / name).is_dir():
        shutil.copytree(_ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(_ROOT / name, folder)


def _binary(folder: Path) -> list[str]:
    """The endings of files that are not UTF-8."""
    endings = set()
    for path in folder.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            try:
                path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                endings.add(path.suffix)
    return sorted(endings)


if __name__ == "__main__":
    make_space(Path(sys.argv[1]))
