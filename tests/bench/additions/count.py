"""What an addition costs: the files and lines that a trial patch touches, before and after; `python -m` prints them.

The patches add a pruning score, a view with one bar chart, a kind of question, and a file format that is read and
written. Each was tried, measured and taken back: those in `before` apply to commit a20ed624, those in `after` to the
tree for as long as its context is unchanged.
"""

import subprocess
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
_AT_MOST = 2 / 3  # of what it cost before


class Cost(NamedTuple):
    """Of one patch; `lines` are those added or changed."""

    files: int
    lines: int


def cost(patch: Path) -> Cost:
    """The cost of a patch in the unified format of `git diff`."""
    lines = patch.read_text(encoding="utf-8").splitlines()
    files = sum(line.startswith("diff --git ") for line in lines)
    return Cost(files, sum(line.startswith("+") and not line.startswith("+++ ") for line in lines))


def applies(patch: Path) -> bool:
    """Whether the patch still applies to the checkout."""
    command = ["git", "apply", "--check", str(patch)]
    return subprocess.run(command, cwd=HERE.parents[2], capture_output=True, check=False).returncode == 0


def main() -> None:
    """A row for each addition; one above two thirds, and one that no longer applies, is marked."""
    print(f"{'addition':10} {'files':>12} {'ratio':>6} {'lines':>12} {'ratio':>6}")
    for patch in sorted((HERE / "after").glob("*.patch")):
        old, new = cost(HERE / "before" / patch.name), cost(patch)
        shares = [after / before for before, after in zip(old, new, strict=True)]
        cells = [f"{old.files} -> {new.files}", f"{old.lines} -> {new.lines}"]
        notes = "" if max(shares) <= _AT_MOST else "  above two thirds"
        notes += "" if applies(patch) else "  no longer applies"
        print(f"{patch.stem:10} {cells[0]:>12} {shares[0]:6.2f} {cells[1]:>12} {shares[1]:6.2f}{notes}")


if __name__ == "__main__":
    main()
