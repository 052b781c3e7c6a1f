"""What there is to say about a run, gathered once for the terminal and for the page. Reads only: a run may go on.

Always true: a run that is unfinished or broken in one place tells everything else.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from trivium.bench import Interval
from trivium.config import changed_keys, read_no_more, still_read
from trivium.episode import DataError, Episode, Life, printable
from trivium.harness import pruned_ids
from trivium.store import RunStore
from trivium.watch import Finding

CURVES = (
    "term.reward", "term.recall", "term.precision", "term.f1", "term.r_fa", "term.r_traj", "term.prune_accuracy",
    "term.searches", "term.turns", "tokens.sampled", "batch.groups constant", "learn.loss", "learn.entropy",
    "learn.grad_norm", "learn.kl", "learn.truncated", "parity.max_log_ratio", "parity.k3",
)  # fmt: skip
EVENTS = 20
"""Events shown at most: the last ones."""


class Figures(msgspec.Struct):
    """What of `report.json` is shown: arms and differences with their intervals, and how they came about."""

    arms: dict[str, dict[str, Interval]] = {}
    differences: dict[str, dict[str, Interval]] = {}
    notes: list[str] = []
    steps: int = 0
    wall_seconds: float = 0.0
    command: str = ""
    commit: str = ""
    machine: str = ""


def figures(store: RunStore) -> Figures | None:
    """The report; None while there is none. Raises DataError when it is torn."""
    path = store.folder / "report.json"
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Figures)
    except (OSError, msgspec.MsgspecError) as error:
        raise DataError(f"{path} cannot be read ({error}); it is written again when the run is resumed") from error


def recipe_lines(store: RunStore) -> list[str]:
    """The keys of the recipe that differ from their defaults, and those of an older one that nothing reads now."""
    try:
        data = tomllib.loads(store.recipe or "")
        gone = read_no_more(data)
        return [*changed_keys(still_read(data)), *([unread(gone)] if gone else [])]
    except tomllib.TOMLDecodeError as error:
        return [f"recipe.toml cannot be read: {error}"]


def unread(keys: Sequence[str]) -> str:
    """What is said of the keys of an older recipe that nothing reads any more."""
    return f"{len(keys)} older key{'s' * (len(keys) > 1)} that nothing reads any more: {', '.join(keys)}"


class Families(msgspec.Struct, frozen=True):
    """Reward terms of the last step, by task family."""

    kinds: list[str]
    terms: dict[str, list[float | None]]


def families(store: RunStore) -> Families:
    """The last value of every reward term, for each family of tasks."""
    names = [name for name in store.journal.metric_names() if name.startswith("family.")]
    split = [name.removeprefix("family.").rsplit(".", 1) for name in names]
    terms, kinds = (list(dict.fromkeys(pair[place] for pair in split)) for place in (1, 0))
    return Families(kinds, {term: [_last(store, f"family.{kind}.{term}") for kind in kinds] for term in terms})


def _last(store: RunStore, name: str) -> float | None:
    points = store.journal.curve(name)
    return points[-1][1] if points else None


def outcome_lines(store: RunStore) -> Iterator[str]:
    """How the episodes ended, and what became of them: trained, dropped for a reason, or neither."""
    lives, commits = store.episodes.count_lives(), store.ledger.commits()
    trained = lives.get(Life.TRAINED, 0)
    reasons = Counter(why for commit in commits for why in store.ledger.dropped(commit.step).values())
    yield f"outcomes: {_counts(store.episodes.count_outcomes())}"
    yield f"trained: {trained} episodes, in {len(commits)} steps"
    yield f"dropped: {_counts({f'because {why}': count for why, count in reasons.items()})}"
    yield f"neither: {sum(lives.values()) - trained - reasons.total()} (measured, or of a step that is not done)"


def finding_lines(store: RunStore) -> Iterator[str]:
    """What the detectors found while it trained."""
    for event in store.journal.events("finding"):
        found = msgspec.convert(event.data, Finding)
        yield f"finding at {found.where}: {found.kind}: {printable(found.text)}"


def event_lines(store: RunStore) -> list[str]:
    """The last events."""
    events = store.journal.events()
    head = f"events beside the steps: {len(events)}" + (f", the last {EVENTS}:" if len(events) > EVENTS else "")
    return [head, *(f"  {event.kind}: {printable(event.text)}" for event in events[-EVENTS:])]


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"


def ranked(store: RunStore) -> list[Episode]:
    """The scored episodes of the last step, from the worst reward to the best."""
    commit = store.ledger.latest()
    found = store.episodes.find(step=commit.step, outcome="scored") if commit else ()
    return sorted(found, key=lambda episode: episode.terms().get("reward", 0.0))


def typical(store: RunStore) -> str | None:
    """The id of an episode worth reading: the middle one of those of the last step that pruned, else of all; else the
    latest one there is."""
    found = ranked(store)
    chosen = [one for one in found if any(pruned_ids(agent) for agent in one.agents.values())] or found
    if chosen:
        return chosen[len(chosen) // 2].id
    return next(reversed(store.episodes.ids()), None)


def ways_on(store: RunStore) -> str:
    """How a user goes on from a run, in one line."""
    run = store.folder
    return f"go on: trivium export {run} --to DIR (a Hugging Face folder), trivium show {run} --html (a page)"
