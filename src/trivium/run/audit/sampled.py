"""Provenance: who sampled an action, at which temperature, under which seed, and why it ended there.

cap of an action = min(reply, window - position of its first sampled token)
stop: its last token ends a turn, and no other does        length: it has exactly the cap, and no token ends a turn
deadline: the seconds were spent, so it is the last action, it has at most the cap, and no token ends a turn
"""

import math
from collections.abc import Iterator

from trivium.episode import Node, Sampled, StopReason
from trivium.harness import derive_seed
from trivium.watch import Finding

from .episode import Lived


def provenance(lived: Lived) -> Iterator[Finding]:
    """Every action of the learner's policy."""
    policy = lived.rules.recipe.policy
    for turn, node in enumerate(lived.actions):
        sampled = node.sampled
        assert sampled is not None
        if sampled.policy != policy.name:
            text = f"action #{node.id} was sampled by policy {sampled.policy}, the run trains {policy.name}"
            yield lived.finding("policy", text, node=node.id)
            continue
        agent = lived.episode.main
        for kind, told, rule in (
            ("role", sampled.role, agent.role),
            ("temperature", sampled.temperature, policy.temperature),
            ("seed", sampled.seed, derive_seed(lived.episode.seed, agent.name, turn)),
        ):
            if told != rule:
                yield lived.finding(kind, f"action #{node.id} has {kind} {told}, the run's is {rule}", node=node.id)
        yield from _probabilities(lived, node, sampled)
        yield from _stop(lived, node, sampled, is_last=turn == len(lived.actions) - 1)


def _probabilities(lived: Lived, node: Node, sampled: Sampled) -> Iterator[Finding]:
    for place, logprob in enumerate(sampled.logprobs, node.lead):
        if not (math.isfinite(logprob) and logprob <= 0):
            text = f"token {node.tokens[place]} of action #{node.id} has log-prob {logprob}, which no sample has"
            yield lived.finding("logprob", text, node=node.id, token=place)


def _stop(lived: Lived, node: Node, sampled: Sampled, *, is_last: bool) -> Iterator[Finding]:
    budget, ends = lived.rules.budget, lived.rules.renderer.stop_ids
    own = node.tokens[node.lead :]
    cap = min(budget.reply, budget.window - node.start - node.lead)
    early = next((place for place, token in enumerate(own[:-1]) if token in ends), None)
    closed = bool(own) and own[-1] in ends
    if early is not None:
        text = f"action #{node.id} goes on after token {own[early]}, which ends a turn"
        yield lived.finding("stop", text, node=node.id, token=node.lead + early)
    elif sampled.stop is StopReason.STOP and not closed:
        yield lived.finding("stop", f"action #{node.id} stopped, and no token of it ends a turn", node=node.id)
    elif sampled.stop is StopReason.LENGTH and (closed or len(own) != cap):
        text = f"action #{node.id} was cut at {len(own)} tokens, its cap is {cap}"
        yield lived.finding("stop", text, node=node.id)
    elif sampled.stop is StopReason.DEADLINE:
        if not is_last or not lived.episode.counters.get("seconds_spent"):
            text = f"action #{node.id} met a deadline, and its episode did not end by that"
            yield lived.finding("stop", text, node=node.id)
        elif closed or len(own) > cap:
            text = f"action #{node.id} met its deadline after {len(own)} tokens of {cap}, whole"
            yield lived.finding("stop", text, node=node.id)
    elif sampled.stop is StopReason.CANCELLED:
        yield lived.finding("stop", f"action #{node.id} is partial ({sampled.stop}) and was trained", node=node.id)
