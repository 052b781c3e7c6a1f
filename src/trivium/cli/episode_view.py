"""One episode, readable: every node, who wrote it, and what was pruned from it."""

from rich.text import Text

from trivium.episode import Episode, Kind, Node, printable
from trivium.store import RunStore
from trivium.web import Decode, again, decoder, head_lines, known, node_head, pruned_of, spans, tail_lines

from .console import out

STYLES = {
    Kind.SYSTEM: "dim",
    Kind.USER: "bold",
    Kind.ACTION: "green",
    Kind.OBSERVATION: "cyan",
    Kind.NOTICE: "magenta",
    Kind.SUMMARY: "yellow",
}


def show_episode(store: RunStore, name: str) -> None:
    """Print an episode. Raises ConfigError, with the nearest id, when the run has none of this name."""
    episode = store.episodes.get(known(store, name))
    decode, pruned = decoder(store), pruned_of(episode)
    console = out()
    for line in head_lines(episode):
        console.print(line, soft_wrap=True)
    for node in episode.tree.nodes:
        console.print()
        console.print(node_text(node, episode, decode, pruned), soft_wrap=True)
    console.print()
    for line in tail_lines(episode, pruned):
        console.print(line, soft_wrap=True)


def node_text(node: Node, episode: Episode, decode: Decode, pruned: set[str]) -> Text:
    """A node: a line on who wrote it, then its words; a copy tells only what left it."""
    head = node_head(node)
    if node.copy_of is not None:
        return Text(f"{head}: {again(node, episode.tree.nodes[node.copy_of])}", style="dim")
    text = Text().append(head, style="reverse")
    for words, part in spans(node, decode):
        label = "" if part is None else f"[{part}{', pruned later' if part in pruned else ''}] "
        style = "strike" if part in pruned else STYLES[node.kind]
        text.append(f"\n{label}{printable(words)}", style=style)
    return text
