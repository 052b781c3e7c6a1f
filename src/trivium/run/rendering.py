"""From [policy] to the renderer that speaks the model's chat format."""

from pathlib import Path

from trivium.config import PolicyConfig
from trivium.policy.rendering import ChatML, Codec, Qwen3, Renderer

from .policy_folder import tokenizer_file


def make_renderer(policy: PolicyConfig, folder: Path) -> Renderer:
    """The renderer of a policy whose tokenizer is in `folder`; `auto` knows Qwen3 by its control tokens.

    A chat server reads messages off a tape, for which the model's tokenizer only counts.
    """
    codec = Codec.from_file(tokenizer_file(folder))
    if policy.remote is not None and policy.remote.api == "chat":
        from trivium.policy.remote import Tape

        return Tape(codec)
    is_qwen3 = {"<think>", "<tool_response>"} <= codec.controls.keys()
    return Qwen3(codec) if policy.renderer == "qwen3" or (policy.renderer == "auto" and is_qwen3) else ChatML(codec)
