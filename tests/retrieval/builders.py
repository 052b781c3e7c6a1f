"""Small corpora to search in."""

from trivium.retrieval import Chunk, Corpus, Document, split

TEXTS = {
    "tea": "Green tea is brewed from leaves.\n\nIt was first drunk in China. Monks carried it to Japan.",
    "coffee": "Coffee is brewed from roasted beans. It keeps people awake.",
    "rope": "A rope is a bundle of fibres. Sailors splice ropes.",
    "knot": "A bowline is a knot in a rope that makes a loop. See rope.",
}


def words(text: str) -> int:
    return len(text.split())


def corpus(texts: dict[str, str], limit: int = 8) -> Corpus:
    return split(Corpus(tuple(Document(name, name.title(), text) for name, text in texts.items())), words, limit)


def chunks(*texts: str) -> list[Chunk]:
    return [Chunk(f"d{i}_0", f"d{i}", 0, text, "") for i, text in enumerate(texts)]
