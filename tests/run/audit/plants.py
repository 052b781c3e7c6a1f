"""Corruptions of one episode: each changes a record and says what an audit must name (kind, node, token)."""

import re
from collections.abc import Callable, Iterable

import msgspec

from trivium.episode import Episode, Kind, Node, Piece, StopReason, Versions
from trivium.watch import Finding

from .forge import changed, cut_short, provenance, put, resample

Named = tuple[str, int | None, int | None]
SOME = -1
"""A token that is named, whichever it is."""
Plant = Callable[[Episode], Named]


def is_named(named: Named, episode: str, findings: Iterable[Finding]) -> bool:
    """True when a finding has the kind, the episode, the node and the token."""
    kind, node, token = named
    here = [f for f in findings if (f.kind, f.episodes, f.node) == (kind, (episode,), node)]
    return any(f.token == token or (token == SOME and f.token is not None) for f in here)


def actions(episode: Episode) -> list[Node]:
    return episode.tree.actions()


def observations(episode: Episode) -> list[Node]:
    return [n for n in episode.tree.nodes if n.kind is Kind.OBSERVATION and n.copy_of is None]


def later_copies(episode: Episode) -> list[Node]:
    """Copies of actions that a later action reads, each sampled after a notice."""
    nodes = episode.tree.nodes
    read = {node.id for action in actions(episode) for node in episode.tree.path(action.id)}
    copies = [n for n in nodes if n.id in read and n.copy_of is not None and n.kind is Kind.ACTION]
    return [n for n in copies if nodes[nodes[n.copy_of or 0].parent or 0].kind is Kind.NOTICE]


def pruned_copies(episode: Episode) -> list[Node]:
    """Observations that lost a part before a later action read them."""
    nodes, last = episode.tree.nodes, actions(episode)[-1]
    read = {node.id for node in episode.tree.path(last.id)}
    return [n for n in nodes if n.id in read and n.copy_of is not None and n.tokens != nodes[n.copy_of].tokens]


def reader(episode: Episode, node: int) -> int:
    """The first action that reads a node."""
    return next(a.id for a in actions(episode) if node in {n.id for n in episode.tree.path(a.parent)})


def any_episode(episode: Episode) -> bool:
    return len(actions(episode)) > 1 and bool(observations(episode))


def token_id(episode: Episode) -> Named:
    node = actions(episode)[0]
    place = node.lead + 2
    put(episode, node.id, tokens=changed(node.tokens, place, node.tokens[place] + 1))
    return "logprob", node.id, place


def log_prob(episode: Episode) -> Named:
    node = actions(episode)[1]
    resample(episode, node.id, logprobs=changed(provenance(episode, node.id).logprobs, 1, -9.0))
    return "logprob", node.id, node.lead + 1


def unknown_id(episode: Episode) -> Named:
    node = actions(episode)[0]
    put(episode, node.id, tokens=changed(node.tokens, node.lead + 1, 10**6))
    return "vocabulary", node.id, node.lead + 1


def temperature(episode: Episode) -> Named:
    node = actions(episode)[0]
    resample(episode, node.id, temperature=0.7)
    return "temperature", node.id, None


def role(episode: Episode) -> Named:
    node = actions(episode)[0]
    resample(episode, node.id, role="judge")
    return "role", node.id, None


def mask(episode: Episode) -> Named:
    """The action of another policy is not trained."""
    node = actions(episode)[1]
    resample(episode, node.id, policy="upstream")
    return "policy", node.id, None


def trainable(episode: Episode) -> Named:
    """What a tool said passes for an action."""
    node, like = observations(episode)[0], provenance(episode, actions(episode)[0].id)
    count = len(node.tokens)
    put(episode, node.id, kind=Kind.ACTION, parts=(), message=None)
    faked = Versions(like.versions.ids[:1], (count,))
    put(episode, node.id, sampled=like)
    resample(episode, node.id, logprobs=(-0.5,) * count, versions=faked)
    return "wording", node.id, 0


def position(episode: Episode) -> Named:
    node = actions(episode)[1]
    put(episode, node.id, end=node.end + 1)
    return "tree", node.id, None


