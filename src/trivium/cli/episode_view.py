"""One episode, readable: every node, who wrote it, and what was pruned from it."""

import difflib
from collections.abc import Callable, Iterator, Sequence

from rich.text import Text

from trivium.episode import ConfigError, Episode, Invalid, Kind, Node, Sampled
from trivium.harness import pruned_ids
from trivium.policy.rendering import Codec
from trivium.store import RunStore

from .console import out, printable

STYLES = {
    Kind.SYSTEM: "dim",
    Kind.USER: "bold",
    Kind.ACTION: "green",
    Kind.OBSERVATION: "cyan",
    Kind.NOTICE: "magenta",
    Kind.SUMMARY: "yellow",
}
Decode = Callable[[Sequence[int]], str]


def show_episode(store: RunStore, name: str) -> None:
    """Print an episode. Raises ConfigError, with the nearest id, when the run has none of this name."""
    episode = store.get(_known(store, name))
    decode = _decoder(store)
    pruned = {item for agent in episode.agents.values() for item in pruned_ids(agent)}
    console = out()
    for line in head_lines(episode):
        console.print(line, soft_wrap=True)
    for node in episode.tree.nodes:
        console.print()
        console.print(node_text(node, episode, decode, pruned), soft_wrap=True)
    console.print()
    for line in tail_lines(episode, pruned):
        console.print(line, soft_wrap=True)


def head_lines(episode: Episode) -> Iterator[str]:
    """The task and where the episode stands."""
    yield f"episode {episode.id} of group {episode.group}, seed {episode.seed}, {episode.life}"
    yield f"task {episode.task.id} ({episode.task.family}): {printable(episode.task.prompt)}"
    yield f"task data: {printable(str(episode.task.data))}"


def tail_lines(episode: Episode, pruned: set[str]) -> Iterator[str]:
    """How it ended and what it was worth."""
    if isinstance(episode.outcome, Invalid):
        yield f"outcome: invalid at the {episode.outcome.boundary}: {episode.outcome.reason}"
    else:
        yield f"outcome: {episode.outcome}"
    yield f"pruned: {', '.join(sorted(pruned)) or 'nothing'}"
    yield "counters: " + (", ".join(f"{name} {count}" for name, count in episode.counters.items()) or "none")
    yield "reward terms:"
    for reward in episode.rewards:
        yield f"  {reward.term:<20} {reward.value:>9.4f}  by {reward.source}"


def node_text(node: Node, episode: Episode, decode: Decode, pruned: set[str]) -> Text:
    """A node: a line on who wrote it, then its words; a copy tells only what left it."""
    parent = "root" if node.parent is None else f"after #{node.parent}"
    head = f"#{node.id} {node.kind} ({parent}), {len(node.tokens)} tokens at {node.start}, {writer(node)}"
    if node.copy_of is not None:
        gone = _left_out(node, episode.tree.nodes[node.copy_of])
        return Text(f"{head}: #{node.copy_of} again" + (f", without {', '.join(gone)}" if gone else ""), style="dim")
    text = Text(head, style="reverse")
    for words, part in spans(node, decode):
        label = "" if part is None else f"[{part}{', pruned later' if part in pruned else ''}] "
        style = "strike" if part in pruned else STYLES[node.kind]
        text.append(f"\n{label}{printable(words)}", style=style)
    return text


def writer(node: Node) -> str:
    """Who wrote a node; for an action also how."""
    if node.sampled is None:
        return {Kind.NOTICE: "by the harness, for one generation only"}.get(node.kind, "by the environment")
    return _provenance(node.sampled)


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


def _provenance(sampled: Sampled) -> str:
    mean = sum(sampled.logprobs) / len(sampled.logprobs) if sampled.logprobs else 0.0
    weights = ", ".join(sampled.versions.ids)
    return (
        f"by policy {sampled.policy} ({sampled.role}), weights {weights}, temperature {sampled.temperature:g}, "
        f"stop {sampled.stop}, mean log-prob {mean:.3f}"
    )


def _left_out(node: Node, origin: Node) -> list[str]:
    kept = {part.id for part in node.parts}
    return [part.id for part in origin.parts if part.id not in kept]


def _known(store: RunStore, name: str) -> str:
    ids = store.ids()
    if name in ids:
        return name
    near = difflib.get_close_matches(name, ids, n=1, cutoff=0.3)
    raise ConfigError(f"{store.folder} holds no episode {name}" + (f"; did you mean {near[0]}?" if near else ""))


def _decoder(store: RunStore) -> Decode:
    """Tokens to text by the run's tokenizer; without one, the ids themselves."""
    if not (store.folder / "tokenizer" / "tokenizer.json").is_file():
        return lambda tokens: " ".join(map(str, tokens))
    return Codec.from_file(store.folder / "tokenizer").decode
