"""Environments that cannot be opened or read."""

import pytest

from trivium.episode import ConfigError, Invalid, Task
from trivium.harness import opening, opening_lengths, run

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
        (Locked(), "the environment of task t cannot be opened (OSError: no key); mend its __aenter__"),
        (Mute(), "the environment of task t does not say what is asked (KeyError: 'question'); mend its tools, "),
    ],
)
def test_an_environment_that_raises_at_its_opening_leaves_the_episode_invalid(world, says):
    lived = play(run(episode(), world, harness("done")))
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
    tasks = [episode().task, *(Task(id=f"t{n}", prompt="é words " * n) for n in range(1, 4))]
    lead = len(renderer().lead())
    measured = [len(opening(episode(), World(prompt=task.prompt), acts)) + lead for task in tasks]
    assert opening_lengths(World(), tasks, renderer(), acts.strategy) == measured
