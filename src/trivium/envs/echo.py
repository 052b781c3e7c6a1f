"""Copy drills: say again the line that stands under a name, in words that do not exist.

What a search asks of a policy above all is to copy: an id, a name, words of the question. A small policy loses that
skill while it learns anything else, unless it goes on practising it.
"""

import random
from collections.abc import Sequence

from trivium.episode import Episode, Task

from .functions import ToolEnvironment
from .words import new_name, new_word

SYSTEM = "Say the line again that stands under the name."
LINES, WORDS = (1, 6), (2, 10)


def echo_tasks(pieces: Sequence[str], count: int, seed: int) -> list[Task]:
    """`count` drills; `pieces` are the letters that words are glued from."""
    return [_task(pieces, number, random.Random(f"echo {seed} {number}")) for number in range(count)]


def echo(task: Task) -> ToolEnvironment:
    """One drill: no tools, and 1 for the line, word for word."""
    return ToolEnvironment(task, tools=[], terms={"exact": _exact}, system=SYSTEM)


def _task(pieces: Sequence[str], number: int, rng: random.Random) -> Task:
    lines: dict[str, str] = {}
    for _ in range(rng.randint(*LINES)):
        words = [new_word(pieces, rng, rng.randint(2, 9)) for _ in range(rng.randint(*WORDS))]
        lines[new_name(pieces, rng)] = " ".join(words)
    asked = rng.choice(list(lines))
    said = "\n".join(f"{name}: {line}" for name, line in lines.items())
    return Task(id=f"echo-{number}", family="echo", prompt=f"{said}\nSay {asked}", data={"line": lines[asked]})


def _exact(episode: Episode) -> float:
    return float(episode.answer == episode.task.data["line"])
