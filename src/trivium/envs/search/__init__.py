"""Search: find the documents that answer a question, within a small window, and cite them.

    build_world       build.py          recipe -> SearchWorld: two Sides, each a corpus with its index and tasks
    ChainMaker        chains.py         verified tasks of several hops over links
    pipeline          pipeline/         tasks by a model or by structure, with distractors, as a data set
    qrel_tasks        qrels.py          a data set's own questions
    SearchEnvironment environment.py    one episode: words (prompts.py), tools (tools.py, results.py), reward (facts.py)
    stored_record     stored.py         what an episode did, from its own record alone: for an audit
    Presentation      presentation.py   ids as the model sees them, drawn anew for every group
    Expert            expert.py         scripted experts: SFT data, and the ceiling
    ExpertEngine      expert_engine.py  lets them act in the harness of a model
    disguise          disguise.py       real documents in words that do not exist: what copying is taught on

Always true: a task holds its truth as ids of documents; what the model sees are ids of its group's presentation.
"""

from .build import SearchWorld, Side, build_world, make_reward
from .chain_report import ChainReport
from .chains import ChainMaker, ChainSettings, chain_settings
from .disguise import common_words, disguise, sample
from .documents import is_held_out
from .environment import CONTEXT1, SearchEnvironment
from .expert import Expert, Skill
from .expert_engine import ExpertEngine
from .facts import answers, gold
from .presentation import Presentation
from .stored import stored_record

__all__ = [
    "CONTEXT1",
    "ChainMaker",
    "ChainReport",
    "ChainSettings",
    "Expert",
    "ExpertEngine",
    "Presentation",
    "SearchEnvironment",
    "SearchWorld",
    "Side",
    "Skill",
    "answers",
    "build_world",
    "chain_settings",
    "common_words",
    "disguise",
    "gold",
    "is_held_out",
    "make_reward",
    "sample",
    "stored_record",
]
