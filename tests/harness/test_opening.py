"""Environments that cannot be opened or read."""

import pytest

from trivium.episode import ConfigError, Invalid, Task
from trivium.harness import Ruler, opening, run_episode

from .world import World, episode, harness, live, play, renderer, wide


class Locked(World):
    async def __aenter__(self):
        raise OSError("no key")


class Mute(World):
    def prompt(self):
        raise KeyError("question")


@pytest.mark.parametrize(
    ("world", "says"),
    [
        (Locked(), "the environment of task t cannot be opened (OSError: no key); fix its __aenter__"),
        (Mute(), "the environment of task t does not say what is asked (KeyError: 'question'); fix its tools, "),
    ],
)
def test_an_environment_that_raises_at_its_opening_leaves_the_episode_invalid(world, says):
    lived = play(run_episode(episode(), world, harness("done")))
    assert isinstance(lived.outcome, Invalid)
    assert lived.outcome.boundary == "world"
    assert lived.outcome.reason.startswith(says)
    assert world.closed == world.opened


@pytest.mark.parametrize("words", [{"prompt": None}, {"system": 7}])
def test_an_environment_asks_in_words(words):
    with pytest.raises(ConfigError, match=rf"task t: the {next(iter(words))} of its environment is .*; give a string"):
        live(harness("done"), **words)


def test_lengths_are_those_of_the_openings():
    acts = harness("done", budget=wide(2000))
    ruler, lead = Ruler(renderer(), acts.strategy), len(renderer().lead())
    for system, words in (("sys", 0), ("sys", 1), ("system", 2), ("sys", 3)):
        world = World(system=system, prompt="é words " * words)
        assert ruler.length(world, Task(id="t", prompt="unread")) == len(opening(episode(), world, acts)) + lead
