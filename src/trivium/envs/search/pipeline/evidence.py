"""Is this the evidence for a question asked in natural language? Judged by structure: no model.

A claim is a question (or a part of one), the document said to answer it, and its answer where it is known. All claims
together hold when every known answer stands in the document of its claim, and every document is led to: by its claim's
question, or by a document that is. A text leads to a document when it speaks its title, or when they share rare words:
two of which one is in the title, or three; one is enough where the document holds the claim's own answer. Where no
claim has an answer of its own, a document whose title (of two words or more) the question speaks may not be missing.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from trivium.retrieval import Corpus

from .item import written
from .match import plain, spoken

_QUALIFIER = re.compile(r" \([^()]*\)$")
RARE = 0.01
"""A word in at most this share of the documents (and in 5 at least) leads somewhere."""
KNOWN = 0.05
"""The same for a word of a title or a question: both are short, so a milder bar."""


class Claim(msgspec.Struct, frozen=True):
    """`document` is said to answer `question`, with one of `answers` where they are known."""

    question: str
    document: str
    answers: tuple[str, ...] = ()


class EvidenceJudge:
    """Judges evidence out of one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.texts = {item.id: written(item) for item in corpus.documents}
        self.titles = {item.id: _QUALIFIER.sub("", item.title) for item in corpus.documents}
        self._named = {plain(title) for title in self.titles.values()}
        self._spread = Counter(word for text in self.texts.values() for word in set(plain(text).split()))
        self._words = lru_cache(maxsize=100_000)(self._rare)

    def reason(self, claims: Sequence[Claim], answers: Sequence[str] = ()) -> str | None:
        """Why the claims are not the evidence (for a question with these `answers`, where known); None if they are."""
        documents = [claim.document for claim in claims]
        for claim in claims:
            if claim.answers and not self._held(claim.answers, [claim.document]):
                return "an answer does not stand in its document"
        if answers and not self._held(answers, documents):
            return "the answer stands in no document"
        if not any(claim.answers for claim in claims) and self._missing(claims):
            return "the question names a document that is not there"
        led = {claim.document for claim in claims if self._asked_for(claim)}
        while more := {there for there in set(documents) - led if any(self._joined(here, there) for here in led)}:
            led |= more
        return None if led == set(documents) else "nothing leads to a document"

    def _held(self, answers: Sequence[str], documents: Sequence[str]) -> bool:
        return any(spoken(answer, self.texts[document]) for answer in answers for document in documents)

    def _missing(self, claims: Sequence[Claim]) -> bool:
        """Whether a title of two words or more is spoken in a question and is part of no document's title here."""
        here = [plain(self.titles[claim.document]) for claim in claims]
        spans = (span for question in {claim.question for claim in claims} for span in _spans(plain(question).split()))
        return any(span in self._named and not any(span in title for title in here) for span in spans)

    def _asked_for(self, claim: Claim) -> bool:
        """The question leads to its document; `reason` has found the claim's own answer there, if it has one."""
        if claim.answers and self._words(claim.question, KNOWN) & self._words(self.texts[claim.document], KNOWN):
            return True
        return self._leads(claim.question, KNOWN, claim.document)

    def _joined(self, here: str, there: str) -> bool:
        """A document leads to another, or is named by it."""
        return self._leads(self.texts[here], RARE, there) or spoken(self.titles[here], self.texts[there])

    def _leads(self, text: str, share: float, document: str) -> bool:
        if spoken(self.titles[document], text):
            return True
        shared = self._words(text, RARE) & self._words(self.texts[document], RARE)
        titled = self._words(text, share) & self._words(self.titles[document], KNOWN)
        return len(shared) >= 3 or bool(titled and len(shared) >= 2)

    def _rare(self, text: str, share: float) -> frozenset[str]:
        limit = max(5, int(share * len(self.texts)))
        return frozenset(word for word in plain(text).split() if len(word) > 2 and self._spread[word] <= limit)


def _spans(words: Sequence[str]) -> Iterator[str]:
    """Every run of two words or more."""
    for start in range(len(words)):
        for stop in range(start + 2, len(words) + 1):
            yield " ".join(words[start:stop])
