"""From [policy] to the renderer that speaks the model's chat format."""

from pathlib import Path

from trivium.config import PolicyConfig
from trivium.policy.rendering import Codec, Renderer, choose_renderer

from .policy_folder import tokenizer_file


def make_renderer(policy: PolicyConfig, folder: Path) -> Renderer:
    """The renderer of a policy whose tokenizer is in `folder`; `auto` knows a family by its control tokens.

    A chat server reads messages off a tape, for which the model's tokenizer only counts.
    """
    codec = Codec.from_file(tokenizer_file(folder))
    if policy.remote is not None and policy.remote.api == "chat":
        from trivium.policy.remote import Tape

        return Tape(codec)
    return choose_renderer(policy.renderer, codec)
