"""A small training run: five tasks, one tool, a reward in which a random model can vary."""

import trivium as tv


def letters(episode: tv.Episode) -> float:
    """More vowels, more reward: something that a random model can vary in."""
    text = episode.answer or "".join(node.message.text for node in episode.tree.nodes if node.message)
    return sum(letter in "aeiou" for letter in text) / (1 + len(text)) + episode.seed % 7 / 100


def look_up(name: str) -> str:
    """A fact."""
    return f"{name} is known"


def world(task: tv.Task) -> tv.ToolEnvironment:
    return tv.ToolEnvironment(task, tools=[look_up], terms={"letters": letters})


GROUPS, GROUP_SIZE = 2, 3
TASKS = [tv.Task(id=f"t{i}", prompt=f"Say something about {i}.") for i in range(5)]


def recipe(model: str, steps: int) -> dict[str, object]:
    return {
        "seed": 7,
        "policy": {"model": model, "threads": 1},
        "environment": {"prompt": "short"},
        "budget": {"window": 320, "soft": 256, "hard": 288, "per_call": 32, "reply": 12, "turns": 2},
        "learn": {"lr": 1e-3},
        "schedule": {"steps": steps, "groups": GROUPS, "group_size": GROUP_SIZE},
    }


def go(model: str, run: str, steps: int, resume: bool = False, measured: int = 0, progress: object = None) -> object:
    return tv.train(
        world,
        TASKS,
        TASKS[:measured],
        run=run,
        recipe=recipe(model, steps),
        resume=resume,
        progress=progress,
    )
