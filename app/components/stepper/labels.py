"""Labels of the stepper, the same on every page that has one."""

from app.components.stepper.widget import STEPPER_LABELS
from app.texts.i18n import raw


def stepper_labels(**own: str) -> dict[str, str]:
    """A text for each of STEPPER_LABELS in the session's language; `own` overrides some, such as `title`."""
    return {name: raw(f"stepper.{name}") for name in STEPPER_LABELS} | own
