"""One action sampled after an opening, as the episode of one turn that the learner reads."""

from collections.abc import Sequence

from trivium.episode import Context, Draft, Episode, Kind, Message, Sampled, Task
from trivium.policy import Policy, Sampling


async def sampled(policy: Policy, opening: Sequence[Message], seed: int) -> Episode:
    """An episode of an opening and one action. Raises EngineError when the engine fails."""
    episode = Episode(id=f"doctor-{seed}", task=Task(id="doctor", prompt=""), group="doctor", seed=seed)
    tokens = policy.renderer.opening(opening).tokens
    lead = policy.renderer.lead()
    sampling = Sampling(seed=seed, max_tokens=policy.max_tokens, stop_ids=policy.renderer.stop_ids)
    generation = await policy.engine.generate([*tokens, *lead], sampling)
    context = Context(episode.tree).append(Draft(kind=Kind.SYSTEM, tokens=tokens))
    action = Sampled(
        policy=policy.name,
        role=policy.role,
        logprobs=generation.logprobs,
        versions=generation.versions,
        temperature=sampling.temperature,
        seed=seed,
        stop=generation.stop,
    )
    context.append(Draft(kind=Kind.ACTION, tokens=lead + generation.tokens, lead=len(lead), sampled=action))
    return episode
