"""Settings of a server under one name: `THUNDER_TOK_PRESET=demo` is a public demonstration, which keeps nothing."""

import logging
from collections.abc import Mapping

from app.server.limits import PREFIX, variable

PRESET_VARIABLE = f"{PREFIX}PRESET"
_log = logging.getLogger(__name__)

# Two shared cores and strangers. Without a library nothing that a visitor brings outlives the visit, and there are no
# rooms; without the hub the server downloads nothing on a visitor's behalf.
PRESETS: Mapping[str, Mapping[str, str]] = {
    "demo": {
        variable("upload_mb"): "5",
        variable("corpus_mb"): "5",
        variable("vocab"): "16000",
        variable("jobs"): "1",
        variable("jobs_per_visitor"): "2",
        variable("queued"): "12",
        variable("job_seconds"): "120",
        f"{PREFIX}LIBRARY": "off",
        f"{PREFIX}HUB": "off",
    }
}


def with_preset(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with the variables of its preset; those that are set are kept. An unknown name is logged."""
    name = environment.get(PRESET_VARIABLE, "").strip()
    if name and name not in PRESETS:
        _log.warning("%s: there is no preset %r, only %s", PRESET_VARIABLE, name, ", ".join(PRESETS))
    return {**PRESETS.get(name, {}), **environment}
