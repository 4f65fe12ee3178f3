"""Pictures of the running app for the documentation: `python -m research.site.pictures FOLDER`.

They are made with every build of the site and not stored, so they show the pages as they are.
"""

import sys
from pathlib import Path

from research.site.browsing import visited

LANGUAGES = ("en", "ko")

# The address of each picture, without the language. A picture that takes a minute to be drawn has no place here.
ADDRESSES = {
    "explore": "/?",
    "lattice": "/lattice?text=고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다.",
    "rounds": "/rounds?sentence=고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다.&round=4",
    "scores": "/scores?",
    "cost": "/cost?",
    "grid": "/morphology?view=grid",
    "boundaries": "/boundaries?",
    "bpe": "/learn_bpe?",
    "class": "/lessons?plan=20",
    "papers": "/papers?",
}


def main(folder: Path) -> None:
    """Write `<name>.<language>.png` for each address."""
    folder.mkdir(parents=True, exist_ok=True)
    with visited(1280, 800) as window:
        for name, address in ADDRESSES.items():
            for language in LANGUAGES:
                window.save(f"{address}&lang={language}", folder / f"{name}.{language}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
