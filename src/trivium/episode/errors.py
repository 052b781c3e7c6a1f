"""Errors, typed by the boundary they crossed.

    TriviumError
    ├── ConfigError      the user's recipe, task or argument (also a ValueError)
    ├── DataError        a file, corpus or record that cannot be used (also a ValueError)
    └── BoundaryError    the world: never the agent's fault, never a reward
        ├── EngineError
        ├── ToolError
        ├── SandboxError
        ├── JudgeError
        └── StoreError

A message is one sentence that names the thing, the value and the way out. A bad episode is data, not an error: what
the agent does wrong ends in an `Outcome`, never in one of these.
"""


class TriviumError(Exception):
    """Root of every error that Trivium raises on purpose."""


class ConfigError(TriviumError, ValueError):
    """A recipe, an argument or a combination of options that cannot work."""


class DataError(TriviumError, ValueError):
    """A file, corpus or record that cannot be used as it is."""


class BoundaryError(TriviumError):
    """Something outside the agent failed; the episode it happened in is invalid and is redrawn."""

    boundary = "world"


class EngineError(BoundaryError):
    """The sampling engine failed or gave an answer that breaks its contract."""

    boundary = "engine"


class ToolError(BoundaryError):
    """A tool's own machinery failed (a call that the agent got wrong is an observation, not this)."""

    boundary = "tool"


class SandboxError(BoundaryError):
    """An isolated computer could not be started, reached or closed."""

    boundary = "sandbox"


class JudgeError(BoundaryError):
    """A reward term could not be computed."""

    boundary = "judge"


class StoreError(BoundaryError):
    """A record could not be written, or was read back torn."""

    boundary = "store"
