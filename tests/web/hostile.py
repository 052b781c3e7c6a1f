"""A run whose documents are hostile, whose window was pruned, and whose notice stood for one generation."""

from trivium.episode import (
    Agent,
    Context,
    Draft,
    Episode,
    Kind,
    Life,
    Part,
    Reward,
    Sampled,
    Scored,
    StopReason,
    Task,
    Tree,
    Versions,
)
from trivium.harness import prune
from trivium.policy.rendering import Codec
from trivium.store import Member, RunStore

SCRIPT = "<script>alert('x')</script><img src=http://evil/>"


def episode(codec, name="00000-000-000", prompt=SCRIPT):
    """Action, result with parts 11 and 12, a noticed action that prunes 11, and the context after it."""
    context = Context(Tree()).append(Draft(kind=Kind.USER, tokens=codec.encode(prompt)))
    context = context.append(action(codec, "find it"))
    first, second = codec.encode(f"a {SCRIPT}"), codec.encode("b plain")
    parts = (Part("11", 0, len(first)), Part("12", len(first), len(first) + len(second)))
    context = context.append(Draft(kind=Kind.OBSERVATION, tokens=first + second, parts=parts))
    noticed = context.append(Draft(kind=Kind.NOTICE, tokens=codec.encode("prune!")))
    acted = noticed.append(action(codec, "Prüne 11 日本"))
    context = context.reattach(acted.last).edit(prune(frozenset({"11"})))
    context = context.append(Draft(kind=Kind.OBSERVATION, tokens=codec.encode("Pruned 1.")))
    agent = Agent(tip=context.tip, turns=2, state={"pruned": ["11"]})
    return Episode(
        id=name, task=Task(id="t", prompt=prompt), group="g", seed=0, tree=context.tree, agents={"main": agent},
        life=Life.SCORED, rewards=[Reward("reward", 0.5)], outcome=Scored(0.5),
    )  # fmt: skip


def action(codec, text):
    tokens = codec.encode(text)
    logprobs = tuple(0.0 - 0.1 * place for place in range(len(tokens)))
    sampled = Sampled(
        policy="policy", role="main", logprobs=logprobs, versions=Versions(("w0",), (len(tokens),)), temperature=1.0,
        seed=0, stop=StopReason.STOP,
    )  # fmt: skip
    return Draft(kind=Kind.ACTION, tokens=tokens, sampled=sampled)


def write_run(folder, tokenizer):
    """A run of one step: one episode trained, one dropped."""
    codec = Codec.from_file(tokenizer)
    with RunStore(folder) as store:
        store.write_recipe('name = "</title><script>"\n\n[budget]\nwindow = 100\nsoft = 60\n')
        store.keep_folder("tokenizer", lambda draft: (draft / "tokenizer.json").write_bytes(tokenizer.read_bytes()))
        for name in ("00000-000-000", "00000-001-000"):
            store.episodes.put(episode(codec, name), step=0)
        path = store.checkpoints.write(0, lambda draft: (draft / "x").touch())
        store.ledger.commit_batch(
            0,
            [Member("00000-000-000", 0.25)],
            weights="w1",
            checkpoint=path,
            metrics={"term.reward": 0.5, "learn.loss": float("nan"), "family.<b>.reward": 0.5},
            dropped={"00000-001-000": "equal rewards <b>"},
        )
    return folder
