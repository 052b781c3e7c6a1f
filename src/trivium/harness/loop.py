"""The loop: an agent acts, its tools answer, until it concludes or its budget is spent.

Always true: one `step` is one turn; all that the next turn needs is in the episode; nothing the agent does raises (its
mistakes are observations and counters), and a `BoundaryError` leaves the episode invalid, never scored.
"""

import time
from dataclasses import dataclass

from trivium.episode import (
    Agent,
    BoundaryError,
    ConfigError,
    Context,
    Draft,
    Environment,
    Episode,
    Invalid,
    Kind,
    Life,
    Node,
    Sampled,
    Scored,
    StopReason,
    say,
)
from trivium.policy.engine import Sampling
from trivium.policy.policy import Policy

from .calls import answer_calls, is_open
from .editing import Pruning
from .seeds import derive

_PARTIAL = frozenset({StopReason.DEADLINE, StopReason.CANCELLED})


@dataclass(frozen=True, slots=True)
class Harness:
    """How an agent acts: its policy and its strategy (with the budget)."""

    policy: Policy
    strategy: Pruning


async def run(episode: Episode, environment: Environment, harness: Harness) -> Episode:
    """Live `episode` to its outcome inside `environment` (opened and closed here)."""
    deadline = time.monotonic() + harness.strategy.budget.seconds
    try:
        async with environment:
            while episode.life in (Life.QUEUED, Life.RUNNING, Life.PAUSED):
                episode = await step(episode, environment, harness, deadline)
            return score(episode, environment)
    except BoundaryError as error:
        episode.outcome = Invalid(error.boundary, str(error))
        episode.life = Life.SCORED
        return episode


def score(episode: Episode, environment: Environment) -> Episode:
    """Give an ended episode its reward events and its outcome."""
    if episode.outcome is None:
        episode.rewards.extend(environment.score(episode))
        episode.outcome = Scored(episode.terms()["reward"], episode.answer)
    episode.life = Life.SCORED
    return episode


async def step(episode: Episode, environment: Environment, harness: Harness, deadline: float) -> Episode:
    """One turn of the main agent."""
    agent = episode.main
    if agent.tip is None:
        agent.tip = opening(episode, environment, harness).tip
        episode.life = Life.RUNNING
    context = episode.context(agent)
    room = harness.strategy.budget.window - len(context) - len(harness.policy.renderer.lead())
    if agent.turns >= harness.strategy.budget.turns or room < 1:
        return _end(episode, "turns_spent" if room >= 1 else "window_spent")
    context, action = await _act(episode, agent, context, harness, deadline)
    if action.sampled is not None and action.sampled.stop in _PARTIAL:
        episode.outcome = Invalid("engine", f"the episode's deadline passed after {agent.turns} turns")
        return _end(episode, "deadline")
    agent.turns += 1
    agent.tip = context.tip
    parsed = harness.policy.renderer.parse(action.tokens[action.lead :])
    harness.strategy.note_turn(agent, parsed.calls)
    if not parsed.calls and not parsed.malformed:
        episode.answer = parsed.text
        return _end(episode, "concluded")
    await answer_calls(episode, agent, parsed, environment, harness.policy.renderer, harness.strategy, deadline)
    return episode


def opening(episode: Episode, environment: Environment, harness: Harness) -> Context:
    """System prompt with the tools, then the task. Raises ConfigError when they leave no room in the window."""
    renderer, budget = harness.policy.renderer, harness.strategy.budget
    specs = tuple(item.spec for item in environment.tools) + harness.strategy.specs
    system = say("system", environment.system)
    system = type(system)(role="system", pieces=system.pieces, tools=specs)
    context = episode.context(episode.main)
    for kind, message in ((Kind.SYSTEM, system), (Kind.USER, say("user", environment.prompt()))):
        rendered = renderer.opening([message]) if kind is Kind.SYSTEM else renderer.message(message, closes=False)
        context = context.append(Draft(kind=kind, tokens=rendered.tokens, message=message))
    if len(context) + len(renderer.lead()) >= budget.soft:
        raise ConfigError(
            f"task {episode.task.id}: its opening takes {len(context)} tokens, the soft limit is {budget.soft}; "
            "raise the window or shorten the task"
        )
    return context


async def _act(
    episode: Episode, agent: Agent, context: Context, harness: Harness, deadline: float
) -> tuple[Context, Node]:
    """Sample one action; returns the context that goes on, and the action where it was sampled."""
    policy, strategy = harness.policy, harness.strategy
    if len(context) > strategy.budget.soft:
        episode.count("over_soft")
    notice = strategy.transient(len(context))
    reads = context
    if notice is not None:
        draft = policy.renderer.message(notice, closes=is_open(context.last))
        if len(context) + len(draft.tokens) + len(policy.renderer.lead()) < strategy.budget.window:
            reads = context.append(Draft(kind=Kind.NOTICE, tokens=draft.tokens, message=notice))
            episode.count("notices")
    lead = tuple(policy.renderer.lead())
    seed = derive(episode.seed, agent.name, agent.turns)
    room = strategy.budget.window - len(reads) - len(lead)
    generation = await policy.engine.generate(
        [*reads.tokens, *lead],
        Sampling(
            seed=seed,
            max_tokens=min(room, policy.max_tokens, strategy.budget.reply),
            stop_ids=policy.renderer.stop_ids,
            temperature=policy.temperature,
            top_p=policy.top_p,
        ),
        deadline=deadline,
        session=f"{episode.id}/{agent.name}",
    )
    action = Draft(
        kind=Kind.ACTION,
        tokens=lead + generation.tokens,
        lead=len(lead),
        sampled=Sampled(
            policy=policy.name,
            role=policy.role,
            logprobs=generation.logprobs,
            versions=generation.versions,
            temperature=policy.temperature,
            seed=seed,
            stop=generation.stop,
        ),
    )
    acted = reads.append(action)
    node = acted.last
    assert node is not None
    return (acted if reads is context else context.reattach(node)), node


def _end(episode: Episode, how: str) -> Episode:
    episode.count(how)
    episode.life = Life.ENDED
    return episode
