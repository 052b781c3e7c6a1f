"""The audit of a run, step by step, from its folder alone."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from trivium.episode import ConfigError, DataError, Episode
from trivium.learn import Batch, Segment, cut
from trivium.store import RunStore, ordinal
from trivium.watch import Finding

from .contexts import contexts, copies
from .episode import Lived
from .growth import grown
from .learned import learned
from .membership import across, within
from .planned import planned
from .recompute import Token, compared, tokens_of
from .replay import Replay
from .result import Audit, Line, lines_of
from .rewards import rewards
from .sampled import provenance
from .stored import StoredWeights, stored_weights
from .subject import Rules, StepRecord, read_step
from .turns import turns
from .versions import Chain, linked, listed, versions
from .wording import vocabulary, wording

Check: TypeAlias = Callable[[Lived], Iterator[Finding]]
CHECKS: tuple[Check, ...] = (vocabulary, wording, contexts, copies, turns, provenance)
"""What is asked of every episode whose tree stands."""


@dataclass
class Auditor:
    """Audits a run that is open for reading; `told` is given every trained token, `tick` every step."""

    store: RunStore
    limit: int | None = None
    """Members of a step whose episodes are read, the first ones; None: all. The ledger is read whole."""
    told: Callable[[int, Token], None] = lambda _step, _token: None
    tick: Callable[[], None] = lambda: None
    counts: Counter[str] = field(default_factory=Counter)

    def audit(self, only: int | None = None) -> Audit:
        """The audit of all committed steps, or of one. Raises ConfigError when there is none."""
        commits = self.store.ledger.commits()
        chosen = [commit for commit in commits if only in (None, commit.step)]
        if not chosen:
            raise ConfigError(
                f"{self.store.folder} has {len(commits)} committed steps"
                + ("; train it first" if only is None else f" and no step {ordinal(only)}; name one of them")
            )
        rules = Rules.of(self.store, self.counts)
        weights, findings = stored_weights(self.store, rules.recipe, self.counts)
        chain, replay = Chain.of(commits, weights.start), Replay(rules.recipe)
        findings += [*linked(commits), *across(self.store)]
        lines: list[Line] = []
        for commit in commits:
            if commit not in chosen:
                if replay.remembers and commit.step < chosen[0].step:
                    replay.batch(read_step(self.store, commit))
                continue
            step = read_step(self.store, commit)
            more, found = self._step(step, rules, chain, weights)
            found += self._learned(step, replay)
            lines += more
            findings += found
            self.tick()
        counts = {what: count for what, count in sorted(self.counts.items()) if count}
        run = str(self.store.folder)
        return Audit(run=run, steps=len(chosen), lines=tuple(lines), counts=counts, findings=tuple(findings))

    def _step(
        self, step: StepRecord, rules: Rules, chain: Chain, weights: StoredWeights
    ) -> tuple[list[Line], list[Finding]]:
        findings = [*within(step), *planned(step, rules), *listed(step)]
        whole = frozenset[str]()
        for episode in step.trained[: self.limit]:
            found = list(self._episode(episode, step, rules, chain))
            whole |= frozenset() if any(one.kind in ("tree", "vocabulary") for one in found) else {episode.id}
            findings += found
        readable = (episode for episode in step.trained if episode.id in whole)
        segments = [row for episode in readable for row in _rows(episode, rules.recipe.policy.name)]
        tokens = tokens_of(step, segments, weights, self.counts)
        for token in tokens:
            self.told(step.number, token)
        return lines_of(step.number, tokens), [*findings, *compared(step, tokens, rules.recipe.policy.dtype)]

    def _learned(self, step: StepRecord, replay: Replay) -> list[Finding]:
        """The batch of a step, made again, against the ledger."""
        again = replay.batch(step)
        if again is None:
            self.counts[f"steps whose advantages were not made again: {replay.lost}"] += 1
            return []
        if isinstance(again, Finding):
            return [again]
        self._count(step, again)
        return list(learned(step, again, replay.recipe.schedule.group_size))

    def _episode(self, episode: Episode, step: StepRecord, rules: Rules, chain: Chain) -> Iterator[Finding]:
        lived = Lived(episode, step.number, rules)
        self.counts["episodes read node by node"] += 1
        self.counts["nodes checked"] += len(episode.tree.nodes)
        broken = list(grown(lived))
        yield from broken
        checks: list[Check] = [] if broken else [*CHECKS, partial(versions, chain=chain)]
        checks.append(partial(rewards, tasks=step.tasks, counts=self.counts))
        for check in checks:
            yield from _asked(check, lived)

    def _count(self, step: StepRecord, again: Batch) -> None:
        self.counts["members whose rows were digested when they were trained"] += sum(
            bool(member.rows) for member in step.members
        )
        self.counts["advantages made again"] += len(again.shares)
        for reason in step.dropped.values():
            self.counts[f"episodes dropped: {reason}"] += 1
        for name, count in again.counts.items():
            if name.startswith("tokens skipped"):
                self.counts[name] += count
        untrained = again.counts["tokens action"] - again.counts["tokens trained"]
        self.counts["tokens of dropped episodes, not trained"] += untrained


def _rows(episode: Episode, policy: str) -> tuple[Segment, ...]:
    """The rows of an episode; none where a log-prob or temperature is such that `provenance` has told of it."""
    try:
        return cut(episode, policy).segments
    except DataError:
        return ()


def _asked(check: Check, lived: Lived) -> Iterator[Finding]:
    """A check's findings; a record that it cannot even read is one, and ends no audit."""
    try:
        yield from check(lived)
    except Exception as error:  # noqa: BLE001  the boundary: whatever a falsified record does to code that trusts it
        yield lived.finding("unreadable", f"episode {lived.episode.id} makes no sense: {type(error).__name__}: {error}")
