"""Reading an episode: its words, who wrote them, and what became of it, for the terminal and for the page."""

import difflib
from collections.abc import Callable, Iterator, Sequence

import msgspec

from trivium.bench import metric_title
from trivium.episode import ConfigError, Episode, Failed, Invalid, Kind, Life, Node, Outcome, Sampled, Scored, printable
from trivium.harness import pruned_ids
from trivium.policy.rendering import Codec
from trivium.store import RunStore

Decode = Callable[[Sequence[int]], str]


def known(store: RunStore, name: str) -> str:
    """The id of an episode. Raises ConfigError, with the nearest id, when the run has none of this name."""
    ids = store.episodes.ids()
    if name in ids:
        return name
    near = difflib.get_close_matches(name, ids, n=1, cutoff=0.3)
    raise ConfigError(f"{store.folder} holds no episode {name}" + (f"; did you mean {near[0]}?" if near else ""))


def decoder(store: RunStore) -> Decode:
    """Tokens to text by the run's tokenizer; without one, the ids themselves."""
    if not (store.folder / "tokenizer" / "tokenizer.json").is_file():
        return lambda tokens: "".join(f"{token} " for token in tokens)
    return Codec.from_file(store.folder / "tokenizer").decode


def head_lines(episode: Episode) -> Iterator[str]:
    """The task and where the episode stands."""
    yield f"episode {episode.id} of group {episode.group}, seed {episode.seed}, {episode.life}"
    yield f"task {episode.task.id} ({episode.task.family}): {printable(episode.task.prompt)}"
    for name, value in episode.task.data.items():
        yield f"  {printable(str(name))}: {printable(plain(value))}"


def tail_lines(episode: Episode, pruned: set[str]) -> Iterator[str]:
    """How it ended and what it was worth."""
    yield f"outcome: {_outcome(episode.outcome)}"
    if isinstance(episode.outcome, Scored):
        yield f"answer: {printable(' '.join(episode.outcome.answer.split())) or 'none'}"
    yield f"pruned: {', '.join(sorted(pruned)) or 'nothing'}"
    yield "counters: " + (", ".join(f"{name} {count}" for name, count in episode.counters.items()) or "none")
    yield "reward terms:"
    for reward in episode.rewards:
        yield f"  {metric_title(reward.term):<20} {reward.value:>9.4f}  by {reward.source}"


def plain(value: object) -> str:
    """A value of a task's data in words: lists with commas, lists of lists with semicolons."""
    if isinstance(value, list | tuple):
        nested = any(isinstance(item, list | tuple) for item in value)
        return ("; " if nested else ", ").join(map(plain, value))
    return str(value)


def _outcome(outcome: Outcome | None) -> str:
    match outcome:
        case None:
            return "none yet"
        case Scored(reward):
            return f"scored, reward {reward:.4g}"
        case Failed(reward, reason):
            return f"failed, reward {reward:.4g}: {printable(reason)}"
        case Invalid(boundary, reason):
            return f"invalid at the {boundary}: {printable(reason)}"


def pruned_of(episode: Episode) -> set[str]:
    """Every id that an agent of it pruned."""
    return {item for agent in episode.agents.values() for item in pruned_ids(agent)}


def node_head(node: Node) -> str:
    """A node in a line: its place and who wrote it."""
    parent = "root" if node.parent is None else f"after #{node.parent}"
    return f"#{node.id} {node.kind} ({parent}), {len(node.tokens)} tokens at {node.start}, {writer(node)}"


def again(node: Node, origin: Node) -> str:
    """What a copy tells: what it shows, and what left it."""
    gone = left_out(node, origin)
    return f"#{origin.id} again" + (f", without {', '.join(gone)}" if gone else "")


def writer(node: Node) -> str:
    """Who wrote a node; for an action also how."""
    if node.sampled is None:
        return {Kind.NOTICE: "by the harness, for one generation only"}.get(node.kind, "by the environment")
    return _provenance(node.sampled)


def _provenance(sampled: Sampled) -> str:
    mean = sum(sampled.logprobs) / len(sampled.logprobs) if sampled.logprobs else 0.0
    weights = ", ".join(sampled.versions.ids)
    if mixed := sampled.versions.not_recomputable:
        weights += f" ({mixed} tokens over keys of older weights: not recomputable)"
    return (
        f"by policy {sampled.policy} ({sampled.role}), weights {weights}, temperature {sampled.temperature:g}, "
        f"stop {sampled.stop}, mean log-prob {mean:.3f}"
    )


def spans(node: Node, decode: Decode) -> Iterator[tuple[str, str | None]]:
    """A node's words in order, cut at its parts: (words, id of the part or None)."""
    at = 0
    for part in node.parts:
        if part.start > at:
            yield decode(node.tokens[at : part.start]), None
        yield decode(node.tokens[part.start : part.stop]), part.id
        at = part.stop
    if at < len(node.tokens):
        yield decode(node.tokens[at:]), None


def left_out(node: Node, origin: Node) -> list[str]:
    """The parts that a copy lacks."""
    kept = {part.id for part in node.parts}
    return [part.id for part in origin.parts if part.id not in kept]


class Fate(msgspec.Struct, frozen=True):
    """What a step did with an episode: it trained it at an advantage, or dropped it for a reason."""

    step: int
    advantage: float | None = None
    reason: str = ""


def fate(store: RunStore, episode: Episode) -> Fate | None:
    """The step that took an episode; None: none did (yet)."""
    for commit in reversed(store.ledger.commits()):
        if episode.life is Life.TRAINED:
            found = [one.advantage for one in store.ledger.members(commit.step) if one.episode == episode.id]
            if found:
                return Fate(commit.step, found[0])
        elif reason := store.ledger.dropped(commit.step).get(episode.id):
            return Fate(commit.step, None, reason)
    return None
