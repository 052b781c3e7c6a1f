"""The episodes of SFT, round by round: scripted experts over real and made-up documents, filtered, and copy drills."""

from dataclasses import dataclass
from functools import partial

from trivium.envs import Source
from trivium.episode import ConfigError, Episode, Scored
from trivium.harness import derive_seed
from trivium.learn import Trace, recall_filter
from trivium.store import ordinal

from .drills import record_drills
from .experts import Recorder, mixed, shuffled_tasks
from .made_up import MakeUp, letter_pieces
from .policy_folder import tokenizer_file
from .setup import Setup
from .sources import SearchSources

ROUND = 20
"""Optimiser steps of a round at most: what the recall filter refuses is not replaced."""


@dataclass(frozen=True)
class Lesson:
    """What was lived for a round, what of it is learned, and why each other scored episode is not."""

    lived: list[Episode]
    kept: list[Episode]
    dropped: dict[str, str]


class Lessons:
    """Makes lessons: each a function of the recipe and its number."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._make = _make_up(setup)

    async def round(self, number: int) -> Lesson:
        """The expert episodes of a round after the recall filter, and its drills."""
        experts = await self._experts(number)
        scored = [episode for episode in experts if isinstance(episode.outcome, Scored)]
        seed = derive_seed(self.setup.recipe.seed, "filter", number)
        chosen = recall_filter([_trace(episode) for episode in scored], seed=seed)
        if not chosen.kept:
            raise ConfigError(
                f"the recall filter kept none of {len(experts)} expert episodes ({chosen.counts}); "
                "give the experts more room: raise budget.reply or budget.window"
            )
        drills = await self._drills(number)
        dropped = {name: f"recall filter: {why}" for name, why in chosen.dropped.items()}
        kept = set(chosen.kept)
        return Lesson([*experts, *drills], [*(e for e in scored if e.id in kept), *drills], dropped)

    async def _experts(self, number: int) -> list[Episode]:
        """Experts of mixed quality, over made-up and real documents."""
        recipe, opened, progress = self.setup.recipe, self.setup.opened, self.setup.progress
        count = max(1, round(recipe.sft.batch_episodes * ROUND * (1 - recipe.sft.drills)))
        progress.stage(f"round {ordinal(number)}: experts", count)
        skill = mixed(recipe.sft, recipe.editing.prune)
        episodes: list[Episode] = []
        for source, share in self._mix(number, count):
            seed = derive_seed(recipe.seed, "sft", number, source.name)
            recorder = Recorder(
                source,
                opened.renderer,
                opened.strategy,
                skill,
                seed,
                presentation=partial(derive_seed, seed, "presentation"),
                redraws=recipe.schedule.redraws,
                tick=progress.tick,
            )
            for attempts in await recorder.record(shuffled_tasks(source.tasks, share, seed)):
                episodes += attempts
        return episodes

    async def _drills(self, number: int) -> list[Episode]:
        """The copy drills of a round: `sft.drills` of its rows."""
        config, opened = self.setup.recipe.sft, self.setup.opened
        count = round(config.batch_episodes * ROUND * config.drills)
        if not count:
            return []
        pieces = letter_pieces(tokenizer_file(opened.folder))
        return await record_drills(
            pieces, opened.renderer, count, derive_seed(self.setup.recipe.seed, "drills", number)
        )

    def _mix(self, number: int, count: int) -> list[tuple[Source, int]]:
        """The sources of a round, and how many episodes each gives."""
        recipe, sources = self.setup.recipe, self.setup.sources
        last = recipe.schedule.epochs - 1
        real = sources.training(last)
        if self._make is None or not isinstance(sources, SearchSources):
            return [(real, count)]
        share = int(count * recipe.sft.made_up)
        side = self._make.side(share, derive_seed(recipe.seed, "made up", number), "made-up")
        fresh = sources.source(side, "made up", last)
        return [(source, size) for source, size in ((fresh, share), (real, count - share)) if size]


def _make_up(setup: Setup) -> MakeUp | None:
    """What disguises the training documents, where the recipe wants that and there are some."""
    sources = setup.sources
    if not setup.recipe.sft.made_up or not isinstance(sources, SearchSources):
        return None
    documents = sources.world.train.search.corpus.documents
    return MakeUp(setup.recipe, documents, tokenizer_file(setup.opened.folder), setup.opened.renderer.count)


def _trace(episode: Episode) -> Trace:
    terms = episode.terms()
    return Trace(
        id=episode.id,
        query=episode.task.id,
        trajectory_recall=terms["r_traj"],
        output_recall=terms["recall"],
        malformed=episode.counters.get("malformed_calls", 0) > 0,
    )
