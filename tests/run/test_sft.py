"""Supervised learning from scripted experts: the recipe that made the embedded policy, over a few pages."""

from pathlib import Path

import pytest

from cli.world import write_pages
from trivium.config import load_recipe
from trivium.episode import Life, dumps
from trivium.run import sft_run
from trivium.run.progress import Quiet
from trivium.store import RunStore

RECIPE = Path(__file__).parents[2] / "recipes" / "embedded" / "sft.toml"
SHORT = (
    "policy.threads=1",
    "environment.corpus.kind=folder",
    "environment.tasks.train=12",
    "environment.tasks.variants=1",
    "sft.episodes=20",
    "sft.batch_episodes=1",
    "eval.tasks=0",
)


@pytest.mark.parametrize("made_up", [0.5, 1.0])
def test_experts_work_over_real_and_made_up_corpora(made_up: float, tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages")
    recipe = load_recipe(RECIPE, [*SHORT, f"environment.corpus.path={pages}", f"sft.made_up={made_up}"])
    sft_run(recipe, tmp_path / "run", Quiet())
    with RunStore(tmp_path / "run", readonly=True) as store:
        assert [commit.step for commit in store.ledger.commits()] == [0]
        lived = list(store.episodes.find(step=0))
        trained, dropped = {member.episode for member in store.ledger.members(0)}, store.ledger.dropped(0)
        families = {name.split(".")[1] for name in store.journal.metric_names() if name.startswith("family.")}
    expected = {"2-hop": made_up < 1, "made-up": made_up > 0, "echo": True}
    assert families == {family for family, there in expected.items() if there}
    assert len(lived) == 20  # every episode is kept, and each has its place in the ledger
    assert trained | set(dropped) == {episode.id for episode in lived}
    assert {episode.id for episode in lived if episode.life is Life.TRAINED} == trained
    assert all(why.startswith("recall filter: ") for why in dropped.values())
    size = sum(len(dumps(episode)) for episode in lived) / len(lived)
    assert size < 6000, f"an episode takes {size:.0f} bytes in the run"
