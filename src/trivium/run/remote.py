"""A server that decides: from [policy.remote] to an engine. Refuses, in one sentence, to train it."""

import asyncio
from typing import TYPE_CHECKING

from trivium.config import PolicyConfig, Recipe, RemoteConfig
from trivium.episode import ConfigError
from trivium.policy import Engine
from trivium.policy.rendering import Renderer

if TYPE_CHECKING:
    from trivium.policy.remote import Chat, Wire


def remote_engine(policy: PolicyConfig, renderer: Renderer) -> Engine:
    """The engine of [policy.remote]. Raises ConfigError for a URL or a key that cannot serve."""
    from trivium.policy.remote import ChatEngine, RemoteEngine, Tape

    assert policy.remote is not None
    if policy.remote.api == "tokens":
        return RemoteEngine(_wire(policy.remote, policy.batch))
    assert isinstance(renderer, Tape)
    return ChatEngine(open_chat(policy), renderer, thinking=policy.remote.thinking)


def open_chat(policy: PolicyConfig) -> "Chat":
    """The chat of [policy.remote]; raises as `remote_engine` does."""
    from trivium.policy.remote import Chat

    assert policy.remote is not None
    return Chat(_wire(policy.remote, policy.batch))


def with_model(recipe: Recipe) -> Recipe:
    """The recipe with its server's only model named. Raises EngineError for a server that does not tell it."""
    remote = recipe.policy.remote
    if remote is None or remote.model is not None:
        return recipe
    named = remote.model_copy(update={"model": asyncio.run(_only_model(remote))})
    return recipe.model_copy(update={"policy": recipe.policy.model_copy(update={"remote": named})})


def require_trainable(recipe: Recipe) -> None:
    """Refuse to train what cannot be. Raises ConfigError."""
    remote = recipe.policy.remote
    if remote is None:
        return
    why = "gives no token ids and log-probs" if remote.api == "chat" else "cannot be given new weights"
    raise ConfigError(
        f"the server of policy.remote {why}: it can be measured (trivium eval) and not trained; remove [policy.remote]"
    )


async def _only_model(remote: RemoteConfig) -> str:
    from trivium.policy.remote.chat import only_model

    wire = _wire(remote, 1)
    try:
        return await only_model(wire)
    finally:
        await wire.close()


def _wire(remote: RemoteConfig, connections: int) -> "Wire":
    from trivium.policy.remote import Endpoint, Retries, Wire

    endpoint = Endpoint.open(remote.url, remote.model or "", remote.key_env)
    return Wire(endpoint, retries=Retries(attempts=remote.attempts), seconds=remote.seconds, connections=connections)
