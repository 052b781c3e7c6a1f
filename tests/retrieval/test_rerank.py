"""A second look at candidates: a tiny cross-encoder that was really built, and a server that really answers."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from trivium.config import RetrievalConfig, make_recipe
from trivium.envs.search.opening import open_search
from trivium.episode import ConfigError, ToolError
from trivium.retrieval import Corpus, CrossEncoder, Reranking, RerankServer, Search, load_folder, split

pytest.importorskip("httpx", reason="the extra `remote` is not installed")
WORDS = (
    "jam",
    "keeps",
    "for",
    "a",
    "year",
    "in",
    "cool",
    "dark",
    "cellar",
    "the",
    "night",
    "train",
    "leaves",
    "harbour",
    "crane",
    "lifts",
    "steel",
    "apples",
    "and",
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Corpus:
    folder = tmp_path_factory.mktemp("pages")
    for index in range(12):
        (folder / f"{index:02}.txt").write_text(f"jam {' '.join(WORDS[index:])} {' '.join(WORDS[:index])}")
    return split(load_folder(folder), lambda text: len(text.split()), 64)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory) -> Path:
    """A BERT of two layers with one label, and a word-level tokenizer."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(0)
    vocab = {word: at for at, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *dict.fromkeys(WORDS)])}
    built = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    built.pre_tokenizer = pre_tokenizers.Whitespace()
    built.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    config = BertConfig(
        vocab_size=len(vocab), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        num_labels=1, initializer_range=0.5,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("encoder")
    BertForSequenceClassification(config).save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=built, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(folder)
    return folder


def test_a_cross_encoder_scores_each_pair_as_it_does_alone(encoder):
    reranker = CrossEncoder(encoder)
    texts = ["jam cellar", "the night train leaves the harbour", "apples", *["steel crane"] * 40]
    together = reranker.scores("cool jam", texts)
    alone = [reranker.scores("cool jam", [text])[0] for text in texts]
    assert together == pytest.approx(alone, abs=1e-4)
    assert len({round(score, 4) for score in together}) == 4


def test_the_candidates_are_ordered_by_it_and_nothing_is_added(corpus, encoder):
    plain, reranker = Search.open(corpus), CrossEncoder(encoder)
    search = Search.open(corpus, reranking=Reranking(reranker, 6))
    candidates = plain.search("jam cellar", 6)
    hits = search.search("jam cellar", 10)
    assert {hit.chunk.id for hit in hits} == {hit.chunk.id for hit in candidates}
    wanted = {
        hit.chunk.id: reranker.scores("jam cellar", [f"{hit.chunk.title}\n{hit.chunk.text}"])[0] for hit in candidates
    }
    assert [hit.chunk.id for hit in hits] == sorted(wanted, key=lambda one: (-wanted[one], one))
    assert [hit.chunk.id for hit in hits] != [hit.chunk.id for hit in candidates]
    hidden = {hits[0].chunk.id}
    assert hidden.isdisjoint(hit.chunk.id for hit in search.search("jam cellar", 10, hidden))
    assert search.search(" ") == plain.search(" ")


class Route(BaseHTTPRequestHandler):
    """Relevance: how many words of the query stand in a text, told in another order than asked."""

    asked: ClassVar[list[dict]] = []
    broken: ClassVar[bool] = False

    def do_POST(self) -> None:
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append({"path": self.path, "key": self.headers.get("Authorization"), **told})
        words = set(told["query"].split())
        results = [
            {"index": at, "relevance_score": float(len(words & set(text.split())))}
            for at, text in enumerate(told["documents"])
        ]
        body = json.dumps({"results": results[:-1] if self.broken else results[::-1]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Route) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        Route.asked.clear()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_a_server_is_asked_with_its_key_and_its_answer_is_put_in_order(url, corpus, monkeypatch):
    monkeypatch.setenv("RERANK_KEY", "s3cret")
    config = {"reranker": {"url": url, "model": "small", "key_env": "RERANK_KEY", "candidates": 4}}
    search = open_search(corpus, RetrievalConfig.model_validate(config))
    hits = search.search("jam steel", 10)
    (asked,) = Route.asked
    assert (asked["path"], asked["key"], asked["model"], len(asked["documents"])) == (
        "/v1/rerank", "Bearer s3cret", "small", 4,
    )  # fmt: skip
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert RerankServer(url, "m").scores("a b", ["x", "a b c", "b"]) == [0.0, 2.0, 1.0]


def test_a_server_that_scores_too_few_or_is_gone_is_a_tool_s_error(url, monkeypatch):
    monkeypatch.setattr(Route, "broken", True)
    with pytest.raises(ToolError, match="2 scores for 3 texts"):
        RerankServer(url, "m").scores("a", ["x", "y", "z"])
    with pytest.raises(ToolError, match="did not score"):
        RerankServer("http://127.0.0.1:9/v1", "m", seconds=2).scores("a", ["x"])


def test_wrong_configurations_are_said(tmp_path, encoder):
    with pytest.raises(ConfigError, match="there is no model in"):
        CrossEncoder(tmp_path)
    for wrong, said in (
        ({"reranker": {"folder": "x", "url": "y"}}, "`folder` or `url`, and not both"),
        ({"reranker": {"url": "http://127.0.0.1"}}, "a server needs `model`"),
        ({"reranker": {"folder": "x", "model": "m"}}, "nothing reads model or key_env of a folder"),
        ({"chroma": {}}, "`path` or `url`, and not both"),
        ({"chroma": {"path": "x", "key_env": "KEY"}}, "nothing reads key_env of a folder"),
    ):
        with pytest.raises(ConfigError, match=said):
            make_recipe({"environment": {"retrieval": wrong}})