def parent(episode: Episode) -> Named:
    node = actions(episode)[-1]
    put(episode, node.id, parent=1)
    return "context", node.id, None


def version(episode: Episode) -> Named:
    node = actions(episode)[0]
    resample(episode, node.id, versions=Versions(("0" * 32,), (len(node.tokens) - node.lead,)))
    return "version", node.id, node.lead


def marked(episode: Episode) -> Named:
    """A mark that would keep a false log-prob from being computed again."""
    node = actions(episode)[1]
    like = provenance(episode, node.id)
    excused = msgspec.structs.replace(like.versions, mixed=(True,) * len(like.versions.ids))
    resample(episode, node.id, logprobs=changed(like.logprobs, 1, -9.0), versions=excused)
    return "version", node.id, node.lead


def truncated(episode: Episode) -> Named:
    node = actions(episode)[-1]
    put(episode, node.id, tokens=node.tokens[:-2], sampled=cut_short(provenance(episode, node.id), 2))
    return "stop", node.id, None


def edited_observation(episode: Episode) -> Named:
    node = observations(episode)[0]
    put(episode, node.id, tokens=changed(node.tokens, 5, node.tokens[5] + 1))
    return "wording", node.id, 5


def edited_message(episode: Episode) -> Named:
    node = observations(episode)[0]
    put(episode, node.id, message=type(node.message)(role="tool", pieces=(Piece("nothing of the kind"),)))
    return "wording", node.id, SOME


def copied_otherwise(episode: Episode) -> Named:
    node = later_copies(episode)[0]
    resample(episode, node.id, seed=1)
    return "copy", node.id, None


def copy_of(episode: Episode) -> Named:
    node = later_copies(episode)[0]
    put(episode, node.id, copy_of=1)
    return "copy", node.id, None


def leaked_notice(episode: Episode) -> Named:
    """The copy that should stand where the notice stood, stands behind it."""
    node = later_copies(episode)[0]
    assert node.copy_of is not None
    put(episode, node.id, parent=episode.tree.nodes[node.copy_of].parent)
    return "notice", reader(episode, node.id), None


def unpruned(episode: Episode) -> Named:
    """A prune that was sampled and never came into effect."""
    node = pruned_copies(episode)[0]
    assert node.copy_of is not None
    origin = episode.tree.nodes[node.copy_of]
    put(episode, node.id, tokens=origin.tokens, parts=origin.parts, message=origin.message)
    return "prune", reader(episode, node.id), None


def seed(episode: Episode) -> Named:
    node = actions(episode)[0]
    resample(episode, node.id, seed=provenance(episode, node.id).seed + 1)
    return "seed", node.id, None


def stop_reason(episode: Episode) -> Named:
    node = actions(episode)[0]
    told = provenance(episode, node.id).stop
    resample(episode, node.id, stop=StopReason.STOP if told is StopReason.LENGTH else StopReason.LENGTH)
    return "stop", node.id, None


def deadline(episode: Episode) -> Named:
    """Cut by a deadline, in an episode whose seconds were not spent."""
    node = actions(episode)[-1]
    resample(episode, node.id, stop=StopReason.DEADLINE)
    return "stop", node.id, None


def positive(episode: Episode) -> Named:
    node = actions(episode)[0]
    resample(episode, node.id, logprobs=changed(provenance(episode, node.id).logprobs, 0, 0.25))
    return "logprob", node.id, node.lead


def turn_count(episode: Episode) -> Named:
    episode.main.turns += 1
    return "state", None, None


def answer(episode: Episode) -> Named:
    episode.answer = re.sub(r"\d", "0", episode.answer) + "."
    return "state", None, None


EVERY: dict[Plant, Callable[[Episode], object]] = {
    unpruned: pruned_copies,
    leaked_notice: later_copies,
    copy_of: later_copies,
    copied_otherwise: later_copies,
    **dict.fromkeys(
        (
            token_id, log_prob, unknown_id, temperature, role, mask, trainable, position, parent, version, marked,
            truncated, edited_observation, edited_message, seed, stop_reason, deadline, positive, turn_count, answer,
        ),
        any_episode,
    ),
}  # fmt: skip
"""Each with what an episode must have for it."""
