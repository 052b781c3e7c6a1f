"""What an item must withstand, by code alone. Each check names its reason; the first that fails decides.

quotes        every quote stands in its gold chunk, and the truth in the last one
given away    the question does not say the truth
clues         what the clues say of the first chunk fits no other document
necessary     each hop is named by the one before it and by nothing earlier; no earlier hop holds the truth
solvable      each hop's own query finds its chunk
one query     neither the question nor the clues find the last document
distractors   no distractor holds a truth of any hop
"""

from collections.abc import Callable, Sequence

from trivium.envs.search.chain_text import content_words
from trivium.envs.search.checks import ChainChecks
from trivium.retrieval import Corpus

from .item import Item, chunk_texts, written
from .match import spoken, stands_in

Check = Callable[[Item, Sequence[str]], str | None]


class Verifier:
    """Checks items over one corpus."""

    def __init__(self, corpus: Corpus, checks: ChainChecks) -> None:
        self.corpus, self.checks = corpus, checks
        self._order: tuple[Check, ...] = (
            self._quotes,
            self._given_away,
            self._clues,
            self._necessary,
            self._solvable,
            self._one_query,
            self._distractors,
        )

    def reason(self, item: Item) -> str | None:
        """Why an item is refused; None when it passes."""
        texts = chunk_texts(item, self.corpus)
        return next((found for check in self._order if (found := check(item, texts))), None)

    def holds_truth(self, item: Item, document_id: str) -> bool:
        """Whether a document holds a truth of any hop; one that the corpus lacks may hold anything."""
        document = self.corpus.document(document_id)
        return document is None or any(spoken(truth, written(document)) for truth in item.truths)

    def _quotes(self, item: Item, texts: Sequence[str]) -> str | None:
        if len(item.hops) < 2 or len({hop.document for hop in item.hops}) < len(item.hops):
            return "it has no two hops over different documents"
        for hop, text in zip(item.hops, texts, strict=True):
            if not hop.quotes or not all(stands_in(quote, text) for quote in hop.quotes):
                return "a quote does not stand in its chunk"
        return None if stands_in(item.truth, texts[-1]) else "the truth does not stand in the last chunk"

    def _given_away(self, item: Item, texts: Sequence[str]) -> str | None:
        told = f"{item.question}\n{item.clues}"
        return "the question gives the truth away" if spoken(item.truth, told) else None

    def _clues(self, item: Item, texts: Sequence[str]) -> str | None:
        held = set(content_words(texts[0]))
        anchors = [word for word in dict.fromkeys(content_words(item.clues)) if word in held]
        if not anchors:
            return "the clues say nothing of the first chunk"
        fits = self.checks.fits_another(anchors, item.hops[0].document)
        return "the clues fit another document as well" if fits else None

    def _necessary(self, item: Item, texts: Sequence[str]) -> str | None:
        for place, hop in enumerate(item.hops[1:], 1):
            if not spoken(hop.query, texts[place - 1]):
                return "a hop is not named by the one before it"
            if any(spoken(hop.query, earlier) for earlier in (item.question, item.clues, *texts[: place - 1])):
                return "a hop is not needed"
        return "a hop is not needed" if any(spoken(item.truth, text) for text in texts[:-1]) else None

    def _solvable(self, item: Item, texts: Sequence[str]) -> str | None:
        return self.checks.unsolvable([hop.chunk for hop in item.hops], [hop.query for hop in item.hops])

    def _one_query(self, item: Item, texts: Sequence[str]) -> str | None:
        return self.checks.too_easy(item.hops[-1].document, [item.question, item.clues])

    def _distractors(self, item: Item, texts: Sequence[str]) -> str | None:
        gold = {hop.document for hop in item.hops}
        if gold & set(item.distractors):
            return "a distractor is gold"
        held = any(self.holds_truth(item, document) for document in item.distractors)
        return "a distractor holds the answer" if held else None
