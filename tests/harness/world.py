"""The smallest real harness: a byte-level tokenizer, ChatML, scripted replies, a shelf of chunks."""

import asyncio
import time
from functools import cache

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from trivium.episode import Episode, Piece, Reward, Task, ToolCall, ToolContext, ToolResult, ToolSpec
from trivium.harness import Budget, Harness, Pruning, run_episode, step
from trivium.policy.policy import Policy
from trivium.policy.rendering import ChatML, Codec
from trivium.policy.rendering.chatml import call_text
from trivium.policy.scripted import ScriptedEngine

START, END = "<|im_start|>", "<|im_end|>"


@cache
def renderer():
    """ChatML over a byte-level tokenizer that has merged some of its own words and numbers."""
    built = Tokenizer(models.BPE())
    built.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    built.decoder = decoders.ByteLevel()
    words = [
        "assistant\n tool\n user\n DOCUMENT ID: Token usage: search_corpus prune_chunks",
        "100 101 200 999 1000 1024",
    ]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=340, initial_alphabet=sorted(alphabet), show_progress=False)
    built.train_from_iterator(words * 9, trainer)
    built.add_tokens([AddedToken(literal, special=True, normalized=False) for literal in (START, END)])
    return ChatML(Codec(built))


def call(name, **arguments):
    return f"<tool_call>{call_text(ToolCall(name, arguments))}</tool_call>"


def show(*ids):
    return call("show", ids=list(ids))


def pruned(*ids):
    return call("prune_chunks", chunk_ids=list(ids))


def engine(*replies, seen=None):
    """Reply i answers the prompt that holds i earlier actions: a pure function of the prompt, so it resumes."""
    rendered = renderer()
    lead = list(rendered.lead())

    def script(tokens):
        tokens = list(tokens)
        if seen is not None:
            seen.append(tokens)
        turn = sum(tokens[at : at + len(lead)] == lead for at in range(len(tokens))) - 1
        return replies[turn] if turn < len(replies) else "done"

    return ScriptedEngine(script, rendered.encode_text, rendered.codec.control(END))


def harness(*replies, budget=None, prunes=True, notice=None, seen=None, cap=4000):
    policy = Policy("p", engine(*replies, seen=seen), renderer(), max_tokens=cap)
    return Harness(policy, Pruning(budget or wide(), prunes=prunes, notice=notice))


def wide(window=20_000, **changes):
    limits = {"soft": window // 2, "hard": 3 * window // 4, "per_call": window // 8, "reply": window // 8}
    return Budget(window=window, **{**limits, **changes})


def chunk(name, words=5):
    return f"# DOCUMENT ID: {name}\n{' '.join([f'word{name}'] * words)}\n"


class Shelf:
    """Shows the chunks that are asked for, one part each; always in order."""

    spec = ToolSpec("show", "", {"type": "object", "properties": {"ids": {"type": "array"}}, "required": ["ids"]})

    def __init__(self, texts=None):
        self.texts = texts or {}
        self.rooms = []

    async def __call__(self, arguments, context: ToolContext):
        self.rooms.append(context.max_tokens)
        ids = arguments["ids"]
        shown = context.episode.state.setdefault("shown", [])
        shown.extend(ids)
        return ToolResult(pieces=tuple(Piece(self.texts.get(name, chunk(name)), id=name, source=name) for name in ids))


class World:
    """One task with these tools; worth the number of chunks that it showed."""

    def __init__(self, *tools, system="sys", prompt="ask", worth=None):
        self.tools = tools or (Shelf(),)
        self.system, self._prompt, self._worth = system, prompt, worth
        self.opened = self.closed = 0

    async def __aenter__(self):
        self.opened += 1
        return self

    async def __aexit__(self, *error):
        self.closed += 1

    def prompt(self):
        return self._prompt

    def score(self, episode):
        if self._worth is not None:
            return self._worth(episode)
        return [Reward("reward", float(len(episode.state.get("shown", []))), time=0.0)]


def episode(name="e"):
    return Episode(id=name, task=Task(id="t", prompt="ask"), group="g", seed=3)


def play(coroutine):
    """What a coroutine gives, within a minute."""
    return asyncio.run(asyncio.wait_for(coroutine, 60))


def live(acts, *tools, **world):
    """The episode that `acts` (a harness) lives, ended."""
    return play(run_episode(episode(), World(*tools, **world), acts))


def steps(acts, count, *tools, lived=None):
    """The episode after `count` more turns."""

    async def go():
        turned, world = lived or episode(), World(*tools)
        for _ in range(count):
            turned = await step(turned, world, acts, time.monotonic() + 60)
        return turned

    return play(go())


def last(lived):
    """The text of the last message that the main agent read."""
    return lived.context(lived.main).last.message.text


def text(lived):
    """What the main agent reads now."""
    return renderer().decode(lived.context(lived.main).tokens)
