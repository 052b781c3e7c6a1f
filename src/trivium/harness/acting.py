"""One action: what the agent reads, what its engine samples after that, and where both stand in the tree.

Always true: the action is a child of exactly the tokens it was sampled after. A transient notice conditions this one
action and is part of no later context: what goes on is the context without it, with a copy of the action.
"""

from trivium.episode import Agent, Context, Draft, EngineError, Episode, Kind, Node, Sampled, StopReason
from trivium.policy import Generation, Policy, Sampling

from .deadlines import ENGINE_GRACE_S, until
from .harness import Harness
from .observing import is_open, spoken
from .seeds import derive_seed

PARTIAL = frozenset({StopReason.DEADLINE, StopReason.CANCELLED})


async def act(episode: Episode, agent: Agent, harness: Harness, deadline: float) -> tuple[Context, Node]:
    """Sample one action; returns the context that goes on, and the action where it was sampled.

    Raises EngineError when the engine fails, is silent after the deadline, or breaks its contract.
    """
    context = episode.context(agent)
    reads = _with_notice(episode, context, harness)
    lead = harness.policy.renderer.lead()
    sampling = _sampling(episode, agent, harness, harness.strategy.budget.window - len(reads) - len(lead))
    session = f"{episode.id}/{agent.name}"
    generation = await _generate(harness.policy, [*reads.tokens, *lead], sampling, deadline, session)
    acted = reads.append(_action(harness.policy, lead, generation, sampling))
    node = acted.last
    assert node is not None
    return (acted if reads is context else context.reattach(node)), node


def _with_notice(episode: Episode, context: Context, harness: Harness) -> Context:
    """What this generation reads: above the soft limit, the transient notice too, where it fits."""
    renderer, strategy = harness.policy.renderer, harness.strategy
    if len(context) > strategy.budget.soft:
        episode.count("over_soft")
    notice = strategy.transient(len(context))
    if notice is None:
        return context
    tokens = renderer.message(notice, closes=is_open(context.last), after=spoken(context.last)).tokens
    if len(context) + len(tokens) + len(renderer.lead()) >= strategy.budget.window:
        return context
    episode.count("notices")
    return context.append(Draft(kind=Kind.NOTICE, tokens=tokens, message=notice))


def _sampling(episode: Episode, agent: Agent, harness: Harness, room: int) -> Sampling:
    policy = harness.policy
    return Sampling(
        seed=derive_seed(episode.seed, agent.name, agent.turns),
        max_tokens=min(room, policy.max_tokens, harness.strategy.budget.reply),
        stop_ids=policy.renderer.stop_ids,
        temperature=policy.temperature,
        top_p=policy.top_p,
    )


async def _generate(policy: Policy, tokens: list[int], sampling: Sampling, deadline: float, session: str) -> Generation:
    try:
        async with until(deadline, ENGINE_GRACE_S) as clock:
            generation = await policy.engine.generate(tokens, sampling, deadline=deadline, session=session)
    except TimeoutError as error:
        how = "is silent after its deadline" if clock.expired() else "timed out"
        raise EngineError(f"the engine {how}; see its log") from error
    return _require_contract(generation, sampling)


def _require_contract(generation: Generation, sampling: Sampling) -> Generation:
    count = len(generation.tokens)
    if not count == len(generation.logprobs) == len(generation.versions) or count > sampling.max_tokens:
        raise EngineError(
            f"the engine gave {count} tokens (at most {sampling.max_tokens} were asked for), "
            f"{len(generation.logprobs)} log-probs and {len(generation.versions)} weights ids; each token needs both"
        )
    if not count and generation.stop not in PARTIAL:
        raise EngineError(
            f"the engine gave no token and stopped for {generation.stop}; an empty reply still ends with a stop token"
        )
    return generation


def _action(policy: Policy, lead: tuple[int, ...], generation: Generation, sampling: Sampling) -> Draft:
    sampled = Sampled(
        policy=policy.name,
        role=policy.role,
        logprobs=generation.logprobs,
        versions=generation.versions,
        temperature=sampling.temperature,
        seed=sampling.seed,
        stop=generation.stop,
    )
    return Draft(kind=Kind.ACTION, tokens=lead + generation.tokens, lead=len(lead), sampled=sampled)
