"""[watch]: what a finding of a detector does."""

from typing import Literal

from pydantic import Field

from .section import Section


class WatchConfig(Section):
    """[watch] The detectors inside a run; see `trivium.watch`."""

    on_finding: Literal["log", "pause", "stop"] = Field(
        "log", description="after a finding: go on; leave, to be resumed; or end training and measure"
    )
